// An application and its access keys (contract-admin 2): how they are stored, what callers write,
// and what they are shown.
import { list, oneOf, text, time } from '../../../model/schema.js';
import { tagListSchema, type Tag } from '../../../model/tag.js';
import { told } from '../../../model/field.js';
import { noun, type ShownOf } from '../../../declare/noun.js';
import { always, given, nameOf, shown, type ValueOf } from '../fields.js';

const name = given(text(), (reader, field) => nameOf(reader, field).trim());

export const application = noun({
  title: 'Application',
  written: { name },
  kept: {
    id: always<string>(text('UUID')),
    createdBy: told<string>(text('Subject id')),
    updatedBy: told<string>(text('Subject id')),
    createTime: always<number>(time()),
    updateTime: always<number>(time()),
  },
  hidden: {
    roles: always<readonly string[]>(list(text())),
    groups: always<readonly string[]>(list(text())),
  },
  derived: { tags: told<readonly Tag[]>(tagListSchema) },
  stored: { kind: 'application', idOf: ({ id }) => id },
});
export type ShownApplication = ShownOf<typeof application>;

const endSchema = time('From then on it does not count; absent: it has no end');

export const accessKey = noun({
  title: 'AccessKey',
  written: {},
  kept: {
    id: always<string>(text('Id')),
    createdAt: always<number>(time()),
    status: always<'ACTIVE' | 'INACTIVE'>(oneOf(['ACTIVE', 'INACTIVE'])),
    expiresAt: told<number>(endSchema),
  },
  hidden: {
    applicationId: always<string>(text()),
    /** As `hashKeySecret` makes it. */
    secretHash: always<string>(text()),
  },
  derived: { lastUsedAt: told<number>(time('To the hour; absent: it was never used')) },
  stored: { kind: 'access-key', idOf: ({ id }) => id },
});
export type ShownKey = ShownOf<typeof accessKey>;

export const createdKey = shown('CreatedAccessKey', {
  id: always<string>(text('Id')),
  secret: always<string>(text('Shown this one time only')),
  expiresAt: told<number>(endSchema),
});
export type CreatedKey = ValueOf<typeof createdKey>;

/** When an access key was used. */
export interface KeyUse {
  /** The key's. */
  readonly id: string;
  /** It may have been used for an hour since. */
  readonly usedAt: number;
}
