import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import { API } from '../runner/api.ts';
import { excess } from '../runner/grants.ts';
import { declaredRunners } from '../runner/manifests.ts';
import { plainContext } from '../runner/stimuli/context.ts';
import { anyGrants } from '../runner/stimuli/grants.ts';
import { fit as split } from './behaviour/speak.ts';
import { componentOf, containerOf } from './container.ts';
import { type Permissions, readContext } from './context.ts';
import { referenceManifest } from './manifest.ts';
import type { Run } from './parts.ts';
import { refuseLocally } from './sdk/local-check.ts';

const permissions = referenceManifest['permissions'] as Permissions;
const [entry] = declaredRunners({ runners: [referenceManifest] });

describe('the reference runner', () => {
  it('says all that fits, in messages that the surface takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (text, limit) => {
        const messages = split({ context: { delivery: { max_message_size: limit } } } as Run, text);
        expect(messages.every((message) => Buffer.byteLength(message) <= limit)).toBe(true);
        expect(messages.join('')).toBe(text);
      }),
      { seed: 2 },
    );
  });

  it('refuses before it asks just what a host would refuse', () => {
    const named = (value: JsonObject, list: string, id: string): string =>
      String(((value[list] as JsonObject[] | undefined) ?? [])[0]?.[id] ?? 'other');
    fc.assert(
      fc.property(
        anyGrants(entry!),
        fc.constantFrom(...Object.keys(API)),
        fc.boolean(),
        ({ resources, apis }, action, own) => {
          const raw = plainContext('r', { resources, apis });
          const data = {
            llm_model_uuid: own ? named(resources, 'models', 'model_id') : 'other',
            rerank_model_uuid: own ? named(resources, 'models', 'model_id') : 'other',
            tool_name: own ? named(resources, 'tools', 'tool_name') : 'other',
            kb_id: own ? named(resources, 'knowledge_bases', 'kb_id') : 'other',
            action: own ? 'message.react' : 'message.delete',
          };
          const local = refuseLocally(readContext(raw, permissions), action, data) === undefined;
          expect(local).toBe(excess(raw, action, data, referenceManifest) === undefined);
        },
      ),
      { seed: 3, numRuns: 500 },
    );
  });

  it('says the same of itself in a manifest and in a plugin container', () => {
    const [contained] = declaredRunners({ plugin_container: containerOf([referenceManifest]) });
    const { metadata: _metadata, ...manifest } = referenceManifest;
    expect(contained!.manifest).toEqual(manifest);
    expect(componentOf(referenceManifest)['kind']).toBe('AgentRunner');
  });
});
