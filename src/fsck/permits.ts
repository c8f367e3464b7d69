// Rooms of workflows that limit how many of their executions run at the same time (contract-admin
// 9.7): who holds a place or waits for one is an execution that counts there, and an execution that
// counts there holds one or waits (invariants I8, I14). How many places are taken is not judged:
// what a person starts again takes one beyond the limit.
import { isTerminalWorkflow } from '../model/status.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import type { StoredExecution } from '../store/execution-store.js';
import { parseExecutionId, shardOf, type ExecutionId } from '../std/ids.js';
import { openExecution } from '../engine/load-execution.js';
import { shortIdOf } from '../redis/codec/short-id.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';
import { loadReadable } from './readable.js';
import { wakeOwner } from './wake-owner.js';

interface Guest {
  readonly room: string;
  readonly id: string;
}

/** Beats every number of a message: of an execution that is gone none will come. */
const lastNumber = Number.MAX_SAFE_INTEGER;

/** Places, and waits for them, of executions that do not count there. */
export function permitsCheck(parts: FsckParts): Check<Guest> {
  return {
    name: 'rooms',
    async ofKeys(found: readonly ParsedKey[]) {
      const guests: Guest[] = [];
      for (const key of found) {
        if (key.kind !== 'room') continue;
        for await (const ids of idsIn(parts, key)) {
          guests.push(...ids.map((id) => ({ room: key.name, id })));
        }
      }
      return guests;
    },
    async inspect(guests) {
      const suspects: Suspect<Guest>[] = [];
      for (const subject of guests) {
        const finding = await inspectGuest(parts, subject);
        if (finding !== undefined) suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

async function* idsIn(
  { reader }: FsckParts,
  { key, part }: Extract<ParsedKey, { kind: 'room' }>,
): AsyncGenerator<string[]> {
  if (part === 'asked') {
    for await (const some of reader.fields(key)) yield some.map(({ field }) => field);
  } else if (part === 'waiting') {
    for await (const some of reader.members(key)) yield some.map(({ member }) => member);
  } else yield* reader.elements(key);
}

async function inspectGuest(parts: FsckParts, guest: Guest): Promise<Finding | undefined> {
  const { room } = guest;
  const id = parseExecutionId(guest.id);
  const { isAsked, hasPlace, isWaiting } = await standingOf(parts, guest);
  if (!isAsked && !hasPlace && !isWaiting) return undefined;
  const stored = id && (await loadReadable(parts, id));
  if (stored !== undefined && (countsIn(stored, room) || isUnderWay(stored, room)))
    return undefined;
  const { keys } = parts.reader.redis;
  return {
    kind: 'place-orphan',
    subject: guest.id,
    keys: [keys.room(room, hasPlace ? 'taken' : 'waiting'), keys.room(room, 'asked')],
    sentence: `${guest.id} ${hasPlace ? 'holds' : 'waits for'} a place of a limit on executions and does not count there`,
    ...(id && { mend: () => leave(parts, room, id, stored) }),
  };
}

/** Its place goes to those that wait: their owners ask for them again, and learn of it so. */
async function leave(
  parts: FsckParts,
  room: string,
  id: ExecutionId,
  stored: StoredExecution | undefined,
): Promise<void> {
  const newest = stored?.execution.state.outboxCounter ?? lastNumber;
  const [asked] = await parts.reader.values(parts.reader.redis.keys.room(room, 'asked'), [id]);
  // A failover may have undone the message that asked, and kept the answer.
  const number = Math.max(newest, Number(asked ?? 0));
  const { untold } = await parts.permits.leave({ room, id, number });
  for (const next of untold) {
    const read = await readOf(parts, next);
    if (read !== undefined) await wakeOwner(parts, read);
  }
}

async function readOf(parts: FsckParts, id: ExecutionId): Promise<ReadExecution | undefined> {
  const stored = await loadReadable(parts, id);
  if (stored === undefined) return undefined;
  const { keys } = parts.reader.redis;
  const shard = shardOf(id, parts.shards);
  const [partition, shortId] = [keys.partitionOf(shard), shortIdOf(id)];
  const open = openExecution(stored.execution);
  return { id, shard, partition, shortId, key: keys.execution(shard, id), stored, open };
}

/** An execution that counts in a room and is not known there, or has a place and does not know. */
export async function checkPermit(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  const { id, key, stored } = read;
  const place = stored.execution.state.room;
  if (place === undefined || !countsIn(stored, place.room)) return [];
  if (isUnderWay(stored, place.room)) return [];
  const { hasPlace, isWaiting } = await standingOf(parts, { room: place.room, id });
  if (place.isHeld ? isWaiting : hasPlace) return [];
  const { keys } = parts.reader.redis;
  const common = { subject: id, keys: [key, keys.room(place.room, 'taken')] } as const;
  return [
    {
      ...common,
      kind: 'place-missing',
      sentence: place.isHeld
        ? `Execution ${id} is held back and ${hasPlace ? 'has a place' : 'does not wait for one'}`
        : `Execution ${id} runs and is not counted for the limit of its workflow`,
      // The owner asks for its place again.
      mend: () => wakeOwner(parts, read),
      byOwner: true,
    },
  ];
}

async function standingOf(
  { reader }: FsckParts,
  { room, id }: Guest,
): Promise<{ isAsked: boolean; hasPlace: boolean; isWaiting: boolean }> {
  const { keys, reads } = reader.redis;
  const [asked, taken, waiting] = await reads.callAll([
    ['HEXISTS', keys.room(room, 'asked'), id],
    ['SISMEMBER', keys.room(room, 'taken'), id],
    ['ZSCORE', keys.room(room, 'waiting'), id],
  ]);
  return { isAsked: asked === 1, hasPlace: taken === 1, isWaiting: waiting !== null };
}

function countsIn({ execution: { state } }: StoredExecution, room: string): boolean {
  return state.room?.room === room && !isTerminalWorkflow(state.status);
}

/** A message of the execution to the room is on its way. */
function isUnderWay({ execution: { outbox } }: StoredExecution, room: string): boolean {
  return [...outbox.values()].some((message) => 'room' in message && message.room === room);
}
