import { manifestSigned } from '../../core/log/manifest.ts';
import type { Verdict } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';

type Check = Verdict['checks'][number];

/** Checks a stored session: every link of its log, and that its last signed manifest is genuine and lies on this log. */
export async function checkSession(reader: StoreReader, row: SessionRow, publicKey: string): Promise<Verdict> {
  const log = await reader.verify(row.id);
  const checks: Check[] = [
    log.ok
      ? { id: 'chain', ok: true, text: `All ${log.events} events match their checksums` }
      : { id: 'chain', ok: false, text: `Event ${log.seq} was changed: ${log.reason}`, detail: `seq ${log.seq}` },
  ];
  const inherited = await reader.inherited(row.id);
  if (log.ok) {
    const whole = inherited + log.events === row.events;
    checks.push({
      id: 'count',
      ok: whole,
      text: whole
        ? `The log is whole: events ${inherited} to ${row.events - 1}`
        : `The log holds ${log.events} events, the list says ${row.events - inherited}`,
    });
  }
  if (inherited > 0) checks.push(await checkInherited(reader, row.id, inherited));
  const manifest = await reader.manifest(row.id);
  if (manifest === null) return { ok: checks.every((check) => check.ok), checks };
  const signed = manifestSigned(manifest, publicKey);
  checks.push({
    id: 'signature',
    ok: signed,
    text: signed ? 'The manifest is signed by this store' : 'The signature of the manifest does not match',
  });
  const [at] = await reader.eventsAt(row.id, [inherited + manifest.last_seq]).catch(() => []);
  const onLog = at?.checksum === manifest.head;
  checks.push({
    id: 'head',
    ok: onLog,
    text: onLog
      ? `The signed head is event ${manifest.last_seq} of this log`
      : `Event ${manifest.last_seq} is not the one that was signed`,
  });
  return { ok: checks.every((check) => check.ok), checks };
}

/** A fork of ours names the checksum of the event that it left the other session at. */
async function checkInherited(reader: StoreReader, id: string, inherited: number): Promise<Check> {
  const events = await reader.eventsAt(id, [inherited - 1, inherited]).catch(() => []);
  const [last, fork] = events;
  const ok = last !== undefined && fork?.payload.from_checksum === last.checksum;
  return {
    id: 'inherited',
    ok,
    text: ok
      ? `What it goes on from is unchanged: event ${inherited - 1} of ${String(fork.payload.from_session)}`
      : `Event ${inherited - 1} is not the one that it was forked off at`,
  };
}
