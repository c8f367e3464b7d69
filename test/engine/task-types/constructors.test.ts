// A task type that leaves out what its kind has to say does not compile. The compiler runs these
// cases: an error that it no longer finds makes `tsc` fail at the line that expects it.
import { describe, expect, it } from 'vitest';
import type { TaskType } from '../../../src/engine/task-types/contract.js';
import {
  conditionType,
  expandingType,
  inlineType,
  outsideType,
  timedType,
} from '../../../src/engine/task-types/constructors.js';
import { engineTaskTypes } from '../../../src/engine/task-types/list.js';
import { signalReason } from '../../../src/engine/wait-reason.js';

const named: Pick<TaskType, 'names' | 'reaches' | 'map'> = {
  names: ['T'],
  reaches: [],
  map: () => undefined,
};
const done = (): 'done' => 'done';
const never = (): boolean => false;
const isTrue = (): boolean => true;
const nothing = (): void => undefined;

describe('a task type', () => {
  it('says what it is called, what it reaches and how it makes a record', () => {
    // @ts-expect-error: `names`, `reaches` and `map` are missing
    inlineType({ execute: done });
    expect(inlineType({ ...named, execute: done })).toMatchObject(named);
  });

  it('that runs inside its transition says what it executes', () => {
    // @ts-expect-error: `execute` is missing
    inlineType({ ...named });
    // @ts-expect-error: it is always due
    inlineType({ ...named, execute: done, isDue: never });
  });

  it('that expands says what follows and how it does so again', () => {
    // @ts-expect-error: `begin` is missing
    expandingType({ ...named, role: 'fork', settle: isTrue });
    // @ts-expect-error: `settle` is missing
    expandingType({ ...named, role: 'fork', begin: nothing });
  });

  it('that waits for its own execution says when it is due, what it does then and why it waits', () => {
    // @ts-expect-error: `isDue` is missing
    conditionType({ ...named, execute: done, whyWaits: signalReason });
    // @ts-expect-error: `execute` is missing
    conditionType({ ...named, isDue: never, whyWaits: signalReason });
    // @ts-expect-error: `whyWaits` is missing
    conditionType({ ...named, execute: done, isDue: never });
  });

  it('that waits for somebody outside says so', () => {
    // @ts-expect-error: nothing says that somebody outside ends it
    outsideType({ ...named });
    // @ts-expect-error: `whyWaits` is missing
    outsideType({ ...named, waitsForOutside: isTrue });
    // @ts-expect-error: a timer belongs to `timedType`
    outsideType({ ...named, waitsForOutside: isTrue, whyWaits: signalReason, timerAt: () => 1 });
  });

  it('with a time of its own says when it comes and what happens then', () => {
    const waits = { waitsForOutside: isTrue, whyWaits: signalReason };
    // @ts-expect-error: `timerFired` is missing
    timedType({ ...named, ...waits, timerAt: () => 1 });
    // @ts-expect-error: `timerAt` is missing
    timedType({ ...named, ...waits, timerFired: nothing });
  });

  it('is told of the end of its records exactly when it says what happens then', () => {
    const waits = { waitsForOutside: isTrue, whyWaits: signalReason };
    expect(outsideType({ ...named, ...waits }).isFollowed).toBe(false);
    expect(outsideType({ ...named, ...waits, closed: nothing }).isFollowed).toBe(true);
    // @ts-expect-error: `isFollowed` follows from `closed`
    outsideType({ ...named, ...waits, isFollowed: true });
  });
});

it('all task types of the engine have every member of the contract', () => {
  const members = Object.keys(inlineType({ ...named, execute: done })).sort();
  for (const type of engineTaskTypes) {
    expect(Object.keys(type).sort(), type.names.join()).toEqual(members);
  }
});
