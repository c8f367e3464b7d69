// The counters of concurrency limits: a slot is a lease that has not ended (invariants I8, M10), so
// each slot has its lease, each limited lease its slot, and no more slots are in use than the
// definition allows.
import { attemptLimits } from '../engine/worker-queue.js';
import type { QueueName } from '../engine/decision.js';
import {
  decodeLease,
  isLimitedLease,
  parseMember,
  parseQueueText,
} from '../redis/codec/queue-record.js';
import { encodeName } from '../redis/key-names.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import { executionOf, numberOf } from '../std/ids.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';
import { loadReadable } from './readable.js';

interface SlotSet {
  readonly key: string;
  /** Encoded. */
  readonly taskType: string;
}

/** Slots whose lease has gone, and more of them than allowed. */
export function slotsCheck(parts: FsckParts): Check<SlotSet> {
  return {
    name: 'slots of limits',
    ofKeys: (keys: readonly ParsedKey[]) =>
      keys.flatMap((key) =>
        key.kind === 'slots' ? [{ key: key.key, taskType: key.taskType }] : [],
      ),
    async inspect(sets) {
      const suspects: Suspect<SlotSet>[] = [];
      for (const subject of sets) {
        const findings = await inspectSlots(parts, subject);
        for (const finding of findings) suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

async function inspectSlots(parts: FsckParts, { key, taskType }: SlotSet): Promise<Finding[]> {
  const { reader } = parts;
  const { keys } = reader.redis;
  const queues = (await parts.queues.queues()).filter(
    (queue) => encodeName(queue.taskType) === taskType,
  );
  const findings: Finding[] = [];
  let inUse = 0;
  let allowed: number | undefined;
  for await (const some of reader.members(key)) {
    for (const { member, score } of some) {
      if (score <= parts.now()) continue;
      inUse += 1;
      const found = await leaseIn(parts, queues, member);
      if (found !== undefined && isLimitedLease(found)) {
        allowed ??= await allowedBy(parts, member);
        continue;
      }
      const [queue] = queues;
      const basis = queue && { key: keys.leases(queue), field: member, value: undefined };
      const { taskId } = parseMember(member);
      findings.push({
        kind: 'slot-orphan',
        subject: taskId,
        keys: [key],
        sentence: `${taskId} holds a slot of a concurrency limit without a lease`,
        ...(basis && { mend: () => reader.mend(basis, [['ZREM', key, member]]) }),
      });
    }
  }
  if (findings.length > 0 || allowed === undefined || inUse <= allowed) return findings;
  const sentence = `${inUse} slots of a limit of ${allowed} are in use`;
  return [{ kind: 'limit-exceeded', subject: key, keys: [key], sentence }];
}

async function leaseIn(
  { reader }: FsckParts,
  queues: readonly QueueName[],
  member: string,
): Promise<Buffer | undefined> {
  for (const queue of queues) {
    const [lease] = await reader.values(reader.redis.keys.leases(queue), [member]);
    if (lease !== undefined) return lease;
  }
  return undefined;
}

/** The limit as the attempt's execution keeps it; undefined: none is known. */
async function allowedBy(parts: FsckParts, member: string): Promise<number | undefined> {
  const limit = (await limitsOf(parts, member))?.concurrentExecLimit ?? 0;
  return limit > 0 ? limit : undefined;
}

async function limitsOf(
  parts: FsckParts,
  member: string,
): Promise<ReturnType<typeof attemptLimits>> {
  const { taskId } = parseMember(member);
  const stored = await loadReadable(parts, executionOf(taskId));
  const task = stored?.execution.tasks.find(({ number }) => number === numberOf(taskId));
  return task && attemptLimits(task);
}

interface LeasePlace {
  readonly queue: QueueName;
  readonly member: string;
}

/** Limited leases that no slot counts. */
export function limitedLeasesCheck(parts: FsckParts): Check<LeasePlace> {
  const { reader } = parts;
  const { keys } = reader.redis;
  return {
    name: 'limited leases',
    async *walk() {
      for await (const texts of reader.elements(keys.queues())) {
        for (const queue of texts.map(parseQueueText)) {
          for await (const some of reader.fields(keys.leases(queue))) {
            yield some
              .filter(({ value }) => isLimitedLease(value))
              .map(({ field }) => ({ queue, member: field }));
          }
        }
      }
    },
    async inspect(places) {
      const suspects: Suspect<LeasePlace>[] = [];
      for (const subject of places) {
        const finding = await inspectLease(parts, subject);
        if (finding !== undefined) suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

/** The score of the slot of a lease without end (scripts/lib/queue.lua). */
const endless = Number.MAX_SAFE_INTEGER;

async function inspectLease(
  parts: FsckParts,
  { queue, member }: LeasePlace,
): Promise<Finding | undefined> {
  const { reader } = parts;
  const { keys } = reader.redis;
  const [lease] = await reader.values(keys.leases(queue), [member]);
  if (lease === undefined || !isLimitedLease(lease)) return undefined;
  const { endAt } = decodeLease(parseMember(member), lease);
  const limits = await limitsOf(parts, member);
  if (limits === undefined || (endAt !== 0 && endAt <= parts.now())) return undefined;
  const slots = keys.slots(queue.taskType, limits.defName);
  const [score] = await reader.scores([{ key: slots, member }]);
  if (score !== undefined) return undefined;
  const { taskId } = parseMember(member);
  const basis = { key: keys.leases(queue), field: member, value: lease };
  const until = String(endAt === 0 ? endless : endAt);
  return {
    kind: 'slot-missing',
    subject: taskId,
    keys: [slots, keys.leases(queue)],
    sentence: `The lease of ${taskId} is not counted for the limits of ${limits.defName}`,
    mend: () => reader.mend(basis, [['ZADD', slots, until, member]]),
  };
}
