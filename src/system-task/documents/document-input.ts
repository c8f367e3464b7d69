// What the tasks of documents share.
import type { JsonMap } from '../../model/json.js';
import { FinalFailure } from '../final-failure.js';
import type { TaskInput } from '../task-input.js';

/** Lane of a run: the host that it reads from; '' for files. */
export function hostOf({ url }: JsonMap): string {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : '';
}

/**
 * Refuses storage behind an integration: no kind of it is spoken here. Throws FinalFailure that
 * names the integration.
 */
export function refuseStorage(input: TaskInput): void {
  const named =
    input.text('integrationName') || Object.values(input.textMap('integrationNames'))[0];
  if (named === undefined || named === '') return;
  throw new FinalFailure(
    `Documents are read from http, https and file addresses, not through the integration ${named}`,
  );
}
