// Identities (contract-admin 1 to 6, docs/access.md): who there is, who signs in, and who may do
// what. The kernel asks before each request and each step through what the area lends. While
// authentication is off the records are kept and served all the same, but nobody is asked who he
// is.
import { calledAs } from '../../std/called-as.js';
import type { Service } from '../../std/service.js';
import type { Logger } from '../../telemetry/logger.js';
import { area } from '../area.js';
import { identityEndpoints } from './endpoints.js';
import { buildRights, rightsRecords } from './rights/build-rights.js';
import { definitionOwnerJob, isCreated } from './rights/definition-owners.js';
import { checkIdentitySettings, identitySettings } from './settings.js';
import { buildSignIn } from './sign-in/build-sign-in.js';

export const identity = area({
  name: 'identity',
  about: 'Users, groups, applications, roles and grants: who signs in, and who may do what.',
  settings: identitySettings,
  checkSettings: checkIdentitySettings,
  records: rightsRecords,
  needsFirst: [
    ...(['clock', 'log', 'secretBox', 'deploymentSecret', 'web'] as const),
    ...(['definitionTable', 'hasNamedEvery'] as const),
  ],
  lends: [
    ...(['access', 'definitionOwnership', 'resourceTags', 'starterOf'] as const),
    ...(['authenticate', 'waitingCallers', 'administrators'] as const),
  ],
  begin(ports, { settings, records }) {
    const rights = buildRights(ports, records, settings.auth);
    const signingIn = buildSignIn(ports, rights, settings);
    const { access, ownership, tags, identities, acting } = rights;
    const { starterOf, ownerOf, callerOf } = acting;
    const administrators = {
      areThere: () => !settings.auth || identities.hasAdministrator,
      hasIdentities: () => identities.isAnybody,
    };
    const { authenticate, waiting } = signingIn;
    return {
      lent: {
        ...{ access, definitionOwnership: rights.definitionOwners, resourceTags: tags, starterOf },
        authenticate: settings.auth ? authenticate : undefined,
        waitingCallers: settings.auth ? waiting : undefined,
        administrators,
      },
      ports: {
        ...{ access, ownership, tags, starterOf, ownerOf, callerOf },
        identityRevision: () => identities.revision,
      },
      ...{ rights, signingIn, administrators },
    };
  },
  needs: [
    ...(['clock', 'log', 'auditor', 'web', 'providerFetch', 'trustedProxies'] as const),
    ...(['operations', 'definitionTable'] as const),
  ],
  provides: [
    ...(['access', 'ownership', 'tags', 'starterOf', 'ownerOf', 'callerOf'] as const),
    ...(['identityRevision', 'signInFacts'] as const),
  ],
  build(ports, { settings, begun: { rights, signingIn, administrators } }) {
    const { operations, definitionTable, log } = ports;
    const { auth, oidcIssuer } = settings;
    return {
      ports: {
        signInFacts: () => ({
          authentication: auth,
          identityProvider: auth && oidcIssuer !== '',
          hasAdministrator: administrators.areThere(),
        }),
      },
      endpoints: identityEndpoints({ rights, signingIn, settings, ports }),
      services: [startHint(log, auth, administrators.areThere)],
      jobs: [
        definitionOwnerJob(
          rights.definitionOwners,
          () => operations.definitions.refresh(),
          (pending) => isCreated(definitionTable(), pending),
        ),
      ],
    };
  },
});

/** Says at the start what everybody who runs the server should know. */
function startHint(log: Logger, auth: boolean, areThereAdministrators: () => boolean): Service {
  return {
    start: async () => {
      if (!auth) {
        log.warn(
          'authentication is off: everybody who reaches this server may do everything (--auth asks for tokens)',
        );
      } else if (!areThereAdministrators()) {
        log.warn(`there is no administrator yet: make one with ${calledAs.admin} create-key`);
      }
    },
    stop: async () => undefined,
  };
}
