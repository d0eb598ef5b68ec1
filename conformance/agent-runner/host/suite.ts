// The suite for hosts: clauses, stimuli by area, judges, and the reference host to try them on.
import type { Suite } from '../../driving/suite.ts';
import { assembleHost } from './assemble.ts';
import type { HostCase } from './view.ts';

export const hostSuite: Suite<HostCase> = {
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'host',
  clauses: [],
  areas: [],
  judges: [],
  assemble: assembleHost,
  reference: () => {
    throw new Error('The reference host is not there yet.');
  },
  mutants: [],
  variants: [],
};
