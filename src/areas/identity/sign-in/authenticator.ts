// Turns what a request brings into who asks. A token is checked once and remembered, so that a
// request on a hot route costs one lookup; whatever changes an identity (a key, a person, a group,
// a role, an ended session) raises the identities' revision, and then everything remembered is
// forgotten.
//
// It is remembered under the end of its text, which is the end of its signature, and counts only
// when its whole text is the same: each request brings the text as a new string, and hashing all
// of it takes 4,000 instructions, comparing it some 300. Of two tokens with the same end, which
// nobody will see, each takes the other's place.
import { Lru } from '../../../std/lru.js';
import { AppError } from '../../../model/errors.js';
import type { Caller } from '../../../model/caller.js';
import { plainId, subjectOf } from '../../../model/subject.js';
import { applicationOfSubject, applicationSubject, type Identities } from '../identities.js';
import type { RequestRates } from '../../../std/request-rates.js';
import type { TokenClaims, TokenSigner } from './tokens.js';

export interface AuthenticatorParts {
  readonly tokens: TokenSigner;
  readonly identities: Identities;
  /** Whether the session of this token id was ended by its person. */
  readonly isEnded: (tokenId: string) => boolean;
  /** Knows when keys and sessions were used; absent: nobody asks. */
  readonly uses?: TokenUses;
  /** Requests per key or person; undefined: not limited. */
  readonly rates: RequestRates | undefined;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Records the use of tokens; both methods are called now and then only. */
export interface TokenUses {
  /** A token that was looked at so long ago is looked at again, ms. */
  readonly everyMs: number;
  /** Whether its session has ended because nobody used it. */
  isIdle(claims: TokenClaims, now: number): boolean;
  used(claims: TokenClaims, now: number): void;
}

interface Known {
  readonly token: string;
  /** As it was when the token was checked. */
  readonly present: Caller;
  /** As it is whenever it is asked. */
  readonly caller: Caller;
  readonly claims: TokenClaims;
  readonly endsAt: number;
  /** When `uses` was told of it last, epoch ms. */
  usedAt: number;
}

/** Tokens remembered; one takes about 1 KB. */
const tokensKnownMax = 10_000;
/** Characters under which one is remembered: 72 bits of its signature. */
const tokenEndChars = 12;

export class Authenticator {
  /** Callers as they were given out. */
  readonly #tokenOf = new WeakMap<Caller, string>();
  readonly #known = new Lru<string, Known>(tokensKnownMax);
  #revision = -1;

  constructor(private readonly parts: AuthenticatorParts) {}

  /**
   * The caller of a token. Throws AppError 'unauthenticated' with the code that clients act on
   * (contract-admin 1.4), 'too-many' when the caller asks too often.
   */
  caller(token: string): Caller {
    const { caller, claims } = this.#look(token);
    const waitMs = this.parts.rates?.take(claims.key ?? claims.sub, performance.now());
    if (waitMs === undefined) return caller;
    throw new AppError('too-many', 'This key or user sends more requests than are allowed', {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }

  /** The caller of the same token as it is now. Throws AppError 'unauthenticated'. */
  renewed(caller: Caller): Caller {
    const token = this.#tokenOf.get(caller);
    if (token === undefined) throw refused('The token of this caller is not known');
    return this.#look(token).caller;
  }

  /** The claims of a token. Throws AppError 'unauthenticated'. */
  claims(token: string): TokenClaims {
    return this.#look(token).claims;
  }

  #look(token: string): Known {
    const { identities, now } = this.parts;
    if (identities.revision !== this.#revision) {
      this.#known.clear();
      this.#revision = identities.revision;
    }
    const end = token.slice(-tokenEndChars);
    let known = this.#known.get(end);
    const at = now();
    if (known?.token !== token) this.#known.set(end, (known = this.#check(token, at)));
    else if (known.endsAt <= at) throw expired();
    const { uses } = this.parts;
    if (uses !== undefined && at - known.usedAt >= uses.everyMs) use(uses, known, at);
    return known;
  }

  #check(token: string, now: number): Known {
    const { tokens, isEnded, identities } = this.parts;
    const check = tokens.check(token, now);
    if (check.kind === 'expired') throw expired();
    if (check.kind === 'invalid') throw refused('The token is not valid');
    const { claims } = check;
    if (isEnded(claims.jti)) throw refused('The session of this token was ended');
    const present = this.#callerOf(claims, now);
    const caller = this.#live(token, present);
    this.#tokenOf.set(caller, token);
    const keyEndsAt = identities.accessKey(claims.key ?? '')?.expiresAt;
    const endsAt = Math.min((claims.exp ?? Infinity) * 1000, keyEndsAt ?? Infinity);
    return { token, caller, present, claims, endsAt, usedAt: Number.NEGATIVE_INFINITY };
  }

  /**
   * With the roles and groups as they are whenever it is asked, for operations that take their time
   * or wait for their turn. They throw AppError 'unauthenticated' once the token does not count any
   * more.
   */
  #live(token: string, first: Caller): Caller {
    const { identities } = this.parts;
    let present = first;
    let { revision } = identities;
    const now = (): Caller => {
      if (identities.revision === revision) return present;
      present = this.#look(token).present;
      revision = identities.revision;
      return present;
    };
    return {
      kind: first.kind,
      id: first.id,
      get roles() {
        return now().roles;
      },
      get groups() {
        return now().groups;
      },
    };
  }

  #callerOf(claims: TokenClaims, now: number): Caller {
    const { identities } = this.parts;
    if (claims.key !== undefined) {
      const key = identities.accessKey(claims.key);
      const owner = key === undefined ? '' : applicationSubject(key.applicationId);
      if (key?.status !== 'ACTIVE' || owner !== claims.sub) {
        throw refused('The access key of this token is inactive or deleted');
      }
      if ((key.expiresAt ?? Infinity) <= now) throw refused('The access key has ended');
    } else if (identities.person(claims.sub)?.generation !== claims.gen) {
      throw refused('The user of this token was deleted or has to sign in again');
    }
    const caller = presentCaller(claims.sub, identities);
    if (caller === undefined) throw refused('The subject of this token does not exist');
    return caller;
  }
}

/**
 * The caller that a stored subject stands for, with the roles in force; undefined when the person
 * or application is gone, also where another person has the id by now.
 */
export function callerOf(subject: string, identities: Identities): Caller | undefined {
  const caller = presentCaller(plainId(subject), identities);
  return caller?.id === subject ? caller : undefined;
}

/** The caller who has an id now: a person's, or `app:<id>`. */
export function presentCaller(id: string, identities: Identities): Caller | undefined {
  const applicationId = applicationOfSubject(id);
  const found =
    applicationId === undefined ? identities.person(id) : identities.application(applicationId);
  if (found === undefined) return undefined;
  const groups = found.groups.filter((id) => identities.group(id) !== undefined);
  const inherited = groups.flatMap((id) => identities.group(id)?.roles ?? []);
  return {
    kind: applicationId === undefined ? 'user' : 'application',
    id: applicationId === undefined ? subjectOf(id, identities.timesDeleted(id)) : id,
    roles: [...new Set([...found.roles, ...inherited])],
    groups,
  };
}

function use(uses: TokenUses, known: Known, now: number): void {
  if (uses.isIdle(known.claims, now)) throw refused('The session was not used for too long');
  known.usedAt = now;
  uses.used(known.claims, now);
}

function expired(): AppError {
  return new AppError('unauthenticated', 'Token has expired', { tokenError: 'EXPIRED_TOKEN' });
}

function refused(message: string): AppError {
  return new AppError('unauthenticated', message, { tokenError: 'INVALID_TOKEN' });
}
