// Every endpoint of identities, out of what rights and sign-in are made of.
import { TrustedProxies } from '../../api/client-address.js';
import type { Endpoint } from '../../api/endpoint.js';
import type { RouteRequest } from '../../api/route.js';
import { tagRoutes } from '../../api/tag-routes.js';
import type { Ports } from '../ports.js';
import { Account } from './account/account.js';
import { accountRoutes } from './account/endpoints.js';
import { Applications } from './applications/applications.js';
import { forThoseWithItsRights } from './applications/changes-of-applications.js';
import { applicationRoutes } from './applications/endpoints.js';
import { grantRoutes } from './grants/endpoints.js';
import { Grants } from './grants/grants.js';
import { groupRoutes } from './groups/endpoints.js';
import { Groups } from './groups/groups.js';
import { invitationRoutes } from './invitations/endpoints.js';
import { Invitations } from './invitations/invitations.js';
import { providerLinkRoutes } from './provider/link-endpoints.js';
import { oidcRoutes, type OidcSettings } from './provider/oidc.js';
import { OidcPersons, parseMapping } from './provider/oidc-person.js';
import { ProviderLinks } from './provider/provider-links.js';
import type { Rights } from './rights/build-rights.js';
import { LastAdministrator } from './rights/last-administrator.js';
import { CustomRoles } from './roles/custom-roles.js';
import { roleRoutes } from './roles/endpoints.js';
import { userSessionRoutes } from './sessions/endpoints.js';
import type { IdentitySettings } from './settings.js';
import type { SigningIn } from './sign-in/build-sign-in.js';
import { openTokenRoutes, tokenRoutes } from './sign-in/endpoints.js';
import { userRoutes } from './users/endpoints.js';
import { Persons } from './users/persons.js';

export interface IdentityParts {
  readonly rights: Rights;
  readonly signingIn: SigningIn;
  readonly settings: IdentitySettings;
  readonly ports: Pick<Ports, 'clock' | 'auditor' | 'web' | 'providerFetch' | 'trustedProxies'>;
}

export function identityEndpoints({
  rights,
  signingIn,
  settings,
  ports,
}: IdentityParts): Endpoint[] {
  const { identities, tags, access, ownership, held } = rights;
  const { clock, auditor, web, providerFetch, trustedProxies } = ports;
  const lastAdministrator = new LastAdministrator({
    ...{ identities, clock, isOn: settings.auth, hasProvider: settings.oidcIssuer !== '' },
  });
  const applications = new Applications({
    ...{ identities, tags, ownership, clock, held, lastAdministrator },
  });
  const grants = new Grants(identities, tags, access);
  const persons = new Persons(identities, lastAdministrator);
  const proxies = new TrustedProxies(trustedProxies);
  const forSignIn = {
    ...{ ...signingIn, persons, secureCookies: web.isSecure, note: auditor.note },
    clientOf: (request: RouteRequest) =>
      proxies.clientOf(request.remoteAddress, request.header('x-forwarded-for')),
  };
  const invitations = new Invitations(identities, clock, settings.invitationSeconds * 1000);
  const account = new Account({ identities, ...signingIn });
  const oidc = {
    ...forSignIn,
    fetch: providerFetch,
    persons: oidcPersons(rights, clock, settings),
  };
  return [
    ...(settings.auth
      ? [
          ...tokenRoutes(forSignIn),
          ...accountRoutes({ ...forSignIn, account }),
          ...invitationRoutes(invitations, identities),
          ...(settings.oidcIssuer === ''
            ? []
            : oidcRoutes({ ...oidc, settings: oidcSettings(settings) })),
        ]
      : openTokenRoutes()),
    ...userSessionRoutes({ ...signingIn, persons }),
    ...userRoutes({ identities, persons, grants, access, tags }),
    ...providerLinkRoutes(new ProviderLinks(identities, persons), clock),
    ...groupRoutes({ identities, groups: new Groups(identities, lastAdministrator), grants }),
    ...roleRoutes(new CustomRoles(identities)),
    ...grantRoutes(grants),
    ...forThoseWithItsRights({ applications, held }, [
      ...applicationRoutes(applications, access),
      ...tagRoutes({
        ...{ tags, type: 'APPLICATION', resource: '/api/applications/:id' },
        ...{ noun: 'Application', variables: ['id'] },
      }),
    ]),
  ];
}

function oidcSettings(settings: IdentitySettings): OidcSettings {
  return {
    issuer: settings.oidcIssuer,
    clientId: settings.oidcClientId,
    clientSecret: settings.oidcClientSecret,
    redirectUrl: settings.oidcRedirectUrl,
    scope: settings.oidcScope,
  };
}

function oidcPersons(
  { identities }: Rights,
  clock: Ports['clock'],
  settings: IdentitySettings,
): OidcPersons {
  const mapping = {
    userClaim: settings.oidcUserClaim,
    groupsClaim: settings.oidcGroupsClaim,
    roles: parseMapping(settings.oidcRoles),
    groups: parseMapping(settings.oidcGroups),
    emailsVerified: settings.oidcEmailsVerified,
  };
  return new OidcPersons(identities, mapping, clock);
}
