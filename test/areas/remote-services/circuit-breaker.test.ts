// The circuit breaker of a remote service through its states (contract-admin 15.2).
import { beforeEach, describe, expect, it } from 'vitest';
import { breakerOf } from '../../../src/areas/remote-services/remote-service.js';
import { CircuitBreaker } from '../../../src/areas/remote-services/circuit-breaker.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock();
});

const given = {
  ...{ slidingWindowSize: 4, minimumNumberOfCalls: 2, waitDurationInOpenState: 1000 },
  ...{ permittedNumberOfCallsInHalfOpenState: 2, maxWaitDurationInHalfOpenState: 0 },
};

function breakerWith(more: object = {}): CircuitBreaker {
  const config = breakerOf({ circuitBreakerConfig: { ...given, ...more } }, '');
  return new CircuitBreaker(() => config, clock);
}

/** Outcomes of calls, `x` failed, `s` slow, `.` good; `-` for each that is refused. */
function calls(breaker: CircuitBreaker, outcomes: string): string {
  return [...outcomes]
    .map((outcome) => {
      const done = breaker.enter();
      if (outcome === 's') clock.advance(101);
      done?.(outcome === 'x');
      return done === undefined ? '-' : outcome;
    })
    .join('');
}

const stateOf = (breaker: CircuitBreaker): string => breaker.view().currentState;

describe('a closed breaker', () => {
  it('opens once enough calls have failed, and refuses from then on', () => {
    const breaker = breakerWith();
    expect(calls(breaker, 'x.xxx')).toBe('x.---');
    expect(stateOf(breaker)).toBe('OPEN');
  });

  it('needs a number of calls first, and sees a window of them only', () => {
    const breaker = breakerWith({ minimumNumberOfCalls: 4 });
    expect(calls(breaker, 'x...........x..')).toBe('x...........x..');
    expect(stateOf(breaker)).toBe('CLOSED');
    calls(breaker, 'x');
    expect(stateOf(breaker)).toBe('OPEN');
  });

  it('opens for slow calls too, unless a threshold of 0 says no', () => {
    expect(calls(breakerWith(), 's.s')).toBe('s.-');
    const off = { slowCallRateThreshold: 0, failureRateThreshold: 0 };
    expect(calls(breakerWith(off), 'sxsxsx')).toBe('sxsxsx');
  });
});

describe('an open breaker', () => {
  it('is half open after its wait, by itself or with the next call', () => {
    const [alone, asked] = [
      breakerWith(),
      breakerWith({ automaticTransitionFromOpenToHalfOpenEnabled: false }),
    ];
    for (const breaker of [alone, asked]) calls(breaker, 'xx');
    clock.advance(999);
    expect([stateOf(alone), stateOf(asked)]).toEqual(['OPEN', 'OPEN']);
    clock.advance(1);
    expect([stateOf(alone), stateOf(asked)]).toEqual(['HALF_OPEN', 'OPEN']);
    expect(asked.enter()).toBeDefined();
    expect(stateOf(asked)).toBe('HALF_OPEN');
  });
});

describe('a half open breaker', () => {
  const halfOpen = (more: object = {}): CircuitBreaker => {
    const breaker = breakerWith(more);
    calls(breaker, 'xx');
    clock.advance(1000);
    return breaker;
  };

  it('lets the permitted calls pass and closes when they are good', () => {
    const breaker = halfOpen();
    const running = [breaker.enter(), breaker.enter()];
    expect(breaker.enter()).toBeUndefined();
    for (const done of running) done?.(false);
    expect(stateOf(breaker)).toBe('CLOSED');
    expect(breaker.view().previousState).toBe('HALF_OPEN');
  });

  it('opens again when they are not', () => {
    const breaker = halfOpen();
    calls(breaker, '.x');
    expect(stateOf(breaker)).toBe('OPEN');
  });

  it('decides with what is there once its longest wait is over', () => {
    const breaker = halfOpen({ maxWaitDurationInHalfOpenState: 5 });
    const running = breaker.enter();
    clock.advance(5);
    running?.(false);
    expect(stateOf(breaker)).toBe('CLOSED');
  });
});

it('is set by hand, and forgets the outcomes of calls from before', () => {
  const breaker = breakerWith();
  const running = [breaker.enter(), breaker.enter()];
  breaker.set('OPEN');
  expect(breaker.enter()).toBeUndefined();
  breaker.set('CLOSED');
  for (const done of running) done?.(true);
  expect(breaker.view()).toMatchObject({ currentState: 'CLOSED', previousState: 'OPEN' });
});
