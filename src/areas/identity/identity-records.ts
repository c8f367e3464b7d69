// Stored records of identities beside those that access knows (areas/identity/identities.ts): sessions,
// links to identities of the provider, invitations and uses of keys. Times are epoch ms.

/** `page`: the cookie of a browser; `token`: an access token for other programs. */
export type SessionKind = 'page' | 'token';

/** A token that was issued to a person. */
export interface SessionRecord {
  /** Id of its token. */
  readonly id: string;
  readonly person: string;
  /** Of the person when it began; another one there means that it has ceased. */
  readonly generation: string;
  readonly kind: SessionKind;
  /** Of the client that signed in. */
  readonly address: string;
  readonly startedAt: number;
  /** When its token ends; absent: never. */
  readonly until?: number;
  /** When it was used, as far as that is stored. */
  readonly usedAt: number;
}

/** Which identity of the provider signs in as a person, or that the next one may. */
export type ProviderLink =
  | { readonly id: string; readonly state: 'ALLOWED'; readonly by: string; readonly at: number }
  | {
      readonly id: string;
      readonly state: 'LINKED';
      readonly issuer: string;
      readonly subject: string;
      readonly at: number;
    };

/** An account that somebody may make. */
export interface Invitation {
  readonly id: string;
  /** Id of the account to be. */
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** As `hashKeySecret` makes it. */
  readonly secretHash: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly until: number;
}

/** When an access key was used. */
export interface KeyUse {
  /** The key's. */
  readonly id: string;
  /** It may have been used for an hour since. */
  readonly usedAt: number;
}
