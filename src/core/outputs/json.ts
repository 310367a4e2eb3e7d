import { safeJson } from '../safe-text.ts';
import type { OutputSession, OutputSource } from './output.ts';

/** JSON with one row a line, so that it can be read by a person and cut by a program (`sessionExportSchema`). */
export async function* json({ sessions, all, version }: OutputSource): AsyncGenerator<string> {
  yield `{"format":"sessionctl.session","version":1,"sessionctl":${safeJson(version)},"all":${all},"sessions":[\n`;
  for (const [at, session] of sessions.entries()) {
    if (at > 0) yield ',\n';
    yield* sessionJson(session);
  }
  yield '\n]}\n';
}

async function* sessionJson(session: OutputSession): AsyncGenerator<string> {
  yield `{"session":${safeJson(exported(session))},"inactive":${session.inactive},"rows":[`;
  const images = new Map<string, string>();
  let separator = '\n';
  for await (const page of session.pages()) {
    let text = '';
    for (const row of page.rows) {
      text += separator + safeJson(row);
      separator = ',\n';
    }
    for (const [artifact, url] of page.images) images.set(artifact, url);
    if (text !== '') yield text;
  }
  yield '\n],"images":{';
  separator = '\n';
  for (const [artifact, url] of images) {
    yield `${separator}${safeJson(artifact)}:${safeJson(url)}`;
    separator = ',\n';
  }
  yield '}}';
}

function exported({ row }: OutputSession): object {
  const { id, agent, agent_version, native_id, title, model, cwd, git_branch } = row;
  const { started_at, last_activity, counts, usage, parent, parent_kind } = row;
  return {
    id,
    agent,
    agent_version,
    native_id,
    title,
    model,
    cwd,
    git_branch,
    started_at,
    last_activity,
    counts,
    usage,
    parent,
    parent_kind,
  };
}
