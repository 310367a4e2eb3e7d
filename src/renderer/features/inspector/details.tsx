import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SessionRow } from '../../../shared/session.ts';
import { useClient } from '../../app/client-context.ts';
import { queries, useInfo } from '../../app/queries.ts';
import { userHome } from '../../app/user-home.ts';
import { showInspector } from '../../app/view-state.ts';
import { formatMoment, tildePath } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { agentLabel } from '../../ui/agent-mark.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FilePath, Path } from '../../ui/path.tsx';
import { Status } from '../../ui/status.tsx';
import { ContextSection } from './context-section.tsx';

/** What a session is: state, agent, place, size; then its context, its files, and what was found while reading it. */
export function Details({ session }: { session: SessionRow }) {
  const home = userHome(useInfo());
  return (
    <>
      <section className="sec">
        <dl className="kv">
          <Fact name={t.inspector.status}>
            <Status status={session.status} />
          </Fact>
          <Fact name={t.inspector.agent}>
            {agentLabel(session.agent)} <span className="text-tx-3">{session.agent_version}</span>
          </Fact>
          <Fact name={t.inspector.model}>
            {session.model ? <span className="cut">{session.model}</span> : <NotKnown />}
          </Fact>
          <Fact name={t.inspector.project}>
            {session.cwd ? <Path path={tildePath(session.cwd, home)} /> : <NotKnown />}
          </Fact>
          {session.git_branch ? (
            <Fact name={t.inspector.branch}>
              <span className="mono cut">{session.git_branch}</span>
            </Fact>
          ) : null}
          <Fact name={t.inspector.started}>
            {session.started_at === null ? <NotKnown /> : formatMoment(session.started_at)}
          </Fact>
          <Fact name={t.inspector.active}>
            {session.last_activity === null ? <NotKnown /> : formatMoment(session.last_activity)}
          </Fact>
          <Fact name={t.inspector.content}>
            <span className="cut">{t.inspector.contentOf(session.counts.user, session.events, session.bytes)}</span>
          </Fact>
          <Fact name={t.inspector.nativeId}>
            <span className="mono cut" title={session.native_id}>
              {session.native_id}
            </span>
          </Fact>
          {session.source ? (
            <Fact name={t.inspector.file}>
              <Path path={tildePath(session.source, home)} />
            </Fact>
          ) : null}
        </dl>
      </section>
      <ContextSection session={session} />
      <FilesPreview id={session.id} />
      <Checks session={session} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

const NotKnown = () => <span className="text-tx-3">{t.inspector.unknown}</span>;

const PREVIEWED = 4;

function FilesPreview({ id }: { id: string }) {
  const files = useQuery(queries.files(useClient(), id)).data;
  if (!files || files.length === 0) return null;
  return (
    <section className="sec">
      <h3 className="sec-h">
        {t.inspector.files}
        <span className="cnt">{t.inspector.touched(files.length)}</span>
      </h3>
      {files.slice(0, PREVIEWED).map((file) => (
        <div key={file.path} className="frow">
          <Icon name="file" size={14} tone="quiet" />
          <FilePath path={file.path} />
          <span className="fill" />
          <span className="cnt">{file.edits > 0 ? t.inspector.edits(file.edits) : t.inspector.reads(file.reads)}</span>
        </div>
      ))}
      {files.length > PREVIEWED ? (
        <div className="frow">
          <button type="button" className="link" onClick={() => showInspector('files')}>
            {t.inspector.moreFiles(files.length - PREVIEWED)}
          </button>
        </div>
      ) : null}
    </section>
  );
}

function Checks({ session }: { session: SessionRow }) {
  const warned = session.warnings.length;
  return (
    <section className="sec">
      <h3 className="sec-h">{t.inspector.checks}</h3>
      <div className="frow">
        <Icon name="redact" size={14} tone="ok" />
        <span>{t.inspector.redactions(session.redactions)}</span>
      </div>
      {session.unknown_records > 0 ? (
        <div className="frow">
          <Icon name="info" size={14} tone="quiet" />
          <span>{t.inspector.unknownKept(session.unknown_records)}</span>
        </div>
      ) : null}
      <div className="frow">
        <Icon name={warned > 0 ? 'warn' : 'check'} size={14} tone={warned > 0 ? 'warn' : 'ok'} />
        <span>{warned > 0 ? t.list.warnings(warned) : t.inspector.noWarnings}</span>
        <span className="fill" />
        {warned > 0 ? (
          <button type="button" className="link" onClick={() => showInspector('warnings')}>
            {t.inspector.seeWarnings}
          </button>
        ) : null}
      </div>
    </section>
  );
}
