// The package as its users get it: packed, installed into an empty project beside another fast-check than our own, imported from plain
// JavaScript, type-checked and run from TypeScript as NodeNext, and asked for a verdict. Exit 1 where any of it fails.
// Usage: npm run package (after npm run build; dependencies come from the package registry)
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { devDependencies: pinned } = JSON.parse(readFileSync('package.json', 'utf8'));
const project = mkdtempSync(join(tmpdir(), 'runcert-package-'));
/** Shows what a command printed only where it fails. */
function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
}

const USE = `
import fc from 'fast-check';
import { defineRunner, suiteFor } from 'runcert';
import { apiCalls } from 'runcert/api';
import { agentRunContext, nearMiss } from 'runcert/arbitraries';
import schema from 'runcert/schemas/agent-runner/2026-06-03/protocol.schema.json' with { type: 'json' };
import { isAgentTrigger } from 'runcert/schemas/agent-runner/2026-06-03/validators.js';
import { checkAgentRunContext, isAgentRunContext, readAgentRunContext } from 'runcert/validators';

fc.assert(fc.property(agentRunContext(), (context) => isAgentRunContext(context)));
fc.assert(fc.property(nearMiss('AgentRunContext'), (miss) => checkAgentRunContext(miss.value).length === 1));
if (!isAgentTrigger({ type: 'message.received', source: 'api' })) throw new Error('isAgentTrigger refuses a trigger');
if (!('AgentRunContext' in schema.$defs)) throw new Error('the schema has no AgentRunContext');
if (!apiCalls.some((call) => call.name === 'history.page')) throw new Error('the API surface has no history.page');
if (typeof defineRunner !== 'function' || typeof suiteFor !== 'function') throw new Error('the library is not whole');
`;
const TYPED = `${USE}
import type { AgentRunContext, AgentRunContextRead, TypedAgentRunResult } from 'runcert/types';
import type { Api } from 'runcert/api';

export const sent: fc.Arbitrary<AgentRunContext> = agentRunContext();
export const read = (context: AgentRunContext): AgentRunContextRead => readAgentRunContext(context);
export const roleOf = (result: TypedAgentRunResult) => (result.type === 'message.completed' ? result.data.message.role : undefined);
export const newest = (api: Api) => api.history.page(null, null, null, 1);
// @ts-expect-error: a trigger has a source
export const wrong: AgentRunContext['trigger'] = { type: 'message.received' };
`;
const TSCONFIG = {
  compilerOptions: {
    module: 'NodeNext',
    target: 'ES2022',
    strict: true,
    outDir: 'out',
    resolveJsonModule: true,
    types: ['node'],
  },
  files: ['typed.ts'],
};

try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], { encoding: 'utf8' }),
  );
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
  writeFileSync(join(project, 'plain.js'), USE);
  writeFileSync(join(project, 'typed.ts'), TYPED);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const others = ['fast-check@4.0.0', `typescript@${pinned.typescript}`, `@types/node@${pinned['@types/node']}`];
  run('npm', 'install', '--no-audit', '--no-fund', join(project, packed.filename), ...others);
  run(process.execPath, 'plain.js');
  run('npx', 'tsc', '-p', '.');
  run(process.execPath, 'out/typed.js');
  run('npx', 'runcert', 'spec', 'lint');
  run('npx', 'runcert', 'certify', 'runner', '--runs', '10', '--format', 'json');
  console.log(
    `${packed.filename}: ${packed.entryCount} files, ${Math.round(packed.unpackedSize / 1024)} KiB; every entry works from JavaScript and TypeScript`,
  );
} finally {
  rmSync(project, { recursive: true, force: true });
}
