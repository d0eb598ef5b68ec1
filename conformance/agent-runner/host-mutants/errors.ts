// §9, §11: refusals, and the record of calls.
import { Refusal } from '../../wire/peer.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { type Denial, deny, type ErrorCode, refusalOf } from '../reference-host/refusal.ts';
import type { AuditEntry } from '../reference-host/shapes.ts';
import { actions, admission, type Change, memberOf, mutant, shows } from './mutant.ts';

const { admission: checks, auditEntry } = HOST_PARTS;

/** Answers one code where another belongs. */
const instead = (code: ErrorCode, other: string): Change => ({
  refusalOf: (denial: Denial) => refusalOf(denial.code === code ? { code: other as ErrorCode } : denial),
});
/** A refusal whose error object is changed. */
const refusing = (change: (error: Record<string, unknown>) => Record<string, unknown>): Change => ({
  refusalOf: (denial: Denial) => {
    const { message, data } = refusalOf(denial);
    return new Refusal(message, { error: change(memberOf(data, 'error') as Record<string, unknown>) as never });
  },
});
const auditing = (change: (entry: AuditEntry) => Partial<AuditEntry>): Change => ({
  auditEntry: (...given) => {
    const entry = auditEntry(...given);
    return { ...entry, ...change(entry) };
  },
});
const wrongCode = (code: ErrorCode, other: ErrorCode) =>
  mutant(
    `code-${code}-wrong`,
    `Answers ${other} where ${code} belongs.`,
    `9/code-${code.replaceAll('_', '-')}`,
    instead(code, other),
  );

export const errorMutants = [
  mutant('error-as-text', 'Refuses with a text and no AgentAPIError.', '9/error-shape', {
    refusalOf: ({ code }) => new Refusal(code),
  }),
  mutant(
    'error-without-message',
    'Refuses with a code and no message.',
    '9/error-shape',
    refusing(({ code }) => ({ code })),
  ),
  wrongCode('unauthorized', 'runtime_error'),
  wrongCode('not_found', 'invalid_argument'),
  wrongCode('deadline_exceeded', 'runtime_error'),
  wrongCode('payload_too_large', 'invalid_argument'),
  wrongCode('rate_limited', 'unauthorized'),
  wrongCode('invalid_argument', 'not_found'),
  wrongCode('runtime_error', 'not_found'),
  mutant(
    'codes-of-its-own',
    'Uses error codes of its own.',
    '9/codes-from-table',
    refusing((error) => (error['code'] === 'unauthorized' ? { ...error, code: 'permission_denied' } : error)),
  ),
  mutant(
    'always-retryable',
    'Says of every error that trying again may help.',
    '9/retryable-fits',
    refusing((error) => ({ ...error, retryable: true })),
  ),
  mutant(
    'never-retryable',
    'Says of no error that trying again may help.',
    '9/retryable-fits',
    refusing((error) => ({ ...error, retryable: false })),
  ),
  mutant(
    'identity-leaked',
    'Tells a stranger whose run it is.',
    '9/nothing-leaked',
    admission({ identity: (given) => checks.identity(given) && deny('unauthorized', given.session?.run.identity) }),
  ),
  mutant(
    'history-leaked',
    'Tells the last message of a conversation that it refuses.',
    '9/nothing-leaked',
    actions('history.', ({ checkScope, scope }) => ({
      checkScope: (data, scene) => {
        const last = scene.memory.transcript.findLast((item) => item.conversation_id === scope?.(data));
        return checkScope?.(data, scene) && deny('unauthorized', last?.content ?? '');
      },
    })),
  ),
  mutant(
    'artifact-leaked',
    'Tells the bytes of an artifact that it refuses.',
    '9/nothing-leaked',
    actions('artifacts.', ({ checkScope }) => ({
      checkScope: (data, scene) => {
        const content = scene.memory.artifacts.get(String(data['artifact_id']))?.content ?? '';
        return checkScope?.(data, scene) && deny('not_found', Buffer.from(content, 'base64').toString());
      },
    })),
  ),
  mutant(
    'stack-shown',
    'Puts a stack trace into every refusal.',
    '9/no-internals-in-message',
    refusing((error) => ({ ...error, message: `Error: refused\n    at check (/srv/host/calls.ts:10:5)` })),
  ),
  mutant(
    'models-told-apart',
    'Tells models that exist from models that do not.',
    '9/no-existence-oracle',
    actions('models.', ({ checkGrant }) => ({
      checkGrant: (data, scene) => {
        const id = data['llm_model_uuid'] ?? data['rerank_model_uuid'];
        const exists = scene.inventory.models.some((model) => model.id === id);
        return checkGrant(data, scene) && deny(exists ? 'unauthorized' : 'not_found');
      },
    })),
  ),
  mutant(
    'tools-told-apart-in-words',
    'Tells tools that exist from tools that do not, by its words alone.',
    '9/no-existence-oracle',
    () => {
      let words = '';
      return {
        ...actions('tools.', ({ checkGrant }) => ({
          checkGrant: (data, scene) => {
            const denial = checkGrant(data, scene);
            const exists = scene.inventory.tools.some(({ name }) => name === data['tool_name']);
            words = denial === undefined ? '' : exists ? 'This tool was not granted.' : 'There is no such tool.';
            return denial;
          },
        })),
        refusalOf: (denial) => {
          const { message, data } = refusalOf(denial);
          const said = words || message;
          words = '';
          return new Refusal(said, { error: { ...memberOf(data, 'error'), message: said } });
        },
      };
    },
  ),
  mutant(
    'granted-unaudited',
    'Keeps no record of calls that it answers.',
    '11/audit-granted-calls',
    shows('audit', (entries) => entries.filter(({ result }) => result !== 'ok')),
  ),
  mutant(
    'refused-unaudited',
    'Keeps no record of calls that it refuses.',
    '11/audit-refused-calls',
    shows('audit', (entries) => entries.filter(({ result }) => result === 'ok')),
  ),
  mutant(
    'strangers-unaudited',
    'Keeps no record of calls for unknown runs.',
    '11/audit-refused-calls',
    shows('audit', (entries) => entries.filter(({ runner_id: id }) => id !== null)),
  ),
  mutant(
    'audit-no-run',
    'Records calls without their run.',
    '11/audit-run-id',
    auditing(() => ({ run_id: null })),
  ),
  mutant(
    'audit-no-runner',
    'Records calls without their runner.',
    '11/audit-runner-id',
    auditing(() => ({ runner_id: null })),
  ),
  mutant(
    'audit-method',
    'Records calls by another name.',
    '11/audit-action',
    auditing(({ action }) => ({ action: action.replace('_', '.') })),
  ),
  mutant(
    'audit-no-resource',
    'Records calls without what they named.',
    '11/audit-resource',
    auditing(() => ({ resource: null })),
  ),
  mutant(
    'audit-no-scope',
    'Records calls without their scope.',
    '11/audit-scope',
    auditing(() => ({ scope: null })),
  ),
  mutant(
    'audit-all-well',
    'Records every call as answered.',
    '11/audit-result',
    auditing(() => ({ result: 'ok' })),
  ),
];
