// Sessions of persons (docs/access.md, "Account"): one for each token that was issued to a person,
// so that they and administrators see and end them. A session of the page ends by itself when
// nobody has used it for the idle time. When it was last used is kept in memory and stored only now
// and then, so that a request costs no write; for the idle time this node counts what it has seen
// itself beside what the others have stored.
import type { TokenClaims } from '../sign-in/tokens.js';
import { AppError } from '../../../model/errors.js';
import { Lru } from '../../../std/lru.js';
import type { Clock } from '../../../std/clock.js';
import type { RecordWrite } from '../../../store/record-store.js';
import {
  sessionRecord,
  type EndedSession,
  type SessionRecord,
  type ShownSession,
  type UserSession,
} from './session.js';
import type { IdentityTables } from '../identity-tables.js';

export interface SessionsParts {
  readonly identities: IdentityTables;
  readonly clock: Clock;
  /** Unused sessions of the page end after this time, ms; 0: they do not. */
  readonly idleMs: number;
  /** Of one person; the oldest ends when one more begins. */
  readonly sessionsMax: number;
  /** Told when the time of a use was not stored. */
  readonly failed: (error: unknown) => void;
}

/** Parts of the idle time after which a use is stored again. */
const storedPerIdleTime = 10;
const storedEveryMsMax = 3_600_000;
const usesKnownMax = 10_000;
/** Sessions and marks of ended ones that are cleared away with one sign-in. */
const clearedAtOnceMax = 100;

export class Sessions {
  /** When this node saw a session last, by its id. */
  readonly #usedAt = new Lru<string, number>(usesKnownMax);

  constructor(private readonly parts: SessionsParts) {}

  /** Records a new one; durable when it resolves. */
  async opened(session: Omit<SessionRecord, 'startedAt' | 'usedAt'>): Promise<void> {
    const { identities, clock, sessionsMax } = this.parts;
    const now = clock.now();
    const record = { ...session, startedAt: now, usedAt: now };
    const tooMany = this.#of(session.person).slice(sessionsMax - 1);
    const over = [...identities.sessions.values()].filter((each) => this.#isOver(each));
    // One that ended for want of use is marked as ended, since its record says so no longer.
    const ended = [...tooMany, ...over.slice(0, clearedAtOnceMax)];
    await this.#write([
      identities.sessions.writeOf(record),
      ...ended.flatMap((each) => this.#ending(each)),
    ]);
  }

  /** Those of a person that still count, the newest first. `own`: the one that asks. */
  list(person: string, own?: string): ShownSession[] {
    return this.#of(person).map((session) => this.#shown(session, own));
  }

  /** Those of everybody that still count, with whose they are; the one used last comes first. */
  all(): UserSession[] {
    const { identities } = this.parts;
    return [...identities.sessions.values()]
      .filter((session) => !this.#isOver(session))
      .sort((a, b) => this.#lastUsedAt(b) - this.#lastUsedAt(a))
      .map((session) => ({
        ...this.#shown(session),
        person: session.person,
        name: identities.person(session.person)?.name ?? session.person,
      }));
  }

  #shown(session: SessionRecord, own?: string): ShownSession {
    const seen = { ...session, usedAt: this.#lastUsedAt(session) };
    return sessionRecord.toJson(seen, { isOwn: session.id === own });
  }

  #lastUsedAt({ id, usedAt }: SessionRecord): number {
    return Math.max(usedAt, this.#usedAt.get(id) ?? 0);
  }

  /** Rejects with AppError 'not-found' unless it is one of the person's. */
  async end(person: string, id: string): Promise<void> {
    const session = this.#of(person).find((each) => each.id === id);
    if (session === undefined) throw new AppError('not-found', `Session ${id} not found`);
    await this.#write(this.#ending(session));
  }

  /** Ends all of a person but `own`; how many. */
  async endOthers(person: string, own?: string): Promise<number> {
    const others = this.#of(person).filter(({ id }) => id !== own);
    await this.#write(others.flatMap((each) => this.#ending(each)));
    return others.length;
  }

  /** Ends the token of these claims before its time, on every node. */
  async endToken({ jti, exp }: TokenClaims): Promise<void> {
    const until = (exp ?? Number.MAX_SAFE_INTEGER / 1000) * 1000;
    const { endedSessions } = this.parts.identities;
    const now = this.parts.clock.now();
    const over = [...endedSessions.values()].filter((session) => session.until < now);
    await this.#write([
      ...this.#ending({ id: jti, until }),
      ...over.slice(0, clearedAtOnceMax).map(({ tokenId }) => ({
        kind: 'ended-session' as const,
        id: tokenId,
        text: undefined,
      })),
    ]);
  }

  /** Whether nobody has used it for the idle time. */
  isIdle(id: string, now: number): boolean {
    const { idleMs, identities } = this.parts;
    const session = identities.sessions.get(id);
    if (idleMs === 0 || session?.kind !== 'page') return false;
    return now - this.#lastUsedAt(session) > idleMs + this.#storedEveryMs;
  }

  /** Somebody uses it now. */
  used(id: string, now: number): void {
    this.#usedAt.set(id, now);
    const { sessions } = this.parts.identities;
    const session = sessions.get(id);
    if (session === undefined || now - session.usedAt < this.#storedEveryMs) return;
    const revision = sessions.revisionOf(id);
    sessions.put({ ...session, usedAt: now }, revision).catch(this.parts.failed);
  }

  get #storedEveryMs(): number {
    const { idleMs } = this.parts;
    return idleMs === 0 ? storedEveryMsMax : Math.min(idleMs / storedPerIdleTime, storedEveryMsMax);
  }

  #of(person: string): SessionRecord[] {
    return [...this.parts.identities.sessions.values()]
      .filter((session) => session.person === person && !this.#isOver(session))
      .sort((a, b) => b.startedAt - a.startedAt);
  }

  #isOver({ id, person, generation, until = Number.POSITIVE_INFINITY }: SessionRecord): boolean {
    const { identities, clock } = this.parts;
    const now = clock.now();
    if (identities.person(person)?.generation !== generation) return true;
    return until <= now || identities.isEnded(id) || this.isIdle(id, now);
  }

  #ending({ id, until }: Pick<SessionRecord, 'id' | 'until'>): RecordWrite[] {
    const mark: EndedSession = { tokenId: id, until: until ?? Number.MAX_SAFE_INTEGER };
    return [
      this.parts.identities.endedSessions.writeOf(mark),
      { kind: 'session', id, text: undefined },
    ];
  }

  async #write(writes: readonly RecordWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const { sessions, endedSessions } = this.parts.identities;
    await sessions.write(writes, [endedSessions]);
  }
}
