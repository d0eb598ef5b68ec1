// The reference host in this process, on virtual time, behind a memory link.
import { hostSeat } from '../../targets/host.ts';
import { inProcessTarget } from '../../targets/in-process.ts';
import type { Target } from '../../targets/target.ts';
import { type ServeOptions, serveHost } from './serve.ts';

export type ReferenceHostOptions = Omit<ServeOptions, 'clock' | 'storage'>;

/** Options that are a function are made anew for each connection. */
export function referenceHostTarget(options: ReferenceHostOptions | (() => ReferenceHostOptions) = {}): Target {
  return inProcessTarget(hostSeat(), {
    kind: 'reference',
    serve: (link, { clock }) => {
      const { host } = serveHost(link, { ...(typeof options === 'function' ? options() : options), clock });
      return () => host.close();
    },
  });
}
