// The rights to listen to an event, and to raise one (docs/access.md, Owner of record). The events
// that executions raise stand under the name of their definition, `conductor:WORKFLOW:REST`, and
// carry payloads of the executions. So a handler of such an event needs READ on the definition: the
// caller that saves it, and when an event comes its owner of record. A caller who hands in such an
// event needs EXECUTE on the definition. A name may hold colons itself: then each registered
// definition that the event's name may begin with counts.
//
// Messages of a broker are for those who may use its integration: a handler needs EXECUTE on that
// provider, at the same moments. The integration may come after the handler, and rights end, so a
// check when the handler is saved is not enough.
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { KnownDefinitions } from '../../operation/context.js';

export interface ListenParts {
  readonly access: AccessRules;
  readonly definitions: Pick<KnownDefinitions, 'workflowDef'>;
  /** The integration that an event names; undefined: none. */
  readonly integrationOf: (event: string) => string | undefined;
}

const ownPrefix = 'conductor:';

/** Throws AppError 'forbidden' that names the definition or the integration. */
export function requireListenRight(
  { access, definitions, integrationOf }: ListenParts,
  caller: Caller,
  event: string,
): void {
  if (isAdministrator(caller)) return;
  for (const id of workflowsOf(event, definitions)) {
    requireRight(access, caller, 'READ', { type: 'WORKFLOW_DEF', id });
  }
  const integration = integrationOf(event);
  if (integration === undefined) return;
  requireRight(access, caller, 'EXECUTE', { type: 'INTEGRATION_PROVIDER', id: integration });
}

/** For a caller who hands in an event. Throws AppError 'forbidden' that names the definition. */
export function requireRaiseRight(
  { access, definitions }: Omit<ListenParts, 'integrationOf'>,
  caller: Caller,
  event: string,
): void {
  if (isAdministrator(caller)) return;
  for (const id of workflowsOf(event, definitions)) {
    if (definitions.workflowDef(id) === undefined) continue;
    requireRight(access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
  }
}

/** Why the caller may not listen; undefined: he may. */
export function lackedToListen(
  parts: ListenParts,
  caller: Caller,
  event: string,
): string | undefined {
  try {
    requireListenRight(parts, caller, event);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Names of definitions that the event may stand under; none: it is no event of executions. */
function workflowsOf(event: string, definitions: ListenParts['definitions']): string[] {
  if (!event.startsWith(ownPrefix)) return [];
  const names: string[] = [];
  let end = event.indexOf(':', ownPrefix.length);
  while (end > 0) {
    names.push(event.slice(ownPrefix.length, end));
    end = event.indexOf(':', end + 1);
  }
  const [first, ...longer] = names;
  if (first === undefined) return [];
  const known = longer.filter((name) => definitions.workflowDef(name) !== undefined);
  const isFirstMeant = known.length === 0 || definitions.workflowDef(first) !== undefined;
  return isFirstMeant ? [first, ...known] : known;
}
