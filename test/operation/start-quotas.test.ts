// Starts per second at a node: by all, by a caller, of a definition (invariants S18).
import { describe, expect, it } from 'vitest';
import { StartQuotas, type StartQuotaSettings } from '../../src/operation/start-quotas.js';
import { VirtualClock } from '../support/virtual-clock.js';

const any = {
  startsPerSecondMax: 0,
  callerStartsPerSecondMax: 0,
  definitionStartsPerSecondMax: 0,
};

function quotas(settings: Partial<StartQuotaSettings>): {
  clock: VirtualClock;
  counted: string[];
  starts: StartQuotas;
} {
  const clock = new VirtualClock();
  const counted: string[] = [];
  const count = (quota: string): void => void counted.push(quota);
  return {
    clock,
    counted,
    starts: new StartQuotas({ settings: { ...any, ...settings }, clock, count }),
  };
}

const refused = (quota: string): Error =>
  expect.objectContaining({
    kind: 'too-many',
    message: expect.stringContaining(quota) as string,
    details: { retryAfterSeconds: 1 },
  }) as Error;

describe('a start that a caller asks for', () => {
  it('is refused with a time beyond the quota of the node', () => {
    const { clock, starts } = quotas({ startsPerSecondMax: 3 });
    for (const caller of ['a', 'b', 'c']) starts.admit(caller, 'd');
    expect(() => starts.admit('d', 'd')).toThrow(refused('startsPerSecondMax'));
    clock.advance(334);
    starts.admit('d', 'd');
  });

  it('is refused beyond the quota of its caller, and others are not', () => {
    const { starts, counted } = quotas({ callerStartsPerSecondMax: 2 });
    starts.admit('a', 'd');
    starts.admit('a', 'd');
    expect(() => starts.admit('a', 'other')).toThrow(refused('callerStartsPerSecondMax'));
    starts.admit('b', 'd');
    expect(counted).toEqual(['callerStartsPerSecondMax']);
  });

  it('is refused beyond the quota of its definition, without using up that of its caller', () => {
    const { starts } = quotas({ callerStartsPerSecondMax: 2, definitionStartsPerSecondMax: 1 });
    starts.admit('a', 'd');
    expect(() => starts.admit('a', 'd')).toThrow(refused('definitionStartsPerSecondMax'));
    starts.admit('a', 'e');
  });
});

describe('a start that an execution orders', () => {
  it('waits for its place behind those before it, and counts for who started the execution', () => {
    const { starts, counted } = quotas({ callerStartsPerSecondMax: 10 });
    const held = Array.from({ length: 13 }, () => starts.reserve('a', 'd')?.waitMs ?? 0);
    expect(held).toEqual([...Array.from({ length: 10 }, () => 0), 100, 200, 300]);
    expect(counted.length).toBe(3);
    expect(() => starts.admit('a', 'd')).toThrow(refused('callerStartsPerSecondMax'));
    starts.admit('b', 'd');
  });

  it('waits for nothing where no quota is set', () => {
    expect(quotas({ startsPerSecondMax: 1 }).starts.reserve('a', 'd')).toBeUndefined();
  });
});
