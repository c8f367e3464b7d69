// Queues that the list of queues in the store is known to name, so that it is told of each once.
// Names come from outside; one that is forgotten is told again, which changes nothing there.
import { TextTable } from '../std/text-table.js';

const queuesMax = 50_000;
const bytesMax = 16 * 1024 * 1024;

export function knownQueues(): TextTable<true> {
  return new TextTable({ wholeKeys: true, entriesMax: queuesMax, bytesMax });
}
