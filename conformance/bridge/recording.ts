// A recording of AgentRunner traffic in, Agent Runtime events out, case by case.
import { RuncertError } from '../../common/error.ts';
import type { JsonObject } from '../../common/json.ts';
import { readRecording } from '../recording/file.ts';
import { Bridge } from './bridge.ts';
import { storiesOf } from './story.ts';

export interface BridgeOptions {
  /** Only this case of the recording. */
  readonly case?: string;
}

export interface Bridged {
  readonly cases: number;
  readonly runs: number;
}

export async function bridgeRecording(
  path: string,
  write: (event: JsonObject) => void,
  options: BridgeOptions = {},
): Promise<Bridged> {
  let bridge: Bridge | undefined;
  let cases = 0;
  let runs = 0;
  for await (const { head, facts } of readRecording(path)) {
    if (head.protocol !== 'agent-runner')
      throw new RuncertError(
        'RUNCERT_BRIDGE',
        `This is a recording of ${head.protocol}, not of the AgentRunner protocol.`,
        {
          place: path,
          remedy: 'Name a recording of `runcert certify runner` or `runcert certify host`, or one of real traffic.',
        },
      );
    const [first] = facts;
    const id = first?.fact === 'case' ? first.id : undefined;
    if (options.case !== undefined && options.case !== id) continue;
    cases++;
    bridge ??= new Bridge(head.party === 'host' ? head.target.name : 'runcert', write);
    // Cases of a run have nothing to do with each other, whatever ids they share.
    const scope = id === undefined || options.case !== undefined ? '' : `${id}/`;
    const stories = storiesOf(head, facts);
    runs += stories.length;
    bridge.tell(stories, scope);
  }
  if (runs === 0)
    throw new RuncertError(
      'RUNCERT_BRIDGE',
      options.case === undefined
        ? 'The recording holds no run.'
        : `The recording holds no run in a case ${options.case}.`,
      {
        place: path,
        remedy: 'A run is a run_agent request and the results that answer it.',
      },
    );
  return { cases, runs };
}
