/** Who may import whom (docs/internals/architecture.md). */
const only = (name, from, to, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: '^(src|adapters|bench|e2e|scripts)/', pathNot: to },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?(worker|url|raw|inline)$' },
    },
    only('shared-imports-nothing', '^src/shared/', '^src/shared/', 'shared holds schemas and types alone'),
    only('core-imports-shared', '^src/core/', '^src/(core|shared)/', 'core is pure'),
    {
      name: 'core-has-no-io',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer)$' },
    },
    only(
      'adapters-import-core',
      '^adapters/',
      '^(adapters|src/core|src/shared|fixtures)/',
      'adapters know formats, not the engine',
    ),
    {
      name: 'adapters-do-not-import-each-other',
      severity: 'error',
      from: { path: '^adapters/(claude|codex|pi|hermes|opencode|gemini|cursor|aider)/' },
      to: { path: '^adapters/(claude|codex|pi|hermes|opencode|gemini|cursor|aider)/', pathNot: '^adapters/$1/' },
    },
    only(
      'engine-imports-core-and-adapters',
      '^src/engine/',
      '^(src/(engine|core|shared)|adapters|fixtures)/',
      'the engine knows no host',
    ),
    only(
      'cli-imports-engine',
      '^src/cli/',
      '^(src/(cli|engine|core|shared|main/web|mcp)|adapters/(contract|registry)|fixtures)',
      'the CLI is a thin face',
    ),
    {
      ...only('mcp-imports-engine', '^src/mcp/', '^src/(mcp|engine|core|shared)/', 'the MCP server is a thin face'),
      from: { path: '^src/mcp/', pathNot: '\\.test\\.ts$|/testing/' },
    },
    only(
      'sdk-imports-engine',
      '^src/sdk/',
      '^(src/(sdk|engine|core|shared)|adapters/(contract|registry)|fixtures)',
      'the SDK is a thin face',
    ),
    only('hosts-import-engine', '^src/main/', '^src/(main|engine|core|shared)/', 'hosts are wiring'),
    only(
      'preload-imports-shared',
      '^src/preload/',
      '^src/(preload|shared)/',
      'the bridge holds the contract and nothing else',
    ),
    only(
      'renderer-imports-shared-and-core',
      '^src/renderer/',
      '^src/(renderer|shared|core)/',
      'rows, not sessions, reach the renderer',
    ),
    {
      name: 'renderer-has-no-node',
      severity: 'error',
      from: { path: '^src/renderer/', pathNot: '\\.test\\.tsx?$|vite\\.config\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'electron-only-in-its-host',
      severity: 'error',
      from: { pathNot: '^(src/main/electron|src/preload)/' },
      to: { path: 'node_modules/electron/' },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      severity: 'error',
      from: { path: '^(src/(core|engine|cli|main|mcp|sdk|shared)|adapters)/', pathNot: '\\.test\\.ts$|/testing/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(electron|@types)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
