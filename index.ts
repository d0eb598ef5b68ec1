// The library: write targets, drive them, judge recordings, read outcomes.
export { RuncertError } from './common/error.ts';
export { type Clock, realClock, VirtualClock } from './conformance/driving/clock.ts';
export { type Driven, type DriveOptions, drive } from './conformance/driving/drive.ts';
export type { Area, Mutant, Suite, Variant } from './conformance/driving/suite.ts';
export type { Clause } from './conformance/judging/clause.ts';
export { broken, type Finding, hold, type Judge, judge, kept, open } from './conformance/judging/judge.ts';
export { Outcome } from './conformance/judging/outcome.ts';
export { judgeRecording } from './conformance/judging/recorded.ts';
export { Fact, RecordingHead } from './conformance/recording/fact.ts';
export { suiteFor } from './conformance/suites.ts';
export {
  defineHost,
  defineRunner,
  HostApiError,
  type HostDefinition,
  type RunnerApi,
  type RunnerDefinition,
} from './conformance/targets/define.ts';
export type { Session, Target, TargetInfo } from './conformance/targets/target.ts';
export { type Handler, type Peer, Refusal } from './conformance/wire/peer.ts';
