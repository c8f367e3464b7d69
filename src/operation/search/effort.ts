// How much text one search may read. Payloads may be long and a search may name many words, so the
// work is counted in characters read, and a search that would read too many is refused. Other
// requests get their turn by time, between two executions.
import { AppError } from '../../model/errors.js';
import { breathe } from '../../std/breather.js';

export interface EffortLimits {
  /** Characters of one search. */
  readonly charsMax: number;
  /** Characters of one execution, which is read in one go. */
  readonly charsPerTurnMax: number;
}

/** A character takes 0.1 to 1 ns: some seconds in all, at most half a second in one go. */
export const defaultEffortLimits: EffortLimits = { charsMax: 5e9, charsPerTurnMax: 3e8 };

export class SearchEffort {
  #chars = 0;
  #charsOfOne = 0;

  constructor(private readonly limits: EffortLimits = defaultEffortLimits) {}

  /**
   * Called before `chars` characters are read. Throws AppError 'bad-request' when they are too
   * many.
   */
  spend(chars: number): void {
    this.#chars += chars;
    this.#charsOfOne += chars;
    const { charsMax, charsPerTurnMax } = this.limits;
    if (this.#chars > charsMax || this.#charsOfOne > charsPerTurnMax) {
      throw new AppError(
        'bad-request',
        'The search would look through too much text: give fewer or shorter words, or narrow it by workflowType, status, ' +
          'startTime, correlationId or workflowId',
      );
    }
  }

  /** Between two executions: lets others have their turn when it is due. */
  pause(): Promise<void> | undefined {
    this.#charsOfOne = 0;
    return breathe();
  }
}
