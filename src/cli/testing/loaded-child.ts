import { registerHooks } from 'node:module';

/** Loaded before the CLI (`node --import`): at its end it writes every file that was loaded to stderr, one a line. */

const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => process.stderr.write(`${loaded.join('\n')}\n`));
