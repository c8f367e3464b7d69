// Reads executions with their payloads in batches as large as memory allows.
import type { ExecutionId } from '../../std/ids.js';
import type { ExecutionSummary, SearchStore } from '../../store/search-store.js';

const summariesPerBatch = 320;
/** Characters of payloads in memory at the same time. */
const charsPerBatch = 8 * 1024 * 1024;
/**
 * Size of the first batch; what it holds decides the size of the next, because each execution may
 * have 20 MB.
 */
const firstBatch = 4;

/** In the order of the ids; undefined for those that are gone. */
export async function* summariesOf(
  store: SearchStore,
  ids: readonly ExecutionId[],
): AsyncGenerator<ExecutionSummary | undefined> {
  let batch = firstBatch;
  for (let first = 0; first < ids.length;) {
    const summaries = await store.summaries(ids.slice(first, first + batch));
    first += batch;
    let chars = 1;
    for (const summary of summaries) {
      if (summary !== undefined) chars += summary.input.text.length + summary.output.text.length;
      yield summary;
    }
    const fitting = Math.floor((charsPerBatch * batch) / chars);
    batch = Math.max(firstBatch, Math.min(fitting, 4 * batch, summariesPerBatch));
  }
}
