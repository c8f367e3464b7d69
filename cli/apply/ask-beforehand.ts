// Asks a server whether it would take a definition, before anything is changed. Servers answer for
// workflows and the times of schedules alone; what is wrong with others shows when it is stored.
import { Refused, type ApiClient } from '../shared/api-client.js';
import { textOf, type JsonObject } from '../shared/json.js';
import { schedule, workflow, type Kind } from './kinds.js';

/** The answer of a server about a thing that it does not store yet. */
export interface AskedBeforehand {
  /** Why it will not take it; absent: it will, or cannot be asked. */
  readonly refusal?: string;
  readonly warnings: readonly string[];
}

/** Asks the server; changes nothing. */
export async function askBeforehand(
  target: ApiClient,
  kind: Kind,
  body: JsonObject,
): Promise<AskedBeforehand> {
  try {
    if (kind === workflow) {
      const answer = await target.post('/api/metadata/workflow/validate', body);
      const warnings =
        typeof answer === 'object' && answer !== null && 'warnings' in answer
          ? (answer as { warnings: unknown }).warnings
          : [];
      return { warnings: Array.isArray(warnings) ? warnings.map(String) : [] };
    }
    if (kind === schedule && textOf(body['cronExpression']) !== '') {
      await target.get('/api/scheduler/nextFewSchedules', {
        query: { cronExpression: textOf(body['cronExpression']), limit: 1 },
      });
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if ([400, 413].includes(error.status)) return { refusal: error.message, warnings: [] };
    if (![403, 404, 405].includes(error.status)) throw error;
  }
  return { warnings: [] };
}
