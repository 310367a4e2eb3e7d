import fc from 'fast-check';

/** What can happen to the bytes of one line. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('zero' as const), at: fc.nat(), size: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), value: fc.integer({ min: 128, max: 255 }) }),
  fc.record({ kind: fc.constant('glue' as const) }),
  fc.record({ kind: fc.constant('drop' as const) }),
  fc.record({ kind: fc.constant('twice' as const) }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

/** Damage to up to six lines of a file, wherever those are. */
export const hits: fc.Arbitrary<[at: number, what: Damage][]> = fc.array(fc.tuple(fc.nat(), damage), {
  minLength: 1,
  maxLength: 6,
});

/** The lines with their damage, as bytes of a file, and those that it did not touch. */
export function damagedFile(
  lines: readonly string[],
  all: readonly [at: number, what: Damage][],
): { bytes: Buffer; sound: string[]; isSound: boolean[] } {
  const byLine = new Map(all.map(([at, what]) => [at % lines.length, what]));
  const bytes = lines.map((line, i) => {
    const what = byLine.get(i);
    return what === undefined ? Buffer.from(`${line}\n`) : damaged(line, what);
  });
  // what is glued to the line before it may go with that, also over lines that are gone
  let isGlued = false;
  const isSound = lines.map((_, i) => {
    const what = byLine.get(i)?.kind;
    const sound = what === undefined && !isGlued;
    if (what !== 'drop') isGlued = what === 'glue';
    return sound;
  });
  return { bytes: Buffer.concat(bytes), sound: lines.filter((_, i) => isSound[i]), isSound };
}

/** The damaged line with its line feed. */
function damaged(line: string, what: Damage): Buffer {
  const bytes = Buffer.from(line);
  if (what.kind === 'drop') return Buffer.alloc(0);
  if (what.kind === 'glue') return bytes;
  if (what.kind === 'twice') return Buffer.from(`${line}\n${line}\n`);
  if (bytes.length === 0) return Buffer.from('\n');
  const at = what.at % bytes.length;
  if (what.kind === 'cut') return Buffer.concat([bytes.subarray(0, at), Buffer.from('\n')]);
  if (what.kind === 'zero') bytes.fill(0, at, Math.min(at + what.size, bytes.length));
  else bytes[at] = what.value;
  return Buffer.concat([bytes, Buffer.from('\n')]);
}
