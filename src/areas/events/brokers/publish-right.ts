// The right to publish on a queue of a broker: an execution acts with the rights of its starter, so
// a publication by an integration needs EXECUTE on the provider, as a handler of its messages does.
// Queues of the server itself and those of queue configurations belong to no integration.
import { requireRight, type AccessRules } from '../../../access/access-rules.js';
import { goneStarter, type Caller } from '../../../model/caller.js';
import type { RequirePublishRight } from '../../../broker/publishing.js';
import { AppError } from '../../../model/errors.js';
import type { BrokerTargets } from './broker-targets.js';

export interface PublishRightParts {
  readonly targets: Pick<BrokerTargets, 'integrationOf'>;
  readonly access: AccessRules;
  /** The starter of an execution, with the rights in force; undefined: does not exist any more. */
  readonly starter: (startedBy: string | undefined) => Caller | undefined;
}

export function createPublishRight(parts: PublishRightParts): RequirePublishRight {
  const { targets, access, starter } = parts;
  return (startedBy, queue) => {
    const integration = targets.integrationOf(queue);
    if (integration === undefined) return;
    const caller = starter(startedBy);
    if (caller === undefined) {
      throw new AppError('forbidden', goneStarter(startedBy));
    }
    requireRight(access, caller, 'EXECUTE', { type: 'INTEGRATION_PROVIDER', id: integration });
  };
}
