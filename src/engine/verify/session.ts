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
  if (log.ok) {
    const whole = log.events === row.events;
    checks.push({
      id: 'count',
      ok: whole,
      text: whole
        ? `The log is whole: events 0 to ${row.events - 1}`
        : `The log holds ${log.events} events, the list says ${row.events}`,
    });
  }
  const manifest = await reader.manifest(row.id);
  if (manifest === null) return { ok: checks.every((check) => check.ok), checks };
  const signed = manifestSigned(manifest, publicKey);
  checks.push({
    id: 'signature',
    ok: signed,
    text: signed ? 'The manifest is signed by this store' : 'The signature of the manifest does not match',
  });
  const [at] = await reader.eventsAt(row.id, [manifest.last_seq]).catch(() => []);
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
