// The platform of a simulation: while one runs, clocks, timers and randomness are those of its
// scheduler, also for libraries. What stands in place of the platform's functions asks who runs at
// the moment, so that many simulations need one replacement.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { startOfTime, type Scheduled, type Scheduler } from './scheduler.js';

let running: Scheduler | undefined;
let replacements = 0;
let restoreAll: () => void = () => undefined;

/** Carries `run` out with the time and the chance of the scheduler. */
export async function inPlaceOfPlatform<T>(
  scheduler: Scheduler,
  run: () => Promise<T>,
): Promise<T> {
  const restore = replacePlatform();
  running = scheduler;
  try {
    return await run();
  } finally {
    running = undefined;
    restore();
  }
}

/**
 * Replaces the platform's functions for all simulations until it is restored; without a simulation
 * they do what they always did.
 */
export function replacePlatform(): () => void {
  replacements += 1;
  if (replacements === 1) restoreAll = replaceAll();
  return () => {
    replacements -= 1;
    if (replacements === 0) restoreAll();
  };
}

type Replaced = (...args: never[]) => unknown;

function replaceAll(): () => void {
  const real = {
    ...{ randomBytes: crypto.randomBytes, randomFillSync: crypto.randomFillSync },
    ...{ random: Math.random, dateNow: Date.now, performanceNow: performance.now },
    ...{ setImmediate, setTimeout, clearTimeout, WeakRef },
  };
  const fill = (bytes: Buffer, scheduler: Scheduler): Buffer => {
    scheduler.bytes(bytes.length).copy(bytes);
    return bytes;
  };
  const undo = [
    replace(crypto, 'randomBytes', (length: number) =>
      running ? running.bytes(length) : real.randomBytes(length),
    ),
    replace(crypto, 'randomFillSync', (bytes: Buffer, offset?: number, size?: number) =>
      running ? fill(bytes, running) : real.randomFillSync(bytes, offset, size),
    ),
    replace(Math, 'random', () => (running ? running.random.next() : real.random())),
    replace(Date, 'now', () => (running ? Math.floor(running.now) : real.dateNow())),
    replace(performance, 'now', () =>
      running ? running.now - startOfTime : real.performanceNow.call(performance),
    ),
    replace(globalThis, 'setImmediate', (fire: () => void, ...rest: unknown[]) =>
      running
        ? running.after(0, fire)
        : Reflect.apply(real.setImmediate, undefined, [fire, ...rest]),
    ),
    replace(globalThis, 'setTimeout', (fire: () => void, delayMs = 0, ...rest: unknown[]) =>
      running
        ? running.after(delayMs, fire)
        : Reflect.apply(real.setTimeout, undefined, [fire, delayMs, ...rest]),
    ),
    replace(globalThis, 'clearTimeout', (timer?: Scheduled & NodeJS.Timeout) =>
      running ? timer?.cancel() : real.clearTimeout(timer),
    ),
    replace(globalThis, 'WeakRef', function (value: object): object {
      return running ? new StrongRef(value) : new real.WeakRef(value);
    }),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  };
}

/** What is remembered must not depend on when memory is cleared. */
class StrongRef<T extends object> {
  constructor(private readonly value: T) {}

  deref(): T {
    return this.value;
  }
}

function replace(owner: object, name: string, value: Replaced): () => void {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  const before = Reflect.get(owner, name) as object;
  // Such as the form of setTimeout that `util.promisify` takes.
  for (const key of Object.getOwnPropertySymbols(before)) {
    Object.defineProperty(value, key, { value: Reflect.get(before, key) as unknown });
  }
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (original === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, original);
  };
}
