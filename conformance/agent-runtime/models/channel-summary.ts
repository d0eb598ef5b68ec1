// channel_summary: remote peers, how far each has acknowledged, and permission requests under way to it.
// A lost channel says nothing about the work behind it.
import type { RuntimeEvent } from '../event.ts';
import { defineModel, honest, keepIn, known, type Seen, type Step, seenAt, values } from './model.ts';

const CHANNELS = 100;
const BRIDGED = 50;

interface Channel extends Seen {
  channelId: string;
  status: string;
  transport: string | undefined;
  peerRole: string | undefined;
  nativeProtocol: string | undefined;
  remoteTaskId: string | undefined;
  cursor: unknown;
  acknowledged: number | undefined;
  lastSeenAt: string | undefined;
  reason: string | undefined;
}

interface Bridged {
  key: string;
  channelId: string;
  status: 'pending' | 'returned';
  decision: string | undefined;
}

export interface ChannelState {
  channels: Map<string, Channel>;
  pending: Map<string, Bridged>;
  returned: Map<string, Bridged>;
}

const onChannel =
  (step: (channel: Channel, event: RuntimeEvent, state: ChannelState) => void): Step<ChannelState> =>
  (state, event) => {
    const channelId = event.id('channelId');
    if (channelId === undefined) return;
    if (!state.channels.has(channelId)) {
      const fresh: Channel = {
        channelId,
        status: 'unknown',
        transport: undefined,
        peerRole: undefined,
        nativeProtocol: undefined,
        remoteTaskId: undefined,
        cursor: undefined,
        acknowledged: undefined,
        lastSeenAt: undefined,
        reason: undefined,
        seen: seenAt(event),
      };
      keepIn(state.channels, channelId, fresh, CHANNELS);
    }
    const channel = state.channels.get(channelId)!;
    channel.seen = seenAt(event);
    channel.lastSeenAt = event.text('lastSeenAt', 'channel') ?? event.timestamp ?? channel.lastSeenAt;
    channel.transport = event.text('transport', 'channel') ?? channel.transport;
    channel.peerRole = event.text('peerRole', 'channel') ?? channel.peerRole;
    channel.nativeProtocol = event.text('nativeProtocol', 'channel') ?? channel.nativeProtocol;
    channel.remoteTaskId = event.text('remoteTaskId', 'channel') ?? channel.remoteTaskId;
    channel.cursor = event.get('cursor', 'channel') ?? channel.cursor;
    const acknowledged = event.number('lastAcknowledgedSequence', 'channel');
    if (acknowledged !== undefined) channel.acknowledged = Math.max(acknowledged, channel.acknowledged ?? 0);
    step(channel, event, state);
  };

const becomes = (status: string): Step<ChannelState> =>
  onChannel((channel, event) => {
    channel.status = status;
    channel.reason = event.text('reason', 'channel');
  });

/** A request and its answer belong together by the action, the call or the process that they are about. */
const bridgeKey = (channel: Channel, event: RuntimeEvent): string =>
  `${channel.channelId} ${event.actionId ?? event.toolCallId ?? event.id('processId') ?? event.id('requestId') ?? ''}`;

export const channelSummary = defineModel({
  name: 'channel_summary',
  initial: (): ChannelState => ({ channels: new Map(), pending: new Map(), returned: new Map() }),
  on: {
    'channel.connected': becomes('connected'),
    'channel.resumed': becomes('connected'),
    'channel.disconnected': becomes('disconnected'),
    'channel.message': onChannel(() => {}),
    'channel.permission_forwarded': onChannel((channel, event, state) => {
      const key = bridgeKey(channel, event);
      if (!state.returned.has(key))
        keepIn(
          state.pending,
          key,
          { key, channelId: channel.channelId, status: 'pending', decision: undefined },
          BRIDGED,
        );
    }),
    'channel.permission_returned': onChannel((channel, event, state) => {
      const key = bridgeKey(channel, event);
      state.pending.delete(key);
      keepIn(
        state.returned,
        key,
        { key, channelId: channel.channelId, status: 'returned', decision: event.text('decision') },
        BRIDGED,
      );
    }),
  },
  show: (state, fresh) => ({
    status: state.channels.size === 0 ? 'unknown' : 'known',
    channels: values(state.channels).map((channel) => ({
      channel_id: channel.channelId,
      ...honest(channel.status, channel, fresh),
      transport: known(channel.transport),
      peer_role: known(channel.peerRole),
      native_protocol: known(channel.nativeProtocol),
      remote_task_id: known(channel.remoteTaskId),
      resume_cursor: known(channel.cursor),
      last_acknowledged_sequence: known(channel.acknowledged),
      last_seen_at: known(channel.lastSeenAt),
      reason: known(channel.reason),
    })),
    permission_bridge: [...values(state.returned), ...values(state.pending)].map(
      ({ key, channelId, status, decision }) => ({
        channel_id: channelId,
        about: key.slice(channelId.length + 1) || 'unknown',
        status,
        decision: known(decision),
      }),
    ),
    freshness: fresh,
  }),
});
