// npm run api-report: writes the public types of the SDK as one file, which the package ships; --check only compares (npm run check).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { TypeText } from './type-text.ts';

const root = join(import.meta.dirname, '..');
const entry = join(root, 'src', 'sdk', 'sdk.ts');
const data = join(root, 'src', 'sdk', 'types.ts');
const report = join(root, 'schema', 'sdk.d.ts');

const program = makeProgram();
const checker = program.getTypeChecker();
const text = reportText();
if (!existsSync(report) || readFileSync(report, 'utf8') !== text) {
  if (process.argv.includes('--check')) {
    console.error(
      'The public types of the SDK have changed (schema/sdk.d.ts). If that is meant, run: npm run api-report',
    );
    process.exitCode = 1;
  } else writeFileSync(report, text);
}

function makeProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true, types: ['node'] };
  return ts.createProgram([entry], { ...options, ...emit, moduleResolution: ts.ModuleResolutionKind.Bundler });
}

/** Every export of the entry by name: data types written out whole, classes and options as they are declared. */
function reportText(): string {
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} cannot be read`);
  const symbols = checker.getExportsOfModule(module).map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }));
  const names = new Set(symbols.map(({ name }) => name));
  const types = symbols.filter(({ symbol }) => fileOf(symbol) === data);
  const typeText = new TypeText(
    checker,
    new Map(types.map(({ name, symbol }) => [checker.getDeclaredTypeOfSymbol(symbol), name])),
  );
  const declared = new Map(
    [...new Set(symbols.map(({ symbol }) => fileOf(symbol)))].flatMap((file) => declarations(file)),
  );
  const parts = symbols
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, symbol }) => {
      if (fileOf(symbol) === data) return typeText.alias(name, symbol);
      const found = declared.get(name);
      if (found === undefined) throw new Error(`${name} is exported but not declared in its own file`);
      return found;
    });
  const head =
    '// The public types of sessionctl. Made by `npm run api-report` from src/sdk/sdk.ts; a change of it is a change of the API.\n';
  if (names.size === 0) throw new Error('the entry exports nothing');
  return `${head}\n${parts.join('\n\n')}\n`;
}

function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function fileOf(symbol: ts.Symbol): string {
  return symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
}

/** What a file declares, as tsc writes it, by name. */
function declarations(file: string): [name: string, text: string][] {
  const source = program.getSourceFile(file);
  if (!source || file === data) return [];
  let written = '';
  program.emit(
    source,
    (_path, content) => {
      written = content;
    },
    undefined,
    true,
  );
  const parsed = ts.createSourceFile('written.d.ts', written, ts.ScriptTarget.Latest, true);
  return parsed.statements.flatMap((statement): [string, string][] => {
    const text = statement.getFullText().trim();
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => [name.getText(), text]);
    const name = 'name' in statement ? (statement.name as ts.Identifier | undefined) : undefined;
    return name === undefined ? [] : [[name.getText(), text]];
  });
}
