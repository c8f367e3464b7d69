// Builds the rights of a node: identities, access rules and their endpoints. The node takes from
// here the checks that its API makes before each request; the area brings the endpoints. While
// authentication is off the records are kept and served all the same, but no caller is asked for a
// name.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { everythingAllowed, type AccessRules, type TargetType } from '../access/access-rules.js';
import { Authenticator, type TokenUses } from '../access/authenticator.js';
import { EffectiveAccess } from '../access/effective-access.js';
import { everyId } from '../access/grants.js';
import { HeldRights } from '../access/held-rights.js';
import { calledAs } from '../std/called-as.js';
import { RequestRates } from '../std/request-rates.js';
import { KeyedSecretBox, type SecretBox } from '../access/secret-box.js';
import { SealingKeys, type SealingKeySource } from '../access/sealing-keys.js';
import { SignInAttempts } from '../access/sign-in-attempts.js';
import { Tokens } from '../access/tokens.js';
import type { Authenticate } from '../api/api.js';
import type { Auditor } from '../api/audit.js';
import { accountRoutes } from '../api/identity/account.js';
import { applicationRoutes } from '../api/identity/applications.js';
import { auditRoutes } from '../api/identity/audit-log.js';
import { forThoseWithItsRights } from '../api/identity/changes-of-applications.js';
import { createAuthenticate } from '../api/identity/authenticate.js';
import { TrustedProxies } from '../api/identity/client-address.js';
import { grantRoutes } from '../api/identity/grants.js';
import { groupRoutes } from '../api/identity/groups.js';
import { invitationRoutes } from '../api/identity/invitations.js';
import { oidcRoutes } from '../api/identity/oidc.js';
import { providerLinkRoutes } from '../api/identity/provider-links.js';
import { roleRoutes } from '../api/identity/roles.js';
import { userSessionRoutes } from '../api/identity/sessions.js';
import { openTokenRoutes, tokenRoutes } from '../api/identity/tokens.js';
import { userRoutes } from '../api/identity/users.js';
import { tagRoutes } from '../api/tag-routes.js';
import { definitionTagRoutes } from '../api/tags/definition-tags.js';
import { tagListRoutes } from '../api/tags/tag-lists.js';
import type { Endpoint } from '../api/endpoint.js';
import type { DefinitionLookup } from '../engine/context.js';
import type { Settings } from './settings-table.js';
import { systemCaller, type Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { AuditLog } from '../operation/audit/audit-log.js';
import { SummedAudit } from '../operation/audit/summed-audit.js';
import { Account } from '../operation/identity/account.js';
import { Applications } from '../operation/identity/applications.js';
import { CustomRoles } from '../operation/identity/custom-roles.js';
import { Grants } from '../operation/identity/grants.js';
import { Groups } from '../operation/identity/groups.js';
import type { Definitions } from '../operation/definitions/definitions.js';
import { TaskUse } from '../operation/definitions/task-use.js';
import { WorkflowUse } from '../operation/definitions/workflow-use.js';
import { IdentityTables } from '../operation/identity/identity-tables.js';
import { Invitations } from '../operation/identity/invitations.js';
import { KeyUses } from '../operation/identity/key-uses.js';
import { OidcPersons, parseMapping } from '../operation/identity/oidc-person.js';
import { RecordedOwnership } from '../operation/identity/ownership.js';
import {
  DefinitionOwnerMending,
  DefinitionOwners,
  type PendingOwner,
} from '../operation/identity/definition-owners.js';
import { Persons } from '../operation/identity/persons.js';
import { LastAdministrator } from '../operation/identity/last-administrator.js';
import { ProviderLinks } from '../operation/identity/provider-links.js';
import { ownerOf, starterOf } from '../operation/identity/starter.js';
import { SecondFactors } from '../operation/identity/second-factors.js';
import { Sessions } from '../operation/identity/sessions.js';
import { SignIn } from '../operation/identity/sign-in.js';
import {
  KeyspaceProtection,
  type NodeProtection,
} from '../operation/protection/keyspace-protection.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import { ExecutionLimits } from '../operation/tags/execution-limits.js';
import { Tags } from '../operation/tags/tags.js';
import { WaitingCallers } from '../operation/waiting-callers.js';
import type { Clock } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { AuditStore } from '../store/audit-store.js';
import type { Member } from '../store/shard-store.js';
import type { Fetch } from '../system-task/outbound-request.js';
import type { Logger } from '../telemetry/logger.js';

export interface AdministrationParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tables: RecordTables;
  readonly definitions: Definitions;
  /** The deployment's secret. */
  readonly secret: Buffer;
  readonly audit: AuditStore;
  /** The nodes that live. */
  readonly members: () => Promise<readonly Member[]>;
  /** For requests to the identity provider. */
  readonly providerFetch: Fetch;
}

/** Attempts to sign in and reads of secrets: how long and how many are summed. */
const auditSums = { windowMs: 60_000, kindsMax: 1000 };

export class Administration {
  readonly identities: IdentityTables;
  readonly tags: Tags;
  readonly ownership: RecordedOwnership;
  readonly definitionOwners: DefinitionOwners;
  readonly access: AccessRules;
  readonly held: HeldRights;
  /** undefined: authentication is off. */
  readonly authenticate: Authenticate | undefined;
  readonly keys: SealingKeys;
  readonly secretBox: SecretBox;
  readonly limits: ExecutionLimits;
  readonly taskUse: TaskUse;
  readonly workflowUse: WorkflowUse;
  /** undefined: authentication is off. */
  readonly waiting: WaitingCallers | undefined;
  readonly #protection: KeyspaceProtection;
  readonly #box: KeyedSecretBox;
  readonly #authenticator: Authenticator;
  readonly #signIn: SignIn;
  readonly #sessions: Sessions;
  readonly #secondFactors: SecondFactors;
  readonly #proxies: TrustedProxies;
  readonly #sums: SummedAudit;
  readonly #lastAdministrator: LastAdministrator;

  constructor(private readonly parts: AdministrationParts) {
    const { settings, log, clock, tables } = parts;
    const identities = new IdentityTables(tables, (type) => !this.#hasNamedEvery(type));
    const tags = new Tags(tables, (caller, resource, tag) => {
      if (this.held.coversTag(caller, resource, tag)) return;
      throw new AppError(
        'forbidden',
        `${caller.id} does not have the rights that the tag ${tag} gives on ${resource.type} ${resource.id}`,
      );
    });
    this.identities = identities;
    this.tags = tags;
    this.ownership = new RecordedOwnership(identities, tags);
    this.definitionOwners = new DefinitionOwners({
      ...{ tables, identities, clock, randomId: randomUUID },
      ownership: this.ownership,
    });
    this.access = settings.auth
      ? new EffectiveAccess({
          identities,
          grants: () => identities.grantIndex,
          names: {
            registrationOf: (name) => parts.definitions.table.registrationOf(name),
            isRegistered: (name) => parts.definitions.table.latest(name) !== undefined,
          },
          hasTag: (type, id, tag) => tags.has(type, id, tag),
        })
      : everythingAllowed;
    this.#sums = new SummedAudit({
      record: (entry) => parts.audit.append({ at: clock.now(), ...entry }),
      clock,
      ...auditSums,
      failed: (error) => log.warn({ err: error }, 'an entry of the audit log was not written'),
    });
    const { access } = this;
    this.held = new HeldRights({ access, identities });
    this.#lastAdministrator = new LastAdministrator({
      identities,
      isOn: settings.auth,
      hasProvider: settings.oidcIssuer !== '',
    });
    const failed = (error: unknown): void => log.warn({ err: error }, 'a secret was not opened');
    this.keys = new SealingKeys(keySourceOf(settings), clock, failed);
    const { members } = parts;
    this.#protection = new KeyspaceProtection({ tables, members, clock });
    const box = new KeyedSecretBox(this.keys, (key) => this.#protection.sealsWith(key));
    this.keys.onChange(() => void this.#sealAnew());
    this.#box = box;
    this.secretBox = box;
    this.limits = new ExecutionLimits(tables);
    this.taskUse = new TaskUse({
      access,
      definitions: parts.definitions,
      areAllRestricted: settings.restrictTaskDefinitions,
      actorOf: (subject) => this.starter(subject),
    });
    this.workflowUse = new WorkflowUse({
      access,
      actorOf: (subject) => this.starter(subject),
      taskUse: this.taskUse,
    });
    const tokens = new Tokens(parts.secret);
    const idleMs = settings.sessionIdleSeconds * 1000;
    const notStored = (error: unknown): void =>
      log.warn({ err: error }, 'the time of a use was not stored');
    this.#sessions = new Sessions({
      ...{ identities, clock, idleMs, failed: notStored },
      sessionsMax: settings.sessionsPerUserMax,
    });
    const table = identities.secondFactors;
    this.#secondFactors = new SecondFactors({ table, box, clock });
    this.#authenticator = new Authenticator({
      uses: tokenUses(this.#sessions, new KeyUses(identities, notStored), idleMs),
      tokens,
      identities,
      isEnded: (tokenId) => identities.isEnded(tokenId),
      rates: requestRates(settings.requestsPerSecondMax),
      now: () => clock.now(),
    });
    this.waiting = settings.auth ? this.#waitingCallers() : undefined;
    this.#signIn = new SignIn({
      identities,
      tokens,
      sessions: this.#sessions,
      secondFactors: this.#secondFactors,
      attempts: new SignInAttempts(settings.signInFailuresMax),
      clock,
      tokenLifeMs: settings.tokenSeconds * 1000,
      tokenLifeMsMax: settings.tokenSecondsMax * 1000,
    });
    this.#proxies = new TrustedProxies(settings.trustedProxies);
    this.authenticate = settings.auth
      ? createAuthenticate(this.#authenticator, {
          origins: settings.webOrigins,
          secure: isSecure(settings),
        })
      : undefined;
  }

  /**
   * Refuses a node that differs from what protects the keyspace: `entrance` starts once the records
   * are loaded, `confirmation` once the node has its lease.
   */
  get protection(): { readonly entrance: Service; readonly confirmation: Service } {
    const { settings, log } = this.parts;
    const { persons, applications, keys } = this.identities;
    const { auth, restrictTaskDefinitions } = settings;
    const node: NodeProtection = {
      guards: { auth, restrictTaskDefinitions },
      sealing: this.keys,
      hasIdentities: () => persons.size + applications.size + keys.size > 0,
      tell: (sentence) => log.warn(sentence),
    };
    return {
      entrance: this.#protection.entrance(node),
      confirmation: this.#protection.confirmation(node),
    };
  }

  /** Those who wait for a hand-out, checked again when rights change. */
  #waitingCallers(): WaitingCallers {
    const { identities, tags } = this;
    const renewed = (caller: Caller): Caller => this.#authenticator.renewed(caller);
    const callers = new WaitingCallers(this.parts.clock, renewed);
    identities.onChange(() => callers.changed());
    tags.table.onChange(() => callers.changed());
    return callers;
  }

  /** Records what callers do; while authentication is off there is nobody to name. */
  get auditor(): Auditor {
    const { clock, audit } = this.parts;
    return {
      record: (entry) => audit.append({ at: clock.now(), ...entry }),
      note: (entry) => this.#sums.note(entry),
      addressOf: (request) =>
        this.#proxies.clientOf(request.remoteAddress, request.header('x-forwarded-for')),
    };
  }

  /** The same for what executions do on behalf of who started them; undefined: nobody is named. */
  get taskAudit(): Auditor['record'] | undefined {
    return this.authenticate === undefined ? undefined : this.auditor.record;
  }

  /**
   * With whose rights an execution acts; undefined: who started it does not exist any more. While
   * authentication is off nobody is asked who he is.
   */
  starter(startedBy: string | undefined): Caller | undefined {
    return this.parts.settings.auth ? starterOf(startedBy, this.identities) : systemCaller;
  }

  /**
   * With whose rights a schedule, a webhook or an event handler acts: those in force of its owner
   * of record. undefined: the owner does not exist any more.
   */
  owner(ownerId: string): Caller | undefined {
    if (this.parts.settings.auth) return ownerOf(ownerId, this.identities);
    return { ...systemCaller, id: ownerId };
  }

  /** Ends what nodes that died had begun to create. */
  get definitionOwnerMending(): Service {
    const { clock, definitions, log } = this.parts;
    return new DefinitionOwnerMending({
      ...{ owners: this.definitionOwners, clock },
      refresh: () => definitions.refresh(),
      isCreated: (pending) => isCreated(definitions, pending),
      failed: (error) => log.warn({ err: error }, 'owners of new definitions were not recorded'),
    });
  }

  /** Which task definitions not everybody may use; undefined: none. */
  get taskUseRules(): TaskUse | undefined {
    return this.parts.settings.auth && this.taskUse.any ? this.taskUse : undefined;
  }

  /** Whether an earlier version has stored a resource of the type that is called `*`. */
  #hasNamedEvery(type: TargetType): boolean {
    const { table } = this.parts.definitions;
    if (type === 'WORKFLOW_DEF') return table.latest(everyId) !== undefined;
    if (type === 'TASK_DEF') return table.taskDef(everyId) !== undefined;
    return this.parts.tables.hasNamedEvery(type);
  }

  /** Endpoints of identities, and what the start says about them. */
  area(definitions: DefinitionLookup): {
    readonly endpoints: readonly Endpoint[];
    readonly services: readonly Service[];
  } {
    return {
      endpoints: this.#endpoints(definitions),
      services: [this.#hint(), this.#sealing(), this.#sums],
    };
  }

  #endpoints(definitions: DefinitionLookup): Endpoint[] {
    const { identities, tags, access, ownership } = this;
    const { clock, settings } = this.parts;
    const { held } = this;
    const lastAdministrator = this.#lastAdministrator;
    const applications = new Applications({
      ...{ identities, tags, ownership, clock, held, lastAdministrator },
    });
    const grants = new Grants(identities, tags, access);
    const persons = new Persons(identities, lastAdministrator);
    return [
      ...(settings.auth
        ? tokenRoutes({
            signIn: this.#signIn,
            sessions: this.#sessions,
            authenticator: this.#authenticator,
            persons,
            proxies: this.#proxies,
            secureCookies: isSecure(settings),
            note: this.auditor.note,
          })
        : openTokenRoutes()),
      ...(settings.auth ? this.#accountEndpoints() : []),
      ...this.#oidcEndpoints(),
      ...userSessionRoutes({
        persons,
        sessions: this.#sessions,
        secondFactors: this.#secondFactors,
      }),
      ...userRoutes({ identities, persons, grants, access, tags }),
      ...providerLinkRoutes(new ProviderLinks(identities, persons), clock),
      ...groupRoutes({ identities, groups: new Groups(identities, lastAdministrator), grants }),
      ...roleRoutes(new CustomRoles(identities)),
      ...grantRoutes(grants),
      ...definitionTagRoutes({ tags, limits: this.limits, definitions }),
      ...tagListRoutes(tags, access),
      ...auditRoutes(new AuditLog(this.parts.audit)),
      ...forThoseWithItsRights({ applications, held }, [
        ...applicationRoutes(applications, access),
        ...tagRoutes({
          tags,
          type: 'APPLICATION',
          resource: '/api/applications/:id',
          noun: 'Application',
          variables: ['id'],
        }),
      ]),
    ];
  }

  /** Endpoints by which people change their own account. */
  #accountEndpoints(): Endpoint[] {
    const { identities } = this;
    const { clock, settings } = this.parts;
    const lifeMs = settings.invitationSeconds * 1000;
    const account = new Account({
      ...{ identities, signIn: this.#signIn },
      ...{ sessions: this.#sessions, secondFactors: this.#secondFactors },
    });
    return [
      ...accountRoutes({
        account,
        authenticator: this.#authenticator,
        proxies: this.#proxies,
        secureCookies: isSecure(settings),
      }),
      ...invitationRoutes(new Invitations(identities, clock, lifeMs), identities),
    ];
  }

  /** Sign-in through a provider, when there is one. */
  #oidcEndpoints(): Endpoint[] {
    const { settings } = this.parts;
    if (!settings.auth || settings.oidcIssuer === '') return [];
    const persons = new OidcPersons(
      this.identities,
      {
        userClaim: settings.oidcUserClaim,
        groupsClaim: settings.oidcGroupsClaim,
        roles: parseMapping(settings.oidcRoles),
        groups: parseMapping(settings.oidcGroups),
        emailsVerified: settings.oidcEmailsVerified,
      },
      this.parts.clock,
    );
    return oidcRoutes({
      settings: {
        issuer: settings.oidcIssuer,
        clientId: settings.oidcClientId,
        clientSecret: settings.oidcClientSecret,
        redirectUrl: settings.oidcRedirectUrl,
        scope: settings.oidcScope,
      },
      fetch: this.parts.providerFetch,
      persons,
      signIn: this.#signIn,
      secureCookies: isSecure(settings),
      proxies: this.#proxies,
      note: this.auditor.note,
    });
  }

  /** Says at the start what everybody who runs the server should know. */
  #hint(): Service {
    const { settings, log } = this.parts;
    return {
      start: async () => {
        if (!settings.auth) {
          log.warn(
            'authentication is off: everybody who reaches this server may do everything (--auth asks for tokens)',
          );
        } else if (this.#hasNoAdministrator()) {
          log.warn(`there is no administrator yet: make one with ${calledAs.admin} create-key`);
        }
      },
      stop: async () => undefined,
    };
  }

  /** Seals anew at the start what an older key has sealed. */
  #sealing(): Service {
    return { start: () => this.#sealAnew(), stop: async () => undefined };
  }

  /** A key that seals nothing any more may go. Never rejects. */
  async #sealAnew(): Promise<void> {
    const failed = (error: unknown): undefined => {
      this.parts.log.warn({ err: error }, 'what an older key has sealed was not sealed anew');
    };
    await this.parts.tables
      .sealAnew((sealed, owner) => this.#box.sealedAnew(sealed, owner).catch(failed))
      .catch(failed);
    await this.#protection.forgetUnused(this.keys.all[0]).catch(failed);
  }

  /** Whether anybody can administer; while authentication is off everybody does. */
  get hasAdministrator(): boolean {
    return !this.parts.settings.auth || !this.#hasNoAdministrator();
  }

  #hasNoAdministrator(): boolean {
    const { persons, applications, groups } = this.identities;
    const all = [...persons.values(), ...applications.values(), ...groups.values()];
    return !all.some(({ roles }) => roles.includes('ADMIN'));
  }
}

/** Uses are looked at once a minute, or more often where sessions end soon. */
const usesEveryMsMax = 60_000;

function tokenUses(sessions: Sessions, keys: KeyUses, idleMs: number): TokenUses {
  return {
    everyMs: idleMs === 0 ? usesEveryMsMax : Math.min(usesEveryMsMax, idleMs / 10),
    isIdle: ({ gen, jti }, now) => gen !== undefined && sessions.isIdle(jti, now),
    used: ({ gen, key, jti }, now) => {
      if (gen !== undefined) sessions.used(jti, now);
      if (key !== undefined) keys.used(key, now);
    },
  };
}

/** Whether users come over TLS, here or at a proxy: what tells of it is any address with https. */
export function isSecure(settings: Settings): boolean {
  const { tlsCertFile, oidcRedirectUrl, publicUrl, webOrigins } = settings;
  const addresses = [oidcRedirectUrl, publicUrl, ...webOrigins];
  return tlsCertFile !== '' || addresses.some((url) => url.startsWith('https:'));
}

function keySourceOf(settings: Settings): SealingKeySource {
  const isPrivate = settings.redisUrl === '';
  return {
    text: settings.secretsKey,
    file: settings.secretsKeyFile,
    command: settings.secretsKeyCommand,
    ownFile: isPrivate ? path.join(settings.dataDir, 'secrets.key') : undefined,
  };
}

function requestRates(perSecond: number): RequestRates | undefined {
  return perSecond === 0
    ? undefined
    : new RequestRates({ burst: perSecond, refillMs: 1000 / perSecond });
}

/** Whether the store has what was about to be created. */
function isCreated({ table }: Definitions, { type, name, mark, by }: PendingOwner): boolean {
  if (type === 'WORKFLOW_DEF') return table.registrationOf(name)?.id === mark;
  const def = table.taskDef(name);
  return def?.createdBy === by && String(def.createTime) === mark;
}
