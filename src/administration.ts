// Who may do what on this server: builds identities, access rules and their endpoints out of the
// parts of a node. The node takes from here what its API asks before each request; the area brings
// the endpoints. While authentication is off the records are kept and served all the same, but
// nobody is asked who he is.
import { everythingAllowed, type AccessRules } from './access/access-rules.js';
import { Authenticator } from './access/authenticator.js';
import { EffectiveAccess } from './access/effective-access.js';
import { RequestRates } from './access/request-rates.js';
import { Tokens, type TokenSigner } from './access/tokens.js';
import type { Authenticate } from './api/api.js';
import { applicationRoutes } from './api/identity/applications.js';
import { createAuthenticate } from './api/identity/authenticate.js';
import { TrustedProxies } from './api/identity/client-address.js';
import { grantRoutes } from './api/identity/grants.js';
import { groupRoutes } from './api/identity/groups.js';
import { roleRoutes } from './api/identity/roles.js';
import { openTokenRoutes, tokenRoutes } from './api/identity/tokens.js';
import { userRoutes } from './api/identity/users.js';
import { tagRoutes } from './api/tag-routes.js';
import type { Endpoint } from './api/endpoint.js';
import type { Settings } from './config.js';
import { Applications } from './operation/identity/applications.js';
import { CustomRoles } from './operation/identity/custom-roles.js';
import { Grants } from './operation/identity/grants.js';
import { Groups } from './operation/identity/groups.js';
import { IdentityTables } from './operation/identity/identity-tables.js';
import { RecordedOwnership } from './operation/identity/ownership.js';
import { Persons } from './operation/identity/persons.js';
import { SignIn } from './operation/identity/sign-in.js';
import type { RecordTables } from './operation/records/record-tables.js';
import { Tags } from './operation/tags/tags.js';
import type { Clock } from './std/clock.js';
import type { Service } from './std/service.js';
import type { Logger } from './telemetry/logger.js';

export interface AdministrationParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tables: RecordTables;
  /** The deployment's secret; asked for once the node serves. */
  readonly secret: () => Buffer;
}

/** Failed attempts come back one by one after this time. */
const failureRefillMs = 30_000;

export class Administration {
  readonly identities: IdentityTables;
  readonly tags: Tags;
  readonly ownership: RecordedOwnership;
  readonly access: AccessRules;
  /** undefined: authentication is off. */
  readonly authenticate: Authenticate | undefined;
  readonly #authenticator: Authenticator;
  readonly #signIn: SignIn;

  constructor(private readonly parts: AdministrationParts) {
    const { settings, clock, tables } = parts;
    const identities = new IdentityTables(tables);
    const tags = new Tags(tables);
    this.identities = identities;
    this.tags = tags;
    this.ownership = new RecordedOwnership(identities, tags);
    this.access = settings.auth
      ? new EffectiveAccess({
          identities,
          grants: () => identities.grantIndex,
          hasTag: (type, id, tag) => tags.has(type, id, tag),
        })
      : everythingAllowed;
    const tokens = lazyTokens(parts.secret);
    this.#authenticator = new Authenticator({
      tokens,
      identities,
      isEnded: (tokenId) => identities.isEnded(tokenId),
      rates: requestRates(settings.requestsPerSecondMax),
      now: () => clock.now(),
    });
    this.#signIn = new SignIn({
      identities,
      tokens,
      failures: failureRates(settings.signInFailuresMax),
      clock,
      tokenLifeMs: settings.tokenSeconds * 1000,
      tokenLifeMsMax: settings.tokenSecondsMax * 1000,
    });
    this.authenticate = settings.auth
      ? createAuthenticate(this.#authenticator, settings.webOrigins)
      : undefined;
  }

  /** Endpoints of identities, and what the start says about them. */
  area(): { readonly endpoints: readonly Endpoint[]; readonly services: readonly Service[] } {
    return { endpoints: this.#endpoints(), services: [this.#hint()] };
  }

  #endpoints(): Endpoint[] {
    const { identities, tags, access, ownership } = this;
    const { clock, settings } = this.parts;
    const applications = new Applications({ identities, tags, ownership, clock });
    const grants = new Grants(identities, tags, access);
    const persons = new Persons(identities);
    return [
      ...(settings.auth
        ? tokenRoutes({
            signIn: this.#signIn,
            authenticator: this.#authenticator,
            persons,
            proxies: new TrustedProxies(settings.trustedProxies),
            secureCookies: false,
          })
        : openTokenRoutes()),
      ...userRoutes({ identities, persons, grants, access }),
      ...groupRoutes({ identities, groups: new Groups(identities), grants }),
      ...roleRoutes(new CustomRoles(identities)),
      ...grantRoutes(grants),
      ...applicationRoutes(applications, access),
      ...tagRoutes({
        tags,
        type: 'APPLICATION',
        resource: '/api/applications/:id',
        noun: 'Application',
        variables: ['id'],
      }),
    ];
  }

  /** Says at the start what everybody who runs the server should know. */
  #hint(): Service {
    const { settings, log } = this.parts;
    return {
      start: async () => {
        if (!settings.auth) {
          log.warn('authentication is off: everybody who reaches this server may do everything');
        } else if (this.#hasNoAdministrator()) {
          log.warn('there is no administrator yet: make one with npm run admin -- create-key');
        }
      },
      stop: async () => undefined,
    };
  }

  #hasNoAdministrator(): boolean {
    const { persons, applications, groups } = this.identities;
    const all = [...persons.values(), ...applications.values(), ...groups.values()];
    return !all.some(({ roles }) => roles.includes('ADMIN'));
  }
}

/** The secret is known once the node has opened its store. */
function lazyTokens(secret: () => Buffer): TokenSigner {
  let tokens: Tokens | undefined;
  const made = (): Tokens => (tokens ??= new Tokens(secret()));
  return {
    sign: (claims) => made().sign(claims),
    check: (token, now) => made().check(token, now),
  };
}

function requestRates(perSecond: number): RequestRates | undefined {
  return perSecond === 0
    ? undefined
    : new RequestRates({ burst: perSecond, refillMs: 1000 / perSecond });
}

function failureRates(burst: number): { account: RequestRates; address: RequestRates } {
  return {
    account: new RequestRates({ burst, refillMs: failureRefillMs }),
    address: new RequestRates({ burst: burst * 10, refillMs: failureRefillMs / 10 }),
  };
}
