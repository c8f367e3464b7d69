// What only a test server has (docs/test-server.md): a clock that moves, mocks, a seed.
import { SkippedTime } from './test-time.js';
import { TestMocks } from './test-mocks.js';

export interface TestSetup {
  /** Whether the clock moves by itself from the start. */
  readonly isAuto: boolean;
  /** undefined: what is random stays random. */
  readonly seed: number | undefined;
}

export class TestParts {
  readonly skipped = new SkippedTime();
  readonly mocks = new TestMocks();

  constructor(readonly setup: TestSetup) {}
}
