// The reference host in this process, on virtual time, behind a memory link.
import { hostSeat } from '../../targets/host.ts';
import { inProcessTarget } from '../../targets/in-process.ts';
import type { Target } from '../../targets/target.ts';
import { type ServeOptions, serveHost } from './serve.ts';

export type ReferenceHostOptions = Omit<ServeOptions, 'clock' | 'storage'>;

export function referenceHostTarget(options: ReferenceHostOptions = {}): Target {
  return inProcessTarget(hostSeat(), {
    kind: 'reference',
    serve: (link, { clock }) => {
      const { host } = serveHost(link, { ...options, clock });
      return () => host.close();
    },
  });
}
