// The ways to name a target, for whoever lists them or says a command again.

/** Every kind of target, with its flags and what it is. */
export const TARGET_KINDS: readonly { readonly kind: string; readonly flags: string; readonly what: string }[] = [
  { kind: 'reference', flags: '--reference', what: 'the embedded reference, in this process' },
  {
    kind: 'mutant',
    flags: '--mutant ID',
    what: 'the embedded reference with one small break (`runcert list mutants`): what does a failing report look like?',
  },
  { kind: 'module', flags: '--module FILE', what: 'a runner or host written as a JS/TS module, in this process' },
  {
    kind: 'plugin',
    flags: '--plugin -- CMD ARG…',
    what: 'a plugin process on stdio; Runcert plays the Plugin Runtime',
  },
  {
    kind: 'plugin-listen',
    flags: '--plugin-listen ws://127.0.0.1:PORT/…',
    what: 'a plugin process that connects by WebSocket (the SDK’s debug mode)',
  },
  {
    kind: 'runtime',
    flags: '--runtime -- CMD ARG…',
    what: 'a Plugin Runtime on stdio; Runcert plays the Host. After `certify runtime`: an Agent Runtime, by its driver contract',
  },
  { kind: 'runtime-url', flags: '--runtime-url ws://…', what: 'the same by WebSocket' },
  { kind: 'host', flags: '--host -- CMD ARG…', what: 'a host on stdio, by the driver contract' },
  { kind: 'host-url', flags: '--host-url ws://…', what: 'a host by WebSocket, by the driver contract' },
  {
    kind: 'host-listen',
    flags: '--host-listen ws://127.0.0.1:PORT/…',
    what: 'a host that connects by WebSocket, by the driver contract',
  },
];
