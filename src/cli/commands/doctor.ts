import { ok } from '../../shared/errors.ts';
import { type Run, withEngine } from '../command.ts';

const MARK = { ok: '✓', note: '·', warn: '!', error: '✗' } as const;
const STYLE = { ok: 'green', note: 'dim', warn: 'yellow', error: 'red' } as const;

/** `sessionctl doctor`: exit code 1 when something is wrong that keeps sessionctl from working. */
export const doctor: Run<object> = (cli) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    const examined = await engine.local.examine();
    output.end(ok(examined), ({ version, node, platform, home, findings }) => {
      output.line(`sessionctl ${version}, Node ${node}, ${platform}, ${home}`);
      for (const { level, text, fix } of findings) {
        output.line(`${output.style(STYLE[level], MARK[level])} ${text}`);
        if (fix) output.line(`  ${output.style('dim', fix)}`);
      }
    });
    return examined.ok ? 0 : 1;
  });
