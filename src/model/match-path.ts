// Paths of `matches`: by which values a task waits for an event of a webhook (docs/webhooks.md).
import { parseJsonPath } from '@downbeat/json-path';

/** A path of `matches`, also without its leading `$`; undefined when it is none. */
export function parseMatchPath(path: string): ReturnType<typeof parseJsonPath> {
  const trimmed = path.trim();
  if (trimmed.startsWith('$')) return parseJsonPath(trimmed);
  return parseJsonPath(trimmed.startsWith('[') ? `$${trimmed}` : `$.${trimmed}`);
}
