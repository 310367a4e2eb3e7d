import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Calls by which a program opens, changes, makes, removes or locks files. `?` = not on every processor. */
const CALLS = [
  'openat,openat2,?open,?creat',
  '?rename,?renameat,renameat2,?unlink,unlinkat,?rmdir,?mkdir,mkdirat,?link,linkat,?symlink,symlinkat,?mknod,mknodat',
  'truncate,ftruncate,fallocate,?chmod,fchmod,fchmodat,?fchmodat2,?chown,?lchown,fchown,fchownat',
  '?utime,?utimes,?futimesat,utimensat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr',
  'flock,fcntl',
].join(',');

/** Its whole path, so that the traced program can have an environment of its own. */
const STRACE = spawnSync('sh', ['-c', 'command -v strace'], { encoding: 'utf8' }).stdout?.trim() ?? '';

/** Command line before a program, so that what it does with files is written to `log`. Threads and children are followed. */
export const traced = (log: string): string[] => [
  STRACE,
  '-f',
  '--seccomp-bpf',
  '-qq',
  '-y',
  '-o',
  log,
  '-e',
  `trace=${CALLS}`,
];

/** Why nothing can be traced on this machine; null = it can. */
export function whyNoTrace(): string | null {
  if (STRACE === '') return 'no strace';
  const [program, ...args] = traced('/dev/null');
  const { status } = spawnSync(program!, [...args, 'true']);
  return status === 0 ? null : 'strace does not work here';
}

const OPENS = /\b(?:open|openat|openat2)\(/;
const WRITES = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE/;
const ASKS = /\bfcntl\([^,]*, F_(?!SETLK|SETLEASE|OFD_SETLK|NOTIFY)/;

/** What a trace shows of a folder: how often something in it was opened to be read, and every other call that names it. */
export async function traceOf(log: string, folder: string): Promise<{ reads: number; others: string[] }> {
  let reads = 0;
  const others: string[] = [];
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    if (!line.includes(folder) || ASKS.test(line)) continue;
    if (OPENS.test(line) && !WRITES.test(line)) reads++;
    else if (!line.includes('resumed>')) others.push(line);
  }
  return { reads, others };
}
