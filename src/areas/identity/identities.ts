// The records behind identities as access knows them: users, groups, applications, access keys,
// custom roles and grants (contract-admin 2 to 6).
import type { StoredOf } from '../../declare/noun.js';
import type { accessKey, application } from './applications/application.js';
import { systemCaller } from '../../model/caller.js';
import type { Right, TargetType } from '../../access/access-rules.js';
import type { subjectTypes } from '../../access/resource-names.js';

/** Times are epoch ms. */
export interface Person {
  /** Lower case (contract-admin 3.1). */
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Ids of groups that it is a member of. */
  readonly groups: readonly string[];
  readonly contactInformation: Readonly<Record<string, string>>;
  readonly uuid: string;
  /** As `hashPassword` makes it; absent: no sign-in with a password. */
  readonly passwordHash?: string;
  /** Drawn anew when everything issued to the person so far is to cease. */
  readonly generation: string;
  /** How often persons of the id were deleted before it was made; absent: never. */
  readonly formerly?: number;
}

/** An id whose person was deleted; kept for good. */
export interface FormerPerson {
  readonly id: string;
  /** How often. */
  readonly times: number;
}

export type Application = StoredOf<typeof application>;
export type AccessKey = StoredOf<typeof accessKey>;

export interface Group {
  /** Its name; case is kept. */
  readonly id: string;
  readonly description: string;
  readonly roles: readonly string[];
  /** The rights that the group receives on things that its members create (contract-admin 4.1). */
  readonly defaultAccess: Partial<Readonly<Record<TargetType, readonly Right[]>>>;
  readonly contactInformation: Readonly<Record<string, string>>;
}

export interface CustomRole {
  readonly name: string;
  /** `<RIGHT>_<TARGET TYPE>` (contract-admin 5.3). */
  readonly permissions: readonly string[];
}

export type SubjectType = (typeof subjectTypes)[number];

export interface SubjectRef {
  readonly type: SubjectType;
  readonly id: string;
}

export interface TargetRef {
  readonly type: TargetType;
  readonly id: string;
}

/** The rights of one subject on one target; the pair is its identity. */
export interface Grant {
  readonly subject: SubjectRef;
  readonly target: TargetRef;
  readonly access: readonly Right[];
  /** It came with the creation of the target by the subject; absent: others gave it. */
  readonly isOwner?: boolean;
}

/** Subject id of an application (contract-admin 1.5). */
export function applicationSubject(applicationId: string): string {
  return `${applicationPrefix}${applicationId}`;
}

/** Id of the application that a subject id stands for; undefined for a person's. */
export function applicationOfSubject(subjectId: string): string | undefined {
  return subjectId.startsWith(applicationPrefix)
    ? subjectId.slice(applicationPrefix.length)
    : undefined;
}

/** Ids that no person may have: those of applications, and of the server itself. */
export function isReservedId(id: string): boolean {
  return applicationOfSubject(id) !== undefined || id === systemCaller.id;
}

const applicationPrefix = 'app:';

/** Identities as this node knows them now; answers come from memory. */
export interface Identities {
  /** Rises with every change of a person, group, application, key or role. */
  readonly revision: number;
  person(id: string): Person | undefined;
  /** How often persons of the id were deleted. */
  timesDeleted(id: string): number;
  application(id: string): Application | undefined;
  accessKey(id: string): AccessKey | undefined;
  group(id: string): Group | undefined;
  customRole(name: string): CustomRole | undefined;
}
