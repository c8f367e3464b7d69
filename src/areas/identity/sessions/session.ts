// A session as it is stored, and as persons and administrators see it. Times are epoch ms.
import { flag, oneOf, text, time } from '../../../model/schema.js';
import { told } from '../../../model/field.js';
import { noun, type ShownOf, type StoredOf } from '../../../declare/noun.js';
import { always, shown, type Shown, type ValueOf } from '../fields.js';

/** `page`: the cookie of a browser; `token`: an access token for other programs. */
export type SessionKind = 'page' | 'token';

/** A token that was issued to a person. */
const declared = {
  /** Of its token. */
  id: always<string>(text('Id')),
  kind: always<SessionKind>(oneOf(['page', 'token'])),
  address: always<string>(text('Of the client that signed in')),
  startedAt: always<number>(time()),
  until: told<number>(time('When its token ends; absent: never')),
  /** As far as that is stored. */
  usedAt: always<number>(time('When it was used, as far as that is known')),
};
const isOwn = { isOwn: always<boolean>(flag('Whether it is the one that asks')) };

export const sessionRecord = noun({
  title: 'Session',
  written: {},
  kept: declared,
  hidden: {
    person: always<string>(text()),
    /** Of the person when it began; another one there means that it has ceased. */
    generation: always<string>(text()),
  },
  derived: isOwn,
  stored: { kind: 'session', idOf: ({ id }) => id },
});
export type SessionRecord = StoredOf<typeof sessionRecord>;
export type ShownSession = ShownOf<typeof sessionRecord>;

export const session: Shown<ShownSession> = sessionRecord.shown;

/** With whose it is. */
export const userSession = shown('UserSession', {
  ...declared,
  ...isOwn,
  person: always<string>(text('Id of the user')),
  name: always<string>(text('Of the user')),
});
export type UserSession = ValueOf<typeof userSession>;

/** A token that was ended before its time; kept until it would have expired. */
export interface EndedSession {
  readonly tokenId: string;
  /** Epoch ms. */
  readonly until: number;
}
