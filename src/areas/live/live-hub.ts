// The open streams of this node (design M3): `GET /api/stream` sends what changes as server-sent
// events, many topics on one connection.
//
// Life of a stream: `prepare` checks the caller's rights and has the other nodes tell of its topics
// (topic-notices.ts); `open` sends `ready`, after which every change is sent. A reader reads the
// state after `ready` and misses nothing. An event carries an id; a reader that comes back with it
// is sent what it has missed, as long as this node still has all of that (event-ring.ts). Else, and
// whenever changes were lost on their way, `reset` names the topics whose state is to be read anew.
// Events of the topics `queues`, `overview` and `job:{jobId}` are a whole state each
// (live-counters.ts).
//
// A stream ends after `streamLifeMs`, at once when the token of its reader does not count any more,
// and some seconds after any identity has changed, so that its reader comes back with what he may
// see by then. Between its events a stream costs a comment every few seconds.
import { randomBytes } from 'node:crypto';
import type { AccessRules } from '../../access/access-rules.js';
import { requireOnExecution } from '../../access/execution-rights.js';
import type { Caller } from '../../model/caller.js';
import { AppError, noSuchWorkflow } from '../../model/errors.js';
import { toJsonText } from '../../model/json-text.js';
import { ownedOf } from '../../operation/access.js';
import type { BulkJobView } from '../bulk-jobs/port.js';
import type { TopicChange, TopicListener, TopicNotices } from '../../placement/topic-notices.js';
import type { Clock, TimerHandle } from '../../std/clock.js';
import { SharedQuota } from '../../std/shared-quota.js';
import type { Service } from '../../std/service.js';
import type { OperationContext } from '../../operation/context.js';
import { EventRing, type LiveEvent } from './event-ring.js';
import { mergeInbox } from '../../operation/live/inbox-changes.js';
import { beatFrame, frameOf, LiveStream, type StreamSink } from './live-stream.js';
import { shownData } from './shown-changes.js';
import { executionsTopic, inboxTopic, type Topic } from '../../operation/live/topics.js';

export interface LiveHubParts {
  readonly context: Pick<OperationContext, 'executions' | 'waiting'>;
  readonly access: AccessRules;
  readonly jobs: Pick<BulkJobView, 'get'>;
  readonly notices: Pick<TopicNotices, 'want' | 'unwant'>;
  readonly clock: Clock;
  /** Another number than before when any identity has changed. */
  readonly identityRevision: () => number;
  /** Streams that may be open at this node. */
  readonly streamsMax: number;
}

/** Every stream gets a comment once in this time, ms. */
const beatEveryMs = 5000;
/** Streams take turns, so that no turn writes to all of them. */
const beatSlots = 50;
const streamLifeMs = 600_000;
/** Changes of topics with many readers are sent together, once in this time, ms. */
const listEveryMs = 500;
/** Topics of which it is known since when nothing was missed, beside those with streams. */
const topicsKeptMax = 20_000;
const ringLimits = { eventsMax: 2000, charsMax: 8 * 1024 * 1024 };

export class LiveHub implements TopicListener, Service {
  readonly #boot = randomBytes(6).toString('base64url');
  readonly #byTopic = new Map<string, Set<LiveStream>>();
  readonly #slots: Set<LiveStream>[] = Array.from({ length: beatSlots }, () => new Set());
  readonly #ring = new EventRing(ringLimits);
  /** By topic: the event after which nothing of it was missed. */
  readonly #wholeSince = new Map<string, number>();
  readonly #lists = new Map<string, Map<string, TopicChange>>();
  #number = 0;
  readonly #open: SharedQuota;
  #slot = 0;
  #beat: TimerHandle | undefined;
  #listTimer: TimerHandle | undefined;

  constructor(private readonly parts: LiveHubParts) {
    this.#open = new SharedQuota(parts.streamsMax);
  }

  /** Streams that are open. */
  get size(): number {
    return this.#open.taken;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#beat?.cancel();
    this.#listTimer?.cancel();
    for (const slot of this.#slots) for (const stream of slot) stream.end();
    return Promise.resolve();
  }

  streamsOf(topic: string): ReadonlySet<LiveStream> {
    return this.#byTopic.get(topic) ?? none;
  }

  /** Topics with open streams. */
  *topics(): IterableIterator<Topic> {
    for (const [name, [stream]] of this.#byTopic) {
      const topic = stream?.topics.get(name);
      if (topic !== undefined) yield topic;
    }
  }

  /** The id of an event that is sent now. */
  get eventId(): string {
    return `${this.#boot}-${this.#number}`;
  }

  /**
   * Before `open`: throws AppError 'forbidden' and 'not-found' for an execution or a job,
   * 'unavailable' when there are too many streams. Resolves when no change of the topics can be
   * missed any more.
   */
  async prepare(caller: Caller, topics: readonly Topic[]): Promise<void> {
    const { notices } = this.parts;
    if (!this.#open.allows(caller.id, 1)) {
      const text = `This node has ${this.size} open streams already, and one caller may have as many as it leaves free (streamsMax)`;
      throw new AppError('unavailable', text, { retryAfterSeconds: 5 });
    }
    await Promise.all(topics.map((topic) => this.#requireRight(caller, topic)));
    const told = topics.filter(isTold).map(({ name }) => name);
    await notices.want(told, this);
    for (const name of told) {
      if (!this.#wholeSince.has(name)) this.#wholeSince.set(name, this.#number);
      // In case the stream is never opened.
      if (!this.#byTopic.has(name)) notices.unwant(name);
    }
    if (this.#wholeSince.size > topicsKeptMax) this.#forgetUnheard();
  }

  /** A reader that comes back for such a topic is told to read its state anew. */
  #forgetUnheard(): void {
    for (const topic of [...this.#wholeSince.keys()]) {
      if (!this.#byTopic.has(topic)) this.#wholeSince.delete(topic);
    }
  }

  /** Sends changes to the sink until it closes. `lastEventId`: of the newest event it has seen. */
  open({ caller, topics, lastEventId }: StreamRequest, sink: StreamSink): void {
    const { clock, identityRevision } = this.parts;
    const endsAt = clock.monotonic() + streamLifeMs;
    const stream = new LiveStream(caller, topics, sink, endsAt, identityRevision());
    const missed = lastEventId === undefined ? [] : this.#catchUp(stream, lastEventId);
    if (missed.length > 0) this.#reset(stream, missed);
    stream.send(frameOf('ready', this.eventId, toJsonText({ topics: topics.map(nameOf) })));
    this.#add(stream);
    const { waiting: callers } = this.parts.context;
    // Rights are asked for with each event; a token that is refused ends the stream at once.
    const waiting = { caller, requireRight: () => undefined, end: () => stream.end() };
    callers?.add(waiting);
    sink.onClose(() => {
      callers?.remove(waiting);
      this.#remove(stream);
    });
  }

  // ---- TopicListener ----

  changed(changes: readonly TopicChange[]): void {
    for (const change of changes) {
      if (!isList(change.topic)) this.#tell(change.topic, [change]);
      else this.#collect(change);
    }
  }

  missed(topics: readonly string[] | undefined): void {
    this.#number += 1;
    const lost = topics ?? [...this.#wholeSince.keys()];
    const resets = new Map<LiveStream, string[]>();
    for (const topic of lost) {
      const streams = this.streamsOf(topic);
      if (streams.size === 0) this.#wholeSince.delete(topic);
      else this.#wholeSince.set(topic, this.#number);
      this.#lists.delete(topic);
      for (const stream of streams) resets.set(stream, [...(resets.get(stream) ?? []), topic]);
    }
    for (const [stream, names] of resets) this.#reset(stream, names);
  }

  // ---- events ----

  #collect(change: TopicChange): void {
    const { topic, key } = change;
    const list = this.#lists.get(topic) ?? new Map<string, TopicChange>();
    const known = topic === inboxTopic ? list.get(key) : undefined;
    const content = known && mergeInbox(known.content, change.content);
    list.set(key, content === undefined ? change : { ...change, content });
    this.#lists.set(topic, list);
    this.#listTimer ??= this.parts.clock.after(listEveryMs, () => this.#tellLists());
  }

  #tellLists(): void {
    this.#listTimer = undefined;
    const lists = [...this.#lists];
    this.#lists.clear();
    for (const [topic, changes] of lists) this.#tell(topic, [...changes.values()]);
  }

  #tell(topic: string, changes: readonly TopicChange[]): void {
    const event: LiveEvent = { number: ++this.#number, topic, changes };
    this.#ring.add(event, toJsonText(changes.map(({ content }) => content)).length);
    const frames = new Map<string, string | undefined>();
    for (const stream of this.streamsOf(topic)) {
      const key = stream.viewerOf(topic);
      if (key === undefined) continue;
      if (!frames.has(key)) frames.set(key, this.#frameFor(stream, event));
      const frame = frames.get(key);
      if (frame !== undefined) stream.send(frame);
    }
  }

  #frameFor({ caller, topics }: LiveStream, event: LiveEvent): string | undefined {
    const topic = topics.get(event.topic);
    const data = topic && shownData(this.parts.access, caller, topic, event.changes);
    return topic && data && frameOf(topic.kind, `${this.#boot}-${event.number}`, data);
  }

  /** Sends what the reader has missed; gives the topics of which this is not known any more. */
  #catchUp(stream: LiveStream, lastEventId: string): string[] {
    const [, boot, digits] = /^([\w-]+)-(\d{1,15})$/.exec(lastEventId) ?? [];
    const seen = boot === this.#boot ? Number(digits) : -1;
    const missed: string[] = [];
    const events: LiveEvent[] = [];
    for (const { name } of [...stream.topics.values()].filter(isTold)) {
      const since = this.#wholeSince.get(name);
      const known = since !== undefined && since <= seen ? this.#ring.after(seen, name) : undefined;
      if (known === undefined) missed.push(name);
      else events.push(...known);
    }
    events.sort((a, b) => a.number - b.number);
    for (const event of events) {
      const frame = this.#frameFor(stream, event);
      if (frame !== undefined) stream.send(frame);
    }
    return missed;
  }

  #reset(stream: LiveStream, topics: readonly string[]): void {
    stream.send(frameOf('reset', this.eventId, toJsonText({ topics: [...topics] })));
  }

  // ---- streams ----

  #add(stream: LiveStream): void {
    this.#open.take(stream.caller.id, 1);
    this.#slots[this.size % beatSlots]?.add(stream);
    const told: string[] = [];
    for (const topic of stream.topics.values()) {
      const streams = this.#byTopic.get(topic.name);
      if (streams === undefined) this.#byTopic.set(topic.name, new Set([stream]));
      else streams.add(stream);
      if (isTold(topic)) told.push(topic.name);
    }
    void this.parts.notices.want(told, this);
    this.#beat ??= this.#armBeat();
  }

  #remove(stream: LiveStream): void {
    this.#open.release(stream.caller.id, 1);
    for (const slot of this.#slots) if (slot.delete(stream)) break;
    for (const topic of stream.topics.values()) {
      const streams = this.#byTopic.get(topic.name);
      streams?.delete(stream);
      if (streams?.size !== 0) continue;
      this.#byTopic.delete(topic.name);
      if (isTold(topic)) this.parts.notices.unwant(topic.name);
    }
  }

  #armBeat(): TimerHandle {
    return this.parts.clock.after(beatEveryMs / beatSlots, () => {
      this.#beat = this.size === 0 ? undefined : this.#armBeat();
      this.#slot = (this.#slot + 1) % beatSlots;
      for (const stream of this.#slots[this.#slot] ?? []) this.#beatOne(stream);
    });
  }

  #beatOne(stream: LiveStream): void {
    const { clock, identityRevision } = this.parts;
    const isOver = stream.endsAt <= clock.monotonic();
    if (isOver || stream.identityRevision !== identityRevision()) stream.end();
    else stream.send(beatFrame);
  }

  async #requireRight(caller: Caller, topic: Topic): Promise<void> {
    const { context, access, jobs } = this.parts;
    if (topic.kind === 'job') jobs.get(caller, topic.id);
    if (topic.kind !== 'execution') return;
    const owned = await context.executions.read(topic.id, ({ execution }) => ownedOf(execution));
    if (owned === undefined) throw noSuchWorkflow(topic.id);
    requireOnExecution(access, caller, 'READ', owned, topic.id);
  }
}

export interface StreamRequest {
  readonly caller: Caller;
  readonly topics: readonly Topic[];
  readonly lastEventId: string | undefined;
}

const none: ReadonlySet<LiveStream> = new Set();

/** Its changes are told by those who make them, one by one. */
function isTold({ kind }: Topic): boolean {
  return kind === 'execution' || kind === 'executions' || kind === 'inbox';
}

function isList(topic: string): boolean {
  return topic === executionsTopic || topic === inboxTopic;
}

function nameOf({ name }: Topic): string {
  return name;
}
