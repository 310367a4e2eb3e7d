import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { fail, ok, type Result } from '../../shared/errors.ts';

/**
 * The small part of tar (POSIX ustar) that a bundle needs: plain files, mode 0600, no owner, no time, names in order. So
 * the same files give the same bytes, and an archive that differs in any byte from what we would write is refused.
 */
const BLOCK = 512;
const END = Buffer.alloc(BLOCK * 2);

/** Packs a folder's files. `zst` compresses with a checksum. */
export async function pack(folder: string, target: string, zst: boolean): Promise<void> {
  const out: WriteStream = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  const stages = zst ? [createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })] : [];
  await pipeline([Readable.from(archive(folder)), ...stages, out] as unknown as [Readable, WriteStream]);
}

async function* archive(folder: string): AsyncGenerator<Buffer> {
  for (const name of await files(folder)) {
    const { size } = await stat(join(folder, name));
    yield header(name, size);
    for await (const chunk of createReadStream(join(folder, name))) yield chunk as Buffer;
    yield Buffer.alloc(padding(size));
  }
  yield END;
}

async function files(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  // 100 bytes of name; longer ones go on in the prefix field, split at a slash
  const cut = Buffer.byteLength(name) <= 100 ? -1 : name.indexOf('/', name.length - 100);
  block.write(name.slice(cut + 1), 0, 100);
  block.write('0000600\0' + '0000000\0' + '0000000\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124);
  block.write('0ustar\0' + '00', 156);
  block.copyWithin(257, 157, 165);
  block.fill(0, 157, 257);
  if (cut > 0) block.write(name.slice(0, cut), 345, 155);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const text = (block: Buffer, from: number, to: number): string =>
  block.toString('utf8', from, to).replace(/\0.*$/s, '');

/** Unpacks an archive into an empty folder. Errors: chain_broken when a byte of it is not as `pack` writes it. */
export async function unpack(archivePath: string, folder: string): Promise<Result<void>> {
  const reader = new Unpacker(folder);
  const stages = archivePath.endsWith('.zst') ? [createZstdDecompress()] : [];
  try {
    const feed = new Transform({
      transform: (chunk: Buffer, _encoding, done) => void reader.take(chunk).then(() => done(), done),
    });
    await pipeline([createReadStream(archivePath), ...stages, feed] as unknown as [Readable, Transform]);
    await reader.end();
    return ok(undefined);
  } catch (error) {
    await reader.close();
    return fail('chain_broken', `${archivePath} is damaged: ${(error as Error).message}.`, { path: archivePath });
  }
}

/** Takes an archive in pieces of any size. */
class Unpacker {
  readonly #folder: string;
  #waiting: Buffer = Buffer.alloc(0);
  #file: Awaited<ReturnType<typeof open>> | null = null;
  #name = '';
  #left = 0;
  #pad = 0;
  #zeros = 0;
  #last = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(chunk: Buffer): Promise<void> {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    for (;;) {
      if (this.#left > 0) {
        const part = this.#waiting.subarray(0, this.#left);
        if (part.length === 0) return;
        await this.#file?.write(part);
        this.#left -= part.length;
        this.#waiting = this.#waiting.subarray(part.length);
      } else if (this.#pad > 0) {
        if (this.#waiting.length < this.#pad) return;
        if (this.#waiting.subarray(0, this.#pad).some((byte) => byte !== 0))
          throw new Error(`bytes after ${this.#name} were changed`);
        this.#waiting = this.#waiting.subarray(this.#pad);
        this.#pad = 0;
      } else {
        await this.close();
        if (this.#waiting.length < BLOCK) return;
        const block = this.#waiting.subarray(0, BLOCK);
        this.#waiting = this.#waiting.subarray(BLOCK);
        await this.#begin(Buffer.from(block));
      }
    }
  }

  async #begin(block: Buffer): Promise<void> {
    if (block.every((byte) => byte === 0)) {
      this.#zeros++;
      return;
    }
    const prefix = text(block, 345, 500);
    const name = `${prefix === '' ? '' : `${prefix}/`}${text(block, 0, 100)}`;
    const size = Number.parseInt(text(block, 124, 136), 8);
    const sound = this.#zeros === 0 && Number.isSafeInteger(size) && header(name, size).equals(block);
    if (!sound || !/^sessions\/[\w./-]+$/.test(name) || name.split('/').includes('..') || name <= this.#last) {
      throw new Error(`the entry ${JSON.stringify(name.slice(0, 200))} is not as it was written`);
    }
    this.#last = name;
    this.#name = name;
    this.#left = size;
    this.#pad = padding(size);
    await mkdir(dirname(join(this.#folder, name)), { recursive: true, mode: 0o700 });
    this.#file = await open(join(this.#folder, name), 'wx', 0o600);
  }

  async end(): Promise<void> {
    await this.take(Buffer.alloc(0));
    if (this.#left > 0 || this.#pad > 0 || this.#waiting.length > 0 || this.#zeros !== 2)
      throw new Error('it ends too early or goes on too long');
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}
