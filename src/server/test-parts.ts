// Parts that only a test server has (docs/test-server.md): a clock that moves, mocks, a seed.
import type { ApiHandler } from '../api/http-server.js';
import type { StoreClock } from '../placement/store-clock.js';
import type { ExecutionHost } from '../shard/execution-host.js';
import type { ScriptWorld } from '../sandbox/script-world.js';
import { SeededBytes, type FillRandom } from '../std/seeded-bytes.js';
import { systemClock } from '../std/clock.js';
import { AutoClock } from './test-auto-clock.js';
import { TestMocks } from './test-mocks.js';
import { SkippedTime, TestTime } from './test-time.js';
import { workUnderWay } from './test-work.js';

export interface TestSetup {
  /** Whether the clock moves by itself from the start. */
  readonly isAuto: boolean;
  /** undefined: what is random stays random. */
  readonly seed: number | undefined;
}

/** The parts of a test server that are built before the node. */
export class TestParts {
  readonly skipped = new SkippedTime();
  readonly mocks = new TestMocks();

  /** undefined: what is random stays random. */
  readonly random: SeededBytes | undefined;

  constructor(readonly setup: TestSetup) {
    this.random = setup.seed === undefined ? undefined : new SeededBytes(setup.seed);
  }

  get storeParts(): { skipped: SkippedTime; secretSource: FillRandom | undefined } {
    return { skipped: this.skipped, secretSource: this.random?.of('secret') };
  }

  /** The time and the random seed that scripts see. */
  scriptWorld(): ScriptWorld {
    return { skippedMs: this.skipped.ms, seed: this.setup.seed };
  }
}

export interface TestNode {
  readonly time: TestTime;
  readonly auto: AutoClock;
  readonly mocks: TestMocks;
  /** The same handler; the clock hears of what it is asked. */
  watched(handler: ApiHandler): ApiHandler;
}

export function buildTestNode(
  { skipped, mocks, setup }: TestParts,
  node: {
    clock: StoreClock;
    executions: ExecutionHost;
    isRunning: () => boolean;
    failed: (error: unknown) => void;
  },
): TestNode {
  const { clock, executions, isRunning, failed } = node;
  const time = new TestTime({
    ...{ clock, realClock: systemClock, skipped, isRunning },
    drained: () => executions.drain(),
    work: () => workUnderWay(executions.cache.all(), clock.now()),
  });
  const auto = new AutoClock({ time, realClock: systemClock, failed }, setup.isAuto);
  return {
    time,
    auto,
    mocks,
    watched: (handler) =>
      Object.assign(
        (request: Parameters<ApiHandler>[0]) => {
          if (mayChange(request)) {
            time.noteRequest();
            auto.wake();
          }
          return handler(request);
        },
        handler.begin && { begin: handler.begin },
      ),
  };
}

/**
 * Whether a request may change something. A poll takes a task that exists already, and requests
 * about the clock do not hold it.
 */
function mayChange({ method, path }: { method: string; path: string }): boolean {
  return method !== 'GET' && !path.includes('/api/test/');
}
