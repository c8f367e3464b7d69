// Every change of an application, whatever it changes, is for those only who have all the rights
// that the application has (docs/access.md, Nobody gives what he does not have): its keys act with
// them. The check stands around the endpoints, so that a new one has it too.
import type { HeldRights } from '../rights/held-rights.js';
import { applicationSubject } from '../identities.js';
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import type { Applications } from './applications.js';
import type { Endpoint } from '../../../api/endpoint.js';
import { plainId } from '../../../model/subject.js';

export interface ApplicationGuardParts {
  readonly applications: Applications;
  readonly held: HeldRights;
}

/** The endpoints, of which those that change one application check its rights first. */
export function forThoseWithItsRights(
  parts: ApplicationGuardParts,
  endpoints: readonly Endpoint[],
): Endpoint[] {
  return endpoints.map((endpoint) => {
    const variable = /^\/api\/applications\/:(\w+)/.exec(endpoint.pattern)?.[1];
    if (endpoint.method === 'GET' || variable === undefined) return endpoint;
    return {
      ...endpoint,
      handle: (request) => {
        requireItsRights(parts, request.caller, request.param(variable));
        return endpoint.handle(request);
      },
    };
  });
}

/** Throws AppError 'forbidden'. An unknown application is left to the operation. */
function requireItsRights(
  { applications, held }: ApplicationGuardParts,
  caller: Caller,
  id: string,
): void {
  const application = applications.find(id);
  if (application === undefined) return;
  const isOwn = application.createdBy !== '' && application.createdBy === caller.id;
  if (held.coversSubject(caller, applicationSubject(id), { isOwn })) return;
  throw new AppError(
    'forbidden',
    `Application ${id} has rights that ${plainId(caller.id)} does not have`,
  );
}
