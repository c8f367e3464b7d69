// Task queues in Redis (invariants M7 to M11). An attempt is a member of exactly one of three
// places of its queue: ready (sorted by urgency, then first in, first out), hidden until a moment,
// or leased. Limits of a definition are counted over all queues of its type: a slot is a lease
// that has not ended, a rate window remembers its hand-outs. A script that meets a definition with
// limits that it was not told of (limited-definitions.ts) answers with its name, and the call is
// repeated; every call here may be repeated.
import { groupBy } from '../std/group-by.js';
import type { QueueName } from '../engine/decision.js';
import type {
  Attempt,
  AttemptLimits,
  LeaseRecord,
  LimitUse,
  PopResult,
  Popped,
  QueueHead,
  Push,
  QueueStore,
} from '../store/queue-store.js';
import { StoreError } from '../store/execution-store.js';
import type { RedisClient } from './client.js';
import type { Argument } from './encoded-call.js';
import { LimitedDefinitions } from './limited-definitions.js';
import {
  readAhead,
  readLeasedPage,
  readLimitUse,
  readHeldByWorker,
  readOldestReady,
  readSizes,
} from './queue-insight.js';
import {
  decodeLease,
  isLimited,
  memberOf,
  packLimits,
  parseMember,
  parseQueueText,
  queueText,
  scorePerUrgency,
  urgencyClass,
} from './codec/queue-record.js';
import { packEnvelope } from './codec/envelope.js';
import type { PackValue } from './codec/packer.js';
import { allMembers } from './scans.js';
import { Script } from './script.js';
import { partsOf } from '../std/parts.js';

const pushScript = Script.named('push');
const popScript = Script.named('pop');
const confirmScript = Script.named('confirm');
const giveBackScript = Script.named('give-back');
const finishScript = Script.named('finish');

/** Score of a hidden member: scripts/lib/queue.lua. */
const hiddenScorePerMs = 128;

const membersPerCallMax = 500;
/** Queues that one command adds to their list. */
const namesPerCallMax = 500;
/**
 * Each repetition learns all names that were missing; more can only come from pushes of other nodes
 * meanwhile.
 */
const repetitionsMax = 10;
/** An ended full lease that nobody has finished is returned again after this time. */
const endedAgainMs = 5_000;

export class RedisQueueStore implements QueueStore {
  readonly #limited: LimitedDefinitions;

  constructor(private readonly redis: RedisClient) {
    this.#limited = new LimitedDefinitions(redis.keys);
  }

  async push(pushes: readonly Push[]): Promise<void> {
    const byQueue = groupBy(pushes, (push) => queueText(push.queue));
    for (const push of pushes) {
      if (push.limits && isLimited(push.limits)) {
        this.#limited.learn(push.queue.taskType, [push.limits.defName]);
      }
    }
    await this.#register([...byQueue.keys()]);
    let groups = [...byQueue.values()].flatMap((group) => partsOf(group, membersPerCallMax));
    for (let repetition = 0; groups.length > 0; repetition++) {
      groups = await this.#pushGroups(groups);
      if (repetition === repetitionsMax) throw tooManyRepetitions();
    }
  }

  /** One script call per group, all in one write; returns the groups to send again. */
  async #pushGroups(groups: readonly Push[][]): Promise<Push[][]> {
    const offset = this.redis.timeOffsetMs;
    const replies = await this.redis.queues.runAll(
      groups.map((group) => {
        const { queue } = group[0] as Push;
        const names = this.#limited.names(queue.taskType);
        const packed = packEnvelope(
          group.map((push) => [
            memberOf(push.attempt),
            urgencyClass(push.priority),
            push.visibleAt,
            packLimits(push.limits),
            push.givenBackAtPoll,
          ]),
        );
        return {
          script: pushScript,
          keys: [...this.#waitingKeys(queue), ...this.#limited.keys(queue.taskType, names)],
          args: [offset, packed, packEnvelope(names)],
        };
      }),
    );
    return groups.filter((group, index) =>
      this.#limited.learn(
        (group[0] as Push).queue.taskType,
        (replies[index] as Buffer[]).map(String),
      ),
    );
  }

  async pop(queue: QueueName, count: number, provisionalLeaseMs: number): Promise<PopResult> {
    const popped: Popped[] = [];
    const wanted = Math.min(Math.max(1, count), membersPerCallMax);
    for (let repetition = 0; repetition <= repetitionsMax; repetition++) {
      const names = this.#limited.names(queue.taskType);
      const reply = (await this.redis.queues.run(
        popScript,
        [...this.#waitingKeys(queue), ...this.#limited.keys(queue.taskType, names)],
        [this.redis.timeOffsetMs, wanted - popped.length, provisionalLeaseMs, packEnvelope(names)],
      )) as [(Buffer | number)[], number, number, Buffer, Buffer[]];
      const [taken, more, nextVisibleAt, blocked, unknown] = reply;
      for (let i = 0; i < taken.length; i += 2) {
        const attempt = parseMember(String(taken[i]));
        popped.push({ attempt, leaseNumber: taken[i + 1] as number });
      }
      const learned = this.#limited.learn(queue.taskType, unknown.map(String));
      if (learned && popped.length < wanted) continue;
      const blockedBy = blocked.toString();
      return {
        popped,
        moreReady: more === 1,
        nextVisibleAt,
        blockedBy: blockedBy === 'concurrency' || blockedBy === 'rate' ? blockedBy : undefined,
      };
    }
    throw tooManyRepetitions();
  }

  async head(queue: QueueName, limit: number): Promise<QueueHead> {
    const { keys } = this.redis;
    const [ready, hasLimits, hidden] = (await this.redis.queues.callAll([
      ['ZRANGE', keys.ready(queue), 0, limit, 'WITHSCORES'],
      ['EXISTS', keys.memberLimits(queue)],
      ['ZRANGE', keys.hidden(queue), 0, 0, 'WITHSCORES'],
    ])) as [Buffer[], number, Buffer[]];
    const members: { attempt: Attempt; urgency: number }[] = [];
    for (let i = 0; i < Math.min(ready.length, 2 * limit); i += 2) {
      const urgency = Math.floor(Number(ready[i + 1]) / scorePerUrgency);
      members.push({ attempt: parseMember(String(ready[i])), urgency });
    }
    const visibleAt = hidden.length === 0 ? 0 : Math.floor(Number(hidden[1]) / hiddenScorePerMs);
    const isDue = visibleAt !== 0 && visibleAt <= (await this.redis.now());
    return {
      members,
      hasMore: ready.length > 2 * limit,
      needsScript: hasLimits === 1 ? 'always' : isDue ? 'once' : 'no',
      nextVisibleAt: isDue ? 0 : visibleAt,
    };
  }

  async confirm(queue: QueueName, leases: readonly LeaseRecord[]): Promise<boolean[]> {
    const isSet: boolean[] = [];
    for (const group of partsOf(leases, membersPerCallMax)) {
      const set = await this.#setLeases(
        queue,
        group.map((lease) => [
          memberOf(lease.attempt),
          lease.leaseNumber,
          lease.endAt,
          lease.workerId ?? false,
          lease.startAt,
          lease.pollCount,
        ]),
      );
      isSet.push(...set);
    }
    return isSet;
  }

  async extend(queue: QueueName, attempt: Attempt, endAt: number): Promise<boolean> {
    const [isSet = false] = await this.#setLeases(queue, [[memberOf(attempt), 0, endAt]]);
    return isSet;
  }

  async #setLeases(queue: QueueName, leases: readonly PackValue[]): Promise<boolean[]> {
    const { keys } = this.redis;
    const places = [keys.leases(queue), keys.leaseEnds(queue)];
    const packed = packEnvelope(leases);
    const [set] = await this.#repeat<[number[], Buffer[]]>(
      queue,
      confirmScript,
      places,
      (names) => [this.redis.timeOffsetMs, packed, names],
      (reply) => reply[1],
    );
    return set.map((one) => one === 1);
  }

  async giveBack(queue: QueueName, popped: readonly Popped[]): Promise<void> {
    for (const group of partsOf(popped, membersPerCallMax)) {
      const failed = group.map(({ attempt, leaseNumber }) => [memberOf(attempt), leaseNumber]);
      await this.#giveBack(queue, failed, 0);
    }
  }

  async endedLeases(
    queue: QueueName,
    limit: number,
  ): Promise<{ ended: Attempt[]; nextEndAt: number }> {
    return await this.#giveBack(queue, [], Math.min(limit, membersPerCallMax));
  }

  async #giveBack(
    queue: QueueName,
    failed: readonly PackValue[],
    endedMax: number,
  ): Promise<{ ended: Attempt[]; nextEndAt: number }> {
    const { keys } = this.redis;
    const places = [
      keys.queueState(queue.taskType),
      keys.ready(queue),
      keys.leases(queue),
      keys.leaseEnds(queue),
      keys.memberLimits(queue),
    ];
    const ended: Attempt[] = [];
    const packed = packEnvelope(failed);
    const [, nextEndAt] = await this.#repeat<[Buffer[], number, Buffer[]]>(
      queue,
      giveBackScript,
      places,
      (names) => [this.redis.timeOffsetMs, packed, endedMax, names, endedAgainMs],
      (reply) => {
        for (const member of reply[0]) ended.push(parseMember(member.toString()));
        return reply[2];
      },
    );
    return { ended, nextEndAt };
  }

  async finish(queue: QueueName, attempts: readonly Attempt[]): Promise<boolean> {
    const { keys } = this.redis;
    const places = [
      keys.ready(queue),
      keys.hidden(queue),
      keys.leases(queue),
      keys.leaseEnds(queue),
      keys.memberLimits(queue),
    ];
    for (const group of partsOf(attempts, membersPerCallMax)) {
      const packed = packEnvelope(group.map(memberOf));
      await this.#repeat<Buffer[]>(
        queue,
        finishScript,
        places,
        (names) => [packed, names],
        (reply) => reply,
      );
    }
    return this.#limited.names(queue.taskType).length > 0;
  }

  async leases(
    queue: QueueName,
    attempts: readonly Attempt[],
  ): Promise<(LeaseRecord | undefined)[]> {
    const found: (LeaseRecord | undefined)[] = [];
    for (const group of partsOf(attempts, membersPerCallMax)) {
      const records = (await this.redis.queues.callBuffer(
        'HMGET',
        this.redis.keys.leases(queue),
        ...group.map(memberOf),
      )) as (Buffer | null)[];
      group.forEach((attempt, index) => {
        const bytes = records[index];
        found.push(bytes ? decodeLease(attempt, bytes) : undefined);
      });
    }
    return found;
  }

  async leasedPage(
    queue: QueueName,
    cursor: string,
    limit: number,
  ): Promise<{ attempts: Attempt[]; next: string }> {
    return await readLeasedPage(this.redis, queue, { cursor, limit });
  }

  /** One that a failover took off the list, though this node has used it, is put there again. */
  async queues(): Promise<QueueName[]> {
    const texts = await allMembers(this.redis.reads, this.redis.keys.queues());
    const missing = this.redis.knownQueues.missingIn(texts);
    await this.#list(missing);
    return [...texts, ...missing].map(parseQueueText);
  }

  async size(queue: QueueName): Promise<number> {
    const [sizes] = await this.sizes([queue]);
    return sizes?.waiting ?? 0;
  }

  sizes(queues: readonly QueueName[]): Promise<{ waiting: number; leased: number }[]> {
    return readSizes(this.redis, queues);
  }

  oldestReady(queues: readonly QueueName[]): Promise<(number | undefined)[]> {
    return readOldestReady(this.redis, queues);
  }

  heldByWorker(queues: readonly QueueName[]): Promise<ReadonlyMap<string, number>[]> {
    return readHeldByWorker(this.redis, queues);
  }

  async contains(queue: QueueName, attempts: readonly Attempt[]): Promise<boolean[]> {
    const { keys } = this.redis;
    const found: boolean[] = [];
    for (const group of partsOf(attempts, membersPerCallMax)) {
      const members = group.map(memberOf);
      const [ready, hidden] = (await this.redis.reads.callAll([
        ['ZMSCORE', keys.ready(queue), ...members],
        ['ZMSCORE', keys.hidden(queue), ...members],
      ])) as [(Buffer | null)[], (Buffer | null)[]];
      group.forEach((_, index) => found.push(ready[index] !== null || hidden[index] !== null));
    }
    return found;
  }

  ahead(queue: QueueName, attempts: readonly Attempt[]): Promise<(number | undefined)[]> {
    return readAhead(this.redis, queue, attempts);
  }

  limitUse(
    queue: QueueName,
    limits: AttemptLimits,
    options: { now: number; holdersMax: number },
  ): Promise<LimitUse> {
    return readLimitUse(this.redis, queue, limits, options);
  }

  /**
   * Runs a script until it knows all names that it needs; `unknownOf` sees every reply. Returns the
   * last one.
   */
  async #repeat<Reply>(
    queue: QueueName,
    script: Script,
    places: readonly string[],
    argsOf: (names: Buffer) => Argument[],
    unknownOf: (reply: Reply) => Buffer[],
  ): Promise<Reply> {
    for (let repetition = 0; repetition <= repetitionsMax; repetition++) {
      const names = this.#limited.names(queue.taskType);
      const keys = [...places, ...this.#limited.keys(queue.taskType, names)];
      const reply = (await this.redis.queues.run(
        script,
        keys,
        argsOf(packEnvelope(names)),
      )) as Reply;
      if (!this.#limited.learn(queue.taskType, unknownOf(reply).map(String))) return reply;
    }
    throw tooManyRepetitions();
  }

  #waitingKeys(queue: QueueName): string[] {
    const { keys } = this.redis;
    return [
      keys.queueState(queue.taskType),
      keys.ready(queue),
      keys.hidden(queue),
      keys.leases(queue),
      keys.leaseEnds(queue),
      keys.memberLimits(queue),
    ];
  }

  /** The list of queues learns of a queue before its first member. */
  async #register(texts: readonly string[]): Promise<void> {
    const { knownQueues } = this.redis;
    await this.#list(texts.filter((text) => !knownQueues.has(text)));
    for (const text of texts) knownQueues.add(text);
  }

  async #list(texts: readonly string[]): Promise<void> {
    for (const some of partsOf(texts, namesPerCallMax)) {
      await this.redis.queues.call('SADD', this.redis.keys.queues(), ...some);
    }
  }
}

function tooManyRepetitions(): StoreError {
  return new StoreError('unclear', 'The queue kept naming definitions that it was not told');
}
