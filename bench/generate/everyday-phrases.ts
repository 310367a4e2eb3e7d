import { heldOutChinese } from './held-out-chinese.ts';
import { heldOutEnglish } from './held-out-english.ts';
import type { Phrases, Ways } from './phrases.ts';

/**
 * What people type about things that are called by ordinary words and by names of libraries, small letters included; and what
 * they say beside it in the same words without taking anything back.
 */
export const everydayEnglish = (ways: Ways): Phrases => ({
  ...heldOutEnglish(ways),
  rule: ways(
    (name) => `nothing under ${name}/ may change`,
    (name) => `Ask me before you delete anything in ${name}.`,
    (name) => `Stay out of ${name}/.`,
    (name) => `Every new endpoint in ${name} gets a test.`,
    (name) => `The public API of ${name} stays as it is.`,
    (name) => `I review everything in ${name} before it goes to main, so no pushes.`,
    (name) => `pls no any in ${name}`,
    (name) => `Comments in ${name} in English only.`,
  ),
  decides: ways(
    (name, reason) => `We decided that every account is kept in ${name} and found by its id, because of ${reason}.`,
    (name, reason) => `I decided to use ${name} for that part, ${reason} needs it.`,
    (name, reason) => `I picked ${name} since ${reason} is covered by it.`,
    (name, reason) => `Settled: ${name}, given ${reason}.`,
    (name, reason) => `I chose ${name} for the list in the header, because ${reason} asks for it.`,
    (name, reason) => `Final answer: ${name} handles ${reason}.`,
    (name, reason) => `I'm using ${name} because ${reason} is already there.`,
  ),
  changesTo: ways(
    (from, to, reason) => `I removed ${from} again and switched to ${to}, because ${reason} needs it.`,
    (from, to, reason) => `${from} turned out too heavy for ${reason}, so I replaced ${from} with ${to}.`,
    (from, to, reason) => `We use ${to} instead of ${from} now, since ${reason} failed.`,
    (from, to, reason) => `I decided to drop ${from} and use ${to}, given ${reason}.`,
  ),
  overrules: ways(
    (from, to) => `nah, ${to} instead of ${from}`,
    (from, to) => `We should use ${to}, not ${from}.`,
    (from, to) => `lets drop ${from}, use ${to}`,
    (from, to) => `${from} was a mistake, go with ${to}.`,
    (from, to) => `Please switch from ${from} to ${to}.`,
    (from, to) => `can you replace ${from} with ${to}`,
  ),
});

export const everydayChinese = (ways: Ways): Phrases => ({
  ...heldOutChinese(ways),
  rule: ways(
    (name) => `没有我同意不要推 ${name}`,
    (name) => `${name} 的接口签名不能变`,
    (name) => `删 ${name} 里的文件前先问我`,
    (name) => `${name} 的注释一律写中文。`,
    (name) => `${name} 每个新接口都要写测试`,
    (name) => `${name} 里禁用 any`,
  ),
  decides: ways(
    (name, reason) => `决定：账号都存在 ${name} 里，按编号查，因为 ${reason}。`,
    (name, reason) => `我决定用 ${name}，${reason} 需要它。`,
    (name, reason) => `缓存方案定了：用 ${name}，${reason} 由它管。`,
    (name, reason) => `选型：${name}，考虑到 ${reason}。`,
    (name, reason) => `这里我打算用 ${name}，因为 ${reason} 可以直接用。`,
  ),
  changesTo: ways(
    (from, to, reason) => `已经把 ${from} 替换为 ${to}，原因是 ${reason}。`,
    (from, to, reason) => `${from} 太重了，换成 ${to}，${reason} 也够用。`,
    (from, to, reason) => `不再用 ${from}，改用 ${to}，因为 ${reason}。`,
  ),
  overrules: ways(
    (from, to) => `不要 ${from}，直接用 ${to} 就行`,
    (from, to) => `还是换 ${to} 吧，${from} 不好用`,
    (from, to) => `把 ${from} 换成 ${to}`,
    (from, to) => `别用 ${from} 了，用 ${to}。`,
  ),
});

/** Said while a decision stands. */
export const besideEnglish = (ways: Ways) =>
  ways<[name: string]>(
    () => 'Why does the form say user instead of account?',
    () => 'The regex was replaced by a tokenizer, I saw.',
    () => 'The banner is no longer in the header.',
    (name) => `Is ${name} still at its newest version?`,
    (name) => `Why did we take ${name} instead of something else?`,
    (name) => `Do the unit tests need ${name} or do they use a fake instead of ${name}?`,
    (name) => `Don't drop ${name} from the docs.`,
    (name) => `What would it cost if we ever switch from ${name} to something else?`,
    () => 'The id should no longer go into the log.',
  );

export const besideChinese = (ways: Ways) =>
  ways<[name: string]>(
    (name) => `登录页不用 ${name} 的地方也要测试吗？`,
    (name) => `为什么不用别的而用 ${name}？`,
    () => '横幅不再放在页头了。',
    (name) => `不要去掉 ${name} 的日志。`,
    (name) => `以后要是从 ${name} 迁走，代价大吗？`,
    () => '按钮被换成链接了，我看到了。',
    (name) => `${name} 是最新版本吗？`,
  );

/** Things that people decide for, none within another or in a phrase. */
export const EVERYDAY_NAMES = (
  'Redis Postgres SQLite Kafka Prisma Fastify Tailwind Vitest RabbitMQ GraphQL Terraform Webpack UUID JWT OAuth ' +
  'zod axios esbuild lodash htmx valibot rspack drizzle tabs cookies webhooks polling cursors threads snapshots'
).split(' ');
