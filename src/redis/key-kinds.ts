// Tells of a key what it holds, the other way round from keys.ts: for the check that goes over a
// whole keyspace.
import { shortIdLength } from './codec/short-id.js';
import { deadLettersIn, outgoingIn, partitionIn, roomIn, taskTypeIn } from './keys.js';

export type ParsedKey =
  | {
      readonly kind:
        'execution' | 'segment' | 'snapshot' | 'named' | 'correlated' | 'open-of' | 'idempotency';
      readonly key: string;
      readonly partition: number;
      /** Short id of the execution; content hash of the snapshot; else encoded names. */
      readonly name: string;
    }
  | {
      readonly kind: 'slots' | 'queue';
      readonly key: string;
      /** Encoded. */
      readonly taskType: string;
      /** Encoded: definition of the slots, domain of the queue. */
      readonly name: string;
    }
  | {
      readonly kind: 'room';
      readonly key: string;
      readonly name: string;
      readonly part: 'taken' | 'waiting' | 'untold' | 'asked';
    }
  /** Of an outgoing webhook, of an event handler; names are encoded. */
  | {
      readonly kind: 'deliveries' | 'given-up' | 'dead-letters' | 'node';
      readonly key: string;
      readonly name: string;
    };

/** The members of the sets of an outgoing webhook, by the part of the key that names the set. */
const outgoingKinds: ReadonlyMap<string, 'deliveries' | 'given-up'> = new Map([
  ['pending', 'deliveries'],
  ['due', 'deliveries'],
  ['dead', 'given-up'],
  ['died', 'given-up'],
]);

const queueParts = new Set(['ready', 'hidden', 'leases', 'ends', 'limits']);

/** undefined for a key of another kind, for example one that stands for itself. */
export function parseKey(prefix: string, key: string): ParsedKey | undefined {
  const rest = key.slice(prefix.length + 1);
  const inPartition = partitionIn(rest);
  if (inPartition !== undefined) return ofPartition(key, inPartition);
  const ofType = taskTypeIn(rest);
  if (ofType !== undefined) {
    const { taskType } = ofType;
    const [part = '', name = ''] = ofType.rest.split(':').slice(1);
    if (part === 'slots') return { kind: 'slots', key, taskType, name };
    return queueParts.has(part) ? { kind: 'queue', key, taskType, name } : undefined;
  }
  const outgoing = outgoingIn(rest);
  if (outgoing !== undefined) {
    const kind = outgoingKinds.get(outgoing.part);
    return kind && { kind, key, name: outgoing.webhook };
  }
  const inRoom = roomIn(rest);
  if (inRoom !== undefined) return ofRoom(key, inRoom);
  const handler = deadLettersIn(rest);
  if (handler !== undefined) return { kind: 'dead-letters', key, name: handler };
  const node = /^node:(.+)$/.exec(rest)?.[1];
  return node === undefined ? undefined : { kind: 'node', key, name: node };
}

/** Its limit, and marks of those that have left, say nothing of executions. */
function ofRoom(
  key: string,
  { room, part }: { room: string; part: string },
): ParsedKey | undefined {
  const isKnown = part === 'taken' || part === 'waiting' || part === 'untold' || part === 'asked';
  return isKnown ? { kind: 'room', key, name: room, part } : undefined;
}

function ofPartition(
  key: string,
  { partition, rest }: { partition: number; rest: string },
): ParsedKey | undefined {
  const [first = '', second = '', ...others] = rest.split(':');
  const name = others.join(':');
  if (first === 'snap') return { kind: 'snapshot', key, partition, name: second };
  if (second === 'name') return { kind: 'named', key, partition, name };
  if (second === 'corr') return { kind: 'correlated', key, partition, name };
  if (second === 'open') return { kind: 'open-of', key, partition, name };
  if (second === 'idem') return { kind: 'idempotency', key, partition, name };
  if (first.length !== shortIdLength) return undefined;
  if (second === '') return { kind: 'execution', key, partition, name: first };
  return second.startsWith('g') ? { kind: 'segment', key, partition, name: first } : undefined;
}
