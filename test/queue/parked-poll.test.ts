import { describe, expect, it } from 'vitest';
import type { HeldLease } from '../../src/queue/attempt-owner.js';
import { ParkedPoll } from '../../src/queue/parked-poll.js';
import { PollEnds } from '../../src/queue/poll-ends.js';
import type { TaskId } from '../../src/std/ids.js';
import { VirtualClock } from '../support/virtual-clock.js';

function park(count: number): {
  clock: VirtualClock;
  poll: ParkedPoll;
  answers: string[][];
  abort: () => void;
  left: () => number;
  /** How often it waited again after it had taken all it may. */
  waitedAgain: () => number;
  givenBack: HeldLease[];
  handedOut: () => number;
} {
  const clock = new VirtualClock();
  const answers: string[][] = [];
  let abort = (): void => undefined;
  let left = 0;
  let waitedAgain = 0;
  const givenBack: HeldLease[] = [];
  let handedOut = 0;
  const poll = new ParkedPoll({
    request: {
      queue: { taskType: 'a' },
      workerId: 'w',
      count,
      timeoutMs: 1000,
      onAbort: (listener) => {
        abort = listener;
      },
    },
    ends: new PollEnds(clock),
    answer: (tasks) => answers.push(tasks),
    place: {
      leave: () => (left += 1),
      waitAgain: () => (waitedAgain += 1),
      giveBack: (lease) => void givenBack.push(lease),
      handedOut: (count) => (handedOut += count),
    },
  });
  return {
    ...{ clock, poll, answers, abort: () => abort() },
    ...{ left: () => left, waitedAgain: () => waitedAgain, givenBack, handedOut: () => handedOut },
  };
}

const lease: HeldLease = {
  attempt: { taskId: 't' as TaskId, reopenCount: 0 },
  leaseNumber: 1,
  keeper: 'queue',
};

describe('a parked poll', () => {
  it('is answered once with a task that was given back on its way and came again', () => {
    const { poll, answers } = park(2);
    const first = poll.ticket(7);
    const second = poll.ticket(7);
    first.deliver('first hand-out', lease);
    second.deliver('second hand-out', { ...lease, leaseNumber: 2 });
    expect(answers).toEqual([['second hand-out']]);
  });

  it('is answered with all tasks of one commit batch at once', () => {
    const { poll, answers } = park(5);
    const first = poll.ticket(7);
    const second = poll.ticket(7);
    first.deliver('one', lease);
    expect(answers).toEqual([]);
    second.deliver('two', { ...lease, attempt: { taskId: 'u' as TaskId, reopenCount: 0 } });
    expect(answers).toEqual([['one', 'two']]);
  });

  it('takes nothing from a later batch once it waits for one', () => {
    const { poll } = park(5);
    poll.ticket(7);
    expect(poll.wants(7)).toBe(4);
    expect(poll.wants(8)).toBe(0);
  });

  it('waits on when its only ticket fails, and takes from another batch then', () => {
    const { poll, answers, left, waitedAgain } = park(1);
    const ticket = poll.ticket(7);
    expect([left(), waitedAgain()]).toEqual([1, 0]);
    ticket.fail();
    expect(answers).toEqual([]);
    expect(poll.wants(8)).toBe(1);
    expect(waitedAgain()).toBe(1);
  });

  it('is answered empty when its time is over', () => {
    const { clock, answers, left } = park(1);
    clock.advance(999);
    expect(answers).toEqual([]);
    clock.advance(1);
    expect(answers).toEqual([[]]);
    expect(left()).toBe(1);
  });

  it('waits past its time for a task that is already being committed', () => {
    const { clock, poll, answers } = park(2);
    const ticket = poll.ticket(1);
    clock.advance(2000);
    expect(answers).toEqual([]);
    expect(poll.wants(1)).toBe(0);
    ticket.deliver('late', lease);
    expect(answers).toEqual([['late']]);
  });

  it('gives a task back when its client has gone before the commit was through', () => {
    const { poll, abort, givenBack } = park(1);
    const ticket = poll.ticket(1);
    abort();
    ticket.deliver('task', lease);
    expect(givenBack).toEqual([lease]);
  });

  it('gives delivered tasks back when the answer could not be sent', () => {
    const { poll, abort, answers, givenBack } = park(1);
    poll.ticket(1).deliver('task', lease);
    expect(answers).toEqual([['task']]);
    abort();
    expect(givenBack).toEqual([lease]);
  });
});
