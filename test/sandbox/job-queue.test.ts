import { describe, expect, it } from 'vitest';
import {
  noScriptQuotas,
  ScriptQuotas,
  type ScriptQuotaSettings,
} from '../../src/sandbox/script-quotas.js';
import { JobQueue, type Waiting } from '../../src/sandbox/job-queue.js';
import type { ScriptShare } from '../../src/sandbox/script-share.js';
import { parseWeights } from '../../src/std/weights.js';

const someone: ScriptShare = { caller: 'someone', definition: 'd' };

function waiting(source: string, isLong: boolean, share = someone): Waiting {
  const job = { language: 'javascript', source, inputText: 'x'.repeat(10) } as const;
  const limits = { timeMsMax: 1, memoryBytesMax: 1, outputCharsMax: 1 };
  return { job: { ...job, ...limits }, share, isLong, resolve: () => undefined };
}

function newQueue(quotas: Partial<ScriptQuotaSettings> = {}, now = (): number => 0): JobQueue {
  return new JobQueue(1, new ScriptQuotas({ ...noScriptQuotas, ...quotas }), now);
}

function take(queue: JobQueue): Waiting {
  const next = queue.take();
  if (next === undefined) throw new Error('There is none');
  return next;
}

/**
 * Sources in the order in which jobs are taken, as many as may run at once; with `ends`, each ends
 * before the next is taken.
 */
function taken(queue: JobQueue, ends: boolean): string[] {
  const sources: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    sources.push(next.job.source);
    if (ends) queue.done(next);
  }
  return sources;
}

describe('waiting scripts', () => {
  it('are taken in turns by source when they are long, so that one source does not hold up another', () => {
    const queue = newQueue();
    for (const source of ['a', 'a', 'a', 'b', 'c', 'b']) queue.push(waiting(source, true));
    expect(queue.size).toBe(6);
    expect(queue.chars).toBe(60);
    expect(taken(queue, true)).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect(queue.chars).toBe(0);
  });

  it('leave a worker to the short ones while long ones run', () => {
    const queue = newQueue();
    for (const source of ['long 1', 'long 2', 'long 3']) queue.push(waiting(source, true));
    for (const source of ['short 1', 'short 2', 'short 3']) queue.push(waiting(source, false));
    expect(taken(queue, false)).toEqual(['long 1', 'short 1', 'short 2', 'short 3']);
    expect(queue.hasNext).toBe(false);
    expect(queue.removeAll().map(({ job }) => job.source)).toEqual(['long 2', 'long 3']);
    expect([queue.size, queue.chars]).toEqual([0, 0]);
  });

  it('take turns between long and short ones where each ends before the next, so that neither kind starves', () => {
    const queue = newQueue();
    for (const source of ['l1', 'l2']) queue.push(waiting(source, true));
    for (const source of ['s1', 's2', 's3']) queue.push(waiting(source, false));
    expect(taken(queue, true)).toEqual(['l1', 's1', 'l2', 's2', 's3']);
  });

  it.each([true, false])(
    'of many callers share the time evenly, however many of one wait (long: %s)',
    (isLong) => {
      const queue = newQueue();
      const flooder = { caller: 'flooder', definition: 'd' };
      for (let at = 0; at < 50; at++) queue.push(waiting(`f${at}`, isLong, flooder));
      queue.push(waiting('mine', isLong, { caller: 'neighbour', definition: 'd' }));
      const first = take(queue);
      queue.done(first, 4000);
      expect(take(queue).job.source).toBe('mine');
    },
  );

  it.each([true, false])('of callers go by their weights (long: %s)', (isLong) => {
    const queue = new JobQueue(
      1,
      new ScriptQuotas(noScriptQuotas),
      () => 0,
      parseWeights('--caller-weights', ['app:big=3']),
    );
    for (let at = 0; at < 40; at++) {
      queue.push(waiting('b', isLong, { caller: 'app:big', definition: 'd' }));
      queue.push(waiting('s', isLong, { caller: 'app:small', definition: 'd' }));
    }
    const next = Array.from({ length: 40 }, () => {
      const taken = take(queue);
      queue.done(taken, 10);
      return taken.job.source;
    });
    expect(next.filter((source) => source === 'b')).toHaveLength(30);
  });

  it('of one caller share its time by definition, and those of a quick one go before slow ones', () => {
    const queue = newQueue();
    const slow = { caller: 'c', definition: 'slow' };
    const quick = { caller: 'c', definition: 'quick' };
    for (let at = 0; at < 10; at++) queue.push(waiting(`s${at}`, false, slow));
    queue.done(take(queue), 100);
    for (let at = 0; at < 10; at++) queue.push(waiting(`q${at}`, false, quick));
    const next = Array.from({ length: 10 }, () => {
      const taken = take(queue);
      queue.done(taken, 1);
      return taken.job.source[0];
    });
    expect(next.join('')).toBe('q'.repeat(10));
  });

  it('of one caller leave room for those of others, where callers have names', () => {
    const queue = newQueue();
    while (queue.hasRoom(someone, 10)) queue.push(waiting('x', false));
    expect(queue.size).toBe(5000);
    expect(queue.hasRoom({ caller: 'other', definition: 'd' }, 10)).toBe(true);
  });

  it('are known again by their source, also a long one', () => {
    const queue = newQueue();
    const long = 'y'.repeat(10_000);
    queue.rememberLong(waiting(long, false).job);
    expect(queue.isKnownLong(waiting(long, false).job)).toBe(true);
    expect(queue.isKnownLong(waiting(`${long}y`, false).job)).toBe(false);
  });

  it('of a caller whose time is used up wait for it, and those of others do not', () => {
    let now = 0;
    const queue = newQueue({ callerScriptMsPerSecondMax: 100 }, () => now);
    const flooder = { caller: 'flooder', definition: 'd' };
    for (const source of ['f1', 'f2', 'f3']) queue.push(waiting(source, false, flooder));
    queue.push(waiting('own', false, { caller: '', definition: '' }));
    queue.done(take(queue), 250);
    queue.push(waiting('mine', false, { caller: 'neighbour', definition: 'd' }));
    expect(taken(queue, true).sort()).toEqual(['mine', 'own']);
    expect(queue.take()).toBeUndefined();
    // 150 ms beyond the first second's 100, and one to begin with, at 100 ms a second.
    expect(queue.heldMs).toBe(1510);
    now = 1510;
    expect(take(queue).job.source).toBe('f2');
  });

  it('of a definition whose time is used up wait for it, and those of other definitions do not', () => {
    const queue = newQueue({ definitionScriptMsPerSecondMax: 100 });
    const slow = { caller: 'c', definition: 'slow' };
    queue.push(waiting('s1', true, slow));
    queue.done(take(queue), 100);
    queue.push(waiting('s2', true, slow));
    queue.push(waiting('s3', false, slow));
    queue.push(waiting('quick', false, { caller: 'c', definition: 'quick' }));
    expect(take(queue).job.source).toBe('quick');
    expect(queue.take()).toBeUndefined();
    expect(queue.size).toBe(2);
    expect(queue.removeAll().map(({ job }) => job.source)).toEqual(['s3', 's2']);
  });
});
