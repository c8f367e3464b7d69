// The topics `queues`, `overview` and `job:{jobId}` of streams: their state is read once a second
// while a stream is open, for all readers of this node that see the same together, and sent to
// those for whom it has changed. Reading never takes more than a tenth of the time. While no stream
// is open, nothing is read.
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { Json } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { breathe } from '../../std/breather.js';
import type { Clock } from '../../std/clock.js';
import { PeriodicService } from '../../std/periodic-service.js';
import type { BulkJobInFull, BulkJobView } from '../bulk-jobs/port.js';
import type { Now } from '../statistics/port.js';
import type { LiveHub } from './live-hub.js';
import { frameOf, type LiveStream } from './live-stream.js';
import type { Topic } from '../../operation/live/topics.js';

export interface LiveCountersParts {
  readonly hub: LiveHub;
  readonly jobs: BulkJobView;
  readonly now: Now;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

const everyMs = 1000;
/** Reading pauses so many times as long as it took, up to ten seconds. */
const pauseFactor = 9;
const pauseMsMax = 10_000;
/** After so long a turn ends; the next one goes on with the readers that come after, ms. */
const turnMsMax = 250;

export class LiveCounters extends PeriodicService {
  #nextAt = 0;
  #position = 0;

  constructor(private readonly parts: LiveCountersParts) {
    super({ clock: parts.clock, everyMs, failed: parts.failed, runsOn: 'node' });
  }

  override async runOnce(): Promise<void> {
    const { clock, hub } = this.parts;
    const startAt = clock.monotonic();
    if (startAt < this.#nextAt) return;
    const counted = [...hub.topics()].filter(isCounted);
    const shows = counted.flatMap((topic) =>
      groupsOf(hub.streamsOf(topic.name), topic).map((streams) => ({ topic, streams })),
    );
    for (let left = shows.length; left > 0; left--) {
      await breathe();
      this.#position = (this.#position + 1) % shows.length;
      await this.#show(shows[this.#position] as (typeof shows)[number]);
      if (this.isStopped || clock.monotonic() - startAt > turnMsMax) break;
    }
    const endAt = clock.monotonic();
    this.#nextAt = endAt + Math.min((endAt - startAt) * pauseFactor, pauseMsMax);
  }

  async #show({ topic, streams }: { topic: Topic; streams: readonly LiveStream[] }): Promise<void> {
    const [first] = streams;
    const viewer = first?.viewerOf(topic.name);
    if (first === undefined || viewer === undefined) return;
    const state = await this.#read(topic, first.caller);
    const text = toJsonText({ topic: topic.name, state: state as Json });
    const frame = frameOf(topic.kind, this.parts.hub.eventId, text);
    for (const stream of streams) {
      // Rights may have ended while it was read.
      if (stream.viewerOf(topic.name) === viewer) stream.sendState(topic, text, frame);
    }
  }

  async #read(topic: Topic, caller: Caller): Promise<unknown> {
    const { now } = this.parts;
    if (topic.kind === 'job') return await this.#job(topic.id, caller);
    if (topic.kind !== 'overview') return await now.queues(caller);
    return await now.overview({ caller, windowMs: topic.windowMs });
  }

  /** null: it is not there any more. */
  async #job(id: string, caller: Caller): Promise<BulkJobInFull | null> {
    const { jobs } = this.parts;
    try {
      return await jobs.inFull(jobs.get(caller, id));
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not-found') return null;
      throw error;
    }
  }
}

function isCounted({ kind }: Topic): boolean {
  return kind === 'queues' || kind === 'overview' || kind === 'job';
}

/** Streams whose callers see the same. */
function groupsOf(streams: Iterable<LiveStream>, { name }: Topic): LiveStream[][] {
  const groups = new Map<string, LiveStream[]>();
  for (const stream of streams) {
    const key = stream.viewerOf(name);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [stream]);
    else group.push(stream);
  }
  return [...groups.values()];
}
