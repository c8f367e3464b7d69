// Ways to break a keyspace by hand, each with what the check of it must say. The executions named
// `odd` are broken beyond what can be derived; all others must still complete afterwards.
import { EventKeys } from '../../../src/areas/events/keys.js';
import type { scheduleFindings } from '../../../src/areas/schedules/checks.js';
import type { outgoingFindings } from '../../../src/areas/outgoing/checks.js';
import { OutgoingKeys } from '../../../src/areas/outgoing/keys.js';
import type { webhookFindings } from '../../../src/areas/webhooks/checks.js';
import { WebhookKeys } from '../../../src/areas/webhooks/keys.js';
import { ScheduleKeys } from '../../../src/areas/schedules/keys.js';
import type { FindingKind } from '../../../src/fsck/finding.js';
import { FieldWriter } from '../../../src/redis/codec/field-writer.js';
import {
  decodeAttributes,
  decodeProgress,
  writeAttributes,
  writeProgress,
} from '../../../src/redis/codec/header-record.js';
import { writeMessage } from '../../../src/redis/codec/outbox-record.js';
import { Packer } from '../../../src/redis/codec/packer.js';
import { memberOf } from '../../../src/redis/codec/queue-record.js';
import { packRecord, packText } from '../../../src/redis/codec/record.js';
import { dueScore, indexScore, noWakeUp } from '../../../src/redis/codec/scores.js';
import { shortIdOf } from '../../../src/redis/codec/short-id.js';
import type { RedisClient } from '../../../src/redis/client.js';
import { executionIdOf, shardOf, taskIdOf, type ExecutionId } from '../../../src/std/ids.js';

export const shards = 256;

export interface Break {
  readonly kind:
    | FindingKind
    | keyof typeof outgoingFindings
    | keyof typeof scheduleFindings
    | keyof typeof webhookFindings;
  /** What becomes of it with `repairs`. */
  readonly fate: 'mended' | 'asked' | 'none';
  /** Resolves with the subject of the finding. */
  readonly apply: (hand: BreakingHand) => Promise<string>;
}

/** What breaks are made with. */
export class BreakingHand {
  constructor(
    readonly redis: RedisClient,
    /** Ids of executions by what they are. */
    readonly ids: { readonly [what: string]: string },
  ) {}

  get schedules(): ScheduleKeys {
    return new ScheduleKeys(this.redis.keys.prefix);
  }

  id(what: string): ExecutionId {
    return this.ids[what] as ExecutionId;
  }

  partition(what: string): number {
    return this.redis.keys.partitionOf(shardOf(this.id(what), shards));
  }

  key(what: string): string {
    return this.redis.keys.execution(shardOf(this.id(what), shards), this.id(what));
  }

  short(what: string): string {
    return shortIdOf(this.id(what));
  }

  /** Task id of its first task. */
  task(what: string): string {
    return taskIdOf(this.id(what), 1);
  }

  member(what: string): string {
    return memberOf({ taskId: taskIdOf(this.id(what), 1), reopenCount: 0 });
  }

  async do(command: string, ...args: (string | number | Buffer)[]): Promise<unknown> {
    return await this.redis.reads.callBuffer(command, ...args);
  }

  async field(what: string, name: string): Promise<Buffer> {
    return (await this.do('HGET', this.key(what), name)) as Buffer;
  }

  /** Writes one field of an execution that is a hash. */
  async write(what: string, write: (fields: FieldWriter) => void): Promise<void> {
    const packer = new Packer();
    write(new FieldWriter(packer));
    // A short name, then a string with a length of four bytes.
    const bytes = packer.take();
    const valueAt = 1 + ((bytes[0] as number) & 0x1f);
    const name = bytes.toString('utf8', 1, valueAt);
    const value = bytes.subarray(valueAt + 5);
    await this.do('HSET', this.key(what), name, value);
  }

  /** Key of a part of the room that `in-room` and `before-room` share. */
  async room(part: string): Promise<string> {
    const { room } = decodeProgress(await this.field('in-room', 'x'));
    return this.redis.keys.room(room?.room ?? '', part);
  }

  /** Makes its record say that it has ended. */
  async end(what: string): Promise<void> {
    const state = decodeProgress(await this.field(what, 'x'));
    await this.write(what, (fields) => writeProgress({ ...state, status: 'COMPLETED' }, fields));
  }
}

const type = { taskType: 'varied' };
const held = { taskType: 'varied_held' };
const limited = { taskType: 'varied_limited' };
const stranger = executionIdOf(7, Buffer.alloc(10, 9));
const far = String(Date.now() + 3_600_000);

const breaks: readonly Break[] = [
  {
    kind: 'queue-missing',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZREM', hand.redis.keys.ready(type), hand.member('scheduled'));
      return hand.task('scheduled');
    },
  },
  {
    kind: 'queue-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZADD', hand.redis.keys.ready(type), 1, hand.member('failed'));
      return hand.task('failed');
    },
  },
  {
    kind: 'queue-twice',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZADD', hand.redis.keys.hidden(type), 1, hand.member('keyed'));
      return hand.task('keyed');
    },
  },
  {
    kind: 'queue-unlisted',
    fate: 'mended',
    async apply(hand) {
      await hand.do('SREM', hand.redis.keys.queues(), '["varied","far"]');
      return '["varied","far"]';
    },
  },
  {
    kind: 'lease-missing',
    fate: 'mended',
    async apply(hand) {
      const { keys } = hand.redis;
      await hand.do('HDEL', keys.leases(held), hand.member('held'));
      await hand.do('ZREM', keys.leaseEnds(held), hand.member('held'));
      return hand.task('held');
    },
  },
  {
    kind: 'lease-end-missing',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZREM', hand.redis.keys.leaseEnds(limited), hand.member('limited-1'));
      return hand.task('limited-1');
    },
  },
  {
    kind: 'lease-end-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZADD', hand.redis.keys.leaseEnds(type), far, hand.member('fork'));
      return hand.task('fork');
    },
  },
  {
    kind: 'limits-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('HSET', hand.redis.keys.memberLimits(limited), hand.member('limited-1'), 'x');
      return hand.task('limited-1');
    },
  },
  {
    kind: 'slot-missing',
    fate: 'mended',
    async apply(hand) {
      const slots = hand.redis.keys.slots('varied_limited', 'varied_limited');
      await hand.do('ZREM', slots, hand.member('limited-1'));
      return hand.task('limited-1');
    },
  },
  {
    kind: 'slot-orphan',
    fate: 'mended',
    async apply(hand) {
      const slots = hand.redis.keys.slots('varied_limited', 'varied_limited');
      await hand.do('ZADD', slots, far, hand.member('limited-2'));
      return hand.task('limited-2');
    },
  },
  {
    kind: 'place-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('SADD', await hand.room('taken'), hand.id('completed'));
      await hand.do('HSET', await hand.room('asked'), hand.id('completed'), 1);
      return hand.id('completed');
    },
  },
  {
    kind: 'place-missing',
    fate: 'asked',
    async apply(hand) {
      await hand.do('SREM', await hand.room('taken'), hand.id('in-room'));
      return hand.id('in-room');
    },
  },
  {
    kind: 'place-missing',
    fate: 'asked',
    async apply(hand) {
      await hand.do('ZREM', await hand.room('waiting'), hand.id('before-room'));
      await hand.do('HDEL', await hand.room('asked'), hand.id('before-room'));
      return hand.id('before-room');
    },
  },
  {
    kind: 'index-missing',
    fate: 'mended',
    async apply(hand) {
      await hand.do(
        'ZREM',
        hand.redis.keys.all(hand.partition('completed')),
        hand.short('completed'),
      );
      return hand.id('completed');
    },
  },
  {
    kind: 'index-wrong',
    fate: 'mended',
    async apply(hand) {
      const named = hand.redis.keys.named(hand.partition('paused'), 'varied_fork');
      await hand.do('ZADD', named, indexScore('FAILED', 1), hand.short('paused'));
      return hand.id('paused');
    },
  },
  {
    kind: 'index-orphan',
    fate: 'mended',
    async apply(hand) {
      const { keys } = hand.redis;
      const open = keys.openOf(hand.partition('completed'), 'somebody');
      await hand.do('ZADD', open, 1, hand.short('completed'));
      return hand.id('completed');
    },
  },
  {
    kind: 'index-orphan',
    fate: 'mended',
    async apply(hand) {
      const partition = hand.redis.keys.partitionOf(7);
      await hand.do('ZADD', hand.redis.keys.all(partition), 1, shortIdOf(stranger));
      return stranger;
    },
  },
  {
    kind: 'index-orphan',
    fate: 'mended',
    async apply(hand) {
      const other = hand.redis.keys.correlated(hand.partition('leased'), 'another');
      await hand.do('ZADD', other, 1, hand.short('leased'));
      return hand.id('leased');
    },
  },
  {
    kind: 'timer-missing',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZREM', hand.redis.keys.due(hand.partition('wait')), hand.short('wait'));
      return hand.id('wait');
    },
  },
  {
    kind: 'timer-late',
    fate: 'mended',
    async apply(hand) {
      const { keys } = hand.redis;
      const place = keys.placeOf(shardOf(hand.id('timer'), shards));
      const score = dueScore(place, false, noWakeUp);
      await hand.do('ZADD', keys.due(hand.partition('timer')), score, hand.short('timer'));
      return hand.id('timer');
    },
  },
  {
    kind: 'timer-orphan',
    fate: 'mended',
    async apply(hand) {
      const due = hand.redis.keys.due(hand.redis.keys.partitionOf(7));
      await hand.do('ZADD', due, dueScore(0, false, noWakeUp), shortIdOf(stranger));
      return stranger;
    },
  },
  {
    kind: 'mark-orphan',
    fate: 'mended',
    async apply(hand) {
      const dirty = hand.redis.keys.dirty(hand.redis.keys.partitionOf(7));
      await hand.do('ZADD', dirty, 7, shortIdOf(stranger));
      return stranger;
    },
  },
  {
    kind: 'mark-missing',
    fate: 'mended',
    async apply(hand) {
      const childId = hand.id('child');
      await hand.write('wait', (fields) =>
        writeMessage(
          {
            id: 90,
            kind: 'command-other',
            targetId: childId,
            taskNumber: 1,
            reopenCount: 0,
            operation: { kind: 'decide' },
          },
          fields,
        ),
      );
      return hand.id('wait');
    },
  },
  {
    kind: 'outbox-target',
    fate: 'asked',
    async apply(hand) {
      await hand.write('human', (fields) =>
        writeMessage({ id: 91, kind: 'terminate-child', childId: stranger, reason: 'x' }, fields),
      );
      return hand.id('human');
    },
  },
  {
    kind: 'snapshot-count',
    fate: 'mended',
    async apply(hand) {
      const hash = decodeAttributes(await hand.field('timer', 'a')).snapshotHash;
      await hand.do(
        'HINCRBY',
        hand.redis.keys.partitionState(hand.partition('timer')),
        `s${hash}`,
        -1,
      );
      return hash;
    },
  },
  {
    kind: 'snapshot-orphan',
    fate: 'none',
    async apply(hand) {
      await hand.do('SET', hand.redis.keys.snapshot(3, 'abcdef0123456789'), packText('{}'));
      return 'abcdef0123456789';
    },
  },
  {
    kind: 'segment-orphan',
    fate: 'mended',
    async apply(hand) {
      const key = hand.redis.keys.segment(hand.key('fork'), 'abcdefabcdef');
      await hand.do('HSET', key, 't9', 'x');
      return key;
    },
  },
  {
    kind: 'idempotency-orphan',
    fate: 'none',
    async apply(hand) {
      const key = hand.redis.keys.idempotency(7, 'varied', 'nobody');
      await hand.do('SET', key, packRecord([1, stranger, 0]));
      return stranger;
    },
  },
  {
    kind: 'load-mark-orphan',
    fate: 'mended',
    async apply(hand) {
      const gone = executionIdOf(5, Buffer.alloc(10, 9));
      await hand.do('HSET', hand.redis.keys.loads(5), shortIdOf(gone), '3:');
      return gone;
    },
  },
  {
    kind: 'schedule-cursor-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('HSET', hand.schedules.cursors(), 'gone', packText('{}'));
      return 'gone';
    },
  },
  {
    kind: 'schedule-run-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZADD', hand.schedules.runOrder(), 1, 'no-run');
      return 'no-run';
    },
  },
  {
    kind: 'schedule-run-unlisted',
    fate: 'mended',
    async apply(hand) {
      const order = hand.schedules.runOrder();
      const [run] = (await hand.do('ZREVRANGE', order, 0, 0)) as [Buffer];
      await hand.do('ZREM', order, run);
      return run.toString();
    },
  },
  {
    kind: 'webhook-event-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZADD', new WebhookKeys(hand.redis.keys.prefix).eventsDue(), far, 'no-event');
      return 'no-event';
    },
  },
  {
    kind: 'delivery-unlisted',
    fate: 'mended',
    async apply(hand) {
      await hand.do(
        'HSET',
        new OutgoingKeys(hand.redis.keys.prefix).pending('lost'),
        'd-1',
        packText('{}'),
      );
      return 'd-1';
    },
  },
  {
    kind: 'delivery-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do('ZADD', new OutgoingKeys(hand.redis.keys.prefix).due('stray'), far, 'd-2');
      await hand.do('ZADD', new OutgoingKeys(hand.redis.keys.prefix).webhooks(), far, 'stray');
      return 'd-2';
    },
  },
  {
    kind: 'delivery-unseen',
    fate: 'mended',
    async apply(hand) {
      await hand.do(
        'HSET',
        new OutgoingKeys(hand.redis.keys.prefix).pending('unseen'),
        'd-3',
        packText('{}'),
      );
      await hand.do('ZADD', new OutgoingKeys(hand.redis.keys.prefix).due('unseen'), far, 'd-3');
      return 'unseen';
    },
  },
  {
    kind: 'dead-letter-unlisted',
    fate: 'mended',
    async apply(hand) {
      const letter = packText('{"diedAt":1}');
      await hand.do('HSET', new OutgoingKeys(hand.redis.keys.prefix).dead('lost'), 'd-4', letter);
      return 'd-4';
    },
  },
  {
    kind: 'dead-letter-orphan',
    fate: 'mended',
    async apply(hand) {
      await hand.do(
        'ZADD',
        new EventKeys(hand.redis.keys.prefix).deadLetters('handler').order,
        1,
        'd-5',
      );
      return 'd-5';
    },
  },
  {
    kind: 'webhook-wait-missing',
    fate: 'mended',
    async apply(hand) {
      const found = (await hand.do('KEYS', 'db:{wh}:*:waiting:*')) as Buffer[];
      await hand.do('DEL', ...found);
      return hand.task('webhook');
    },
  },
  {
    kind: 'human-task-wrong',
    fate: 'mended',
    async apply(hand) {
      await hand.do('HDEL', hand.redis.keys.humanTasks(), hand.task('human-2'));
      return hand.task('human-2');
    },
  },
  {
    kind: 'human-task-sets',
    fate: 'mended',
    async apply(hand) {
      const sets = (await hand.do(
        'HGET',
        hand.redis.keys.humanTaskSets(),
        hand.task('human'),
      )) as Buffer;
      const [first] = JSON.parse(sets.toString()) as [string];
      await hand.do('ZREM', hand.redis.keys.humanTaskSet(first), hand.task('human'));
      return hand.task('human');
    },
  },
  {
    kind: 'human-task-orphan',
    fate: 'mended',
    async apply(hand) {
      const { keys } = hand.redis;
      const entry = (await hand.do('HGET', keys.humanTasks(), hand.task('human'))) as Buffer;
      const task = hand.task('failed');
      await hand.do('HSET', keys.humanTasks(), task, entry);
      const sets = (await hand.do('HGET', keys.humanTaskSets(), hand.task('human'))) as Buffer;
      await hand.do('HSET', keys.humanTaskSets(), task, sets);
      for (const set of JSON.parse(sets.toString()) as string[]) {
        await hand.do('ZADD', keys.humanTaskSet(set), 1, task);
      }
      return task;
    },
  },
  {
    kind: 'terminal-open-tasks',
    fate: 'asked',
    async apply(hand) {
      await hand.end('odd-child-1');
      return hand.id('odd-child-1');
    },
  },
  {
    kind: 'child-end-lost',
    fate: 'none',
    apply: (hand) => Promise.resolve(hand.id('odd-parent-1')),
  },
  {
    kind: 'parent-disagrees',
    fate: 'none',
    async apply(hand) {
      const { attributes, snapshotHash } = decodeAttributes(await hand.field('odd-child-2', 'a'));
      await hand.write('odd-child-2', (fields) =>
        writeAttributes({ ...attributes, parentTaskNumber: 77 }, snapshotHash, fields),
      );
      return hand.id('odd-child-2');
    },
  },
  {
    kind: 'child-missing',
    fate: 'none',
    async apply(hand) {
      await hand.do('DEL', hand.key('odd-child-3'));
      return hand.id('odd-parent-3');
    },
  },
  {
    kind: 'record-unreadable',
    fate: 'none',
    async apply(hand) {
      await hand.do('HSET', hand.key('odd-1'), 'x', 'no record');
      return hand.id('odd-1');
    },
  },
  {
    kind: 'snapshot-missing',
    fate: 'none',
    async apply(hand) {
      const hash = decodeAttributes(await hand.field('odd-2', 'a')).snapshotHash;
      await hand.do('DEL', hand.redis.keys.snapshot(hand.partition('odd-2'), hash));
      return hash;
    },
  },
];

/** In this order none of them hides another. */
export function allBreaks(): readonly Break[] {
  return breaks;
}
