// A node's connections to the store of the simulation, in the form in which the product's stores
// use them (src/redis/client.ts). Each connection keeps its order, as TCP does. A connection that
// breaks leaves the outcome of what was under way unclear: what was sent may still be carried out,
// also much later, after another node has taken over.
import type { RedisClient } from '../../../src/redis/client.js';
import type { Connection, ScriptCall } from '../../../src/redis/connection.js';
import type { Argument, ScriptArgument } from '../../../src/redis/encoded-call.js';
import { toStoreError } from '../../../src/redis/errors.js';
import { Keys } from '../../../src/redis/keys.js';
import { KnownQueues } from '../../../src/redis/known-queues.js';
import { Script } from '../../../src/redis/script.js';
import type { TimerHandle } from '../../../src/std/clock.js';
import { StoreError } from '../../../src/store/execution-store.js';
import type { NodeClock } from '../node-clock.js';
import type { RedisReply } from './memory-redis.js';
import type { SimulatedStore, StoreCall } from './simulated-store.js';

/** How a simulation disturbs connections. */
export interface StoreWeather {
  /** Most that a call or its reply is under way, ms. */
  delayMs: number;
  /** Chance that a connection breaks with a call. */
  breaks: number;
  /** Chance that a call gets stuck for up to `stuckMs`, and what follows it. */
  stuck: number;
  stuckMs: number;
  /** Chance that a script is carried out a second time, a little later. */
  repeats: number;
  /** Nothing gets through: the store is away. */
  away: boolean;
}

const reconnectMsMax = 300;
/** As the product's client: no answer for so long breaks the connection. */
const answerTimeoutMs = 10_000;
/** Chance that what was sent is carried out although its connection broke. */
const carriedOutAfterBreak = 0.5;
const carriedOutInDoubt = 0.5;
const repeatedWithinMs = 60;

type Convert = (reply: RedisReply) => unknown;

interface Pending {
  readonly reject: (error: StoreError) => void;
  /** Ends the wait for an answer. */
  readonly timer: TimerHandle;
  /** The call has not reached the store. */
  isUnderWay: boolean;
  isLost: boolean;
  /** Its answer says that its outcome is unclear. */
  readonly isDoubted: boolean;
}

type ConnectionName = {
  [K in keyof RedisClient]: RedisClient[K] extends Connection ? K : never;
}[keyof RedisClient];

export class SimulatedClient implements Record<ConnectionName, SimulatedConnection> {
  readonly keys: Keys;
  readonly knownQueues = new KnownQueues();
  readonly isCluster: boolean;
  readonly timeOffsetMs = 0;
  readonly commits: SimulatedConnection;
  readonly ownership: SimulatedConnection;
  readonly queues: SimulatedConnection;
  readonly reads: SimulatedConnection;
  /** Here are no replicas that would have to confirm. */
  readonly confirmedReads: SimulatedConnection;
  readonly #listeners: ((up: boolean) => void)[] = [];
  #isUp = true;
  #newestTime = 0;
  /** What is under way arrives when the network lets it go; undefined: at once. */
  #held: (() => void)[] | undefined;
  #awaited: { script: string; listener: () => void } | undefined;
  #doubted: string | undefined;

  constructor(
    readonly clock: NodeClock,
    readonly store: SimulatedStore,
    readonly weather: StoreWeather,
    prefix: string,
  ) {
    this.isCluster = store.isCluster;
    this.keys = new Keys(prefix);
    this.commits = new SimulatedConnection(this);
    this.ownership = this.commits;
    this.queues = new SimulatedConnection(this);
    this.reads = new SimulatedConnection(this);
    this.confirmedReads = this.reads;
  }

  /** What the product's stores take. */
  get asRedisClient(): RedisClient {
    return this as unknown as RedisClient;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  onState(listener: (up: boolean) => void): void {
    this.#listeners.push(listener);
  }

  get estimatedNow(): number {
    return Math.floor(this.clock.scheduler.now);
  }

  async now(): Promise<number> {
    const [seconds, micros] = (await this.reads.call('TIME')) as [string, string];
    const time = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    this.#newestTime = Math.max(this.#newestTime, time);
    return this.#newestTime;
  }

  async processOf(_key: string): Promise<string | undefined> {
    return /^run_id:(\S+)/m.exec(String(await this.reads.call('INFO', 'server')))?.[1];
  }

  /** All connections break; they stand again after a moment. */
  break(): void {
    for (const connection of [this.commits, this.queues, this.reads]) connection.fail();
    if (!this.#isUp) return;
    this.#tell(false);
    this.#reconnect();
  }

  /** Nothing that this node has sent arrives until `letGo`. */
  hold(): void {
    this.#held ??= [];
  }

  letGo(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const arrive of held) this.clock.scheduler.after(0, arrive);
  }

  isHeld(arrive: () => void): boolean {
    this.#held?.push(arrive);
    return this.#held !== undefined;
  }

  /** Calls back once when the next call of this script has been sent. */
  onNext(script: string, listener: () => void): void {
    this.#awaited = { script, listener };
  }

  /**
   * The next call of this script is carried out or not, and its answer does not say which; all
   * connections stand, as when too few replicas confirm.
   */
  doubtNext(script: string): void {
    this.#doubted = script;
  }

  isDoubted(call: StoreCall): boolean {
    if (call.kind !== 'script' || call.script.name !== this.#doubted) return false;
    this.#doubted = undefined;
    return true;
  }

  /** Nobody waits for the next call of a script any more, nor is one left unclear. */
  forgetNext(): void {
    this.#awaited = undefined;
    this.#doubted = undefined;
  }

  sent(call: StoreCall): void {
    if (call.kind !== 'script' || call.script.name !== this.#awaited?.script) return;
    const { listener } = this.#awaited;
    this.#awaited = undefined;
    listener();
  }

  #reconnect(): void {
    const delayMs = this.clock.scheduler.random.between(1, reconnectMsMax);
    this.clock.after(delayMs, () => {
      if (this.weather.away) this.#reconnect();
      else this.#tell(true);
    });
  }

  #tell(up: boolean): void {
    this.#isUp = up;
    for (const listener of this.#listeners) listener(up);
  }
}

class SimulatedConnection implements Pick<
  Connection,
  'run' | 'runInOrder' | 'runAll' | 'call' | 'callBuffer' | 'callAll' | 'isReady'
> {
  #pending = new Set<Pending>();
  /** Nothing that is sent later arrives earlier. */
  #arrivesAt = 0;
  #answersAt = 0;

  constructor(private readonly owner: SimulatedClient) {}

  get isCluster(): boolean {
    return this.owner.isCluster;
  }

  get isReady(): boolean {
    return this.owner.isUp;
  }

  async run(
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ): Promise<unknown> {
    const call = { kind: 'script', script, keys: [...keys], args: args.map(toBytes) } as const;
    return await this.#send(call, toBuffers);
  }

  /** What has no name is a script of the lock. */
  async runInOrder(
    script: Pick<Script, 'source'> & Partial<Script>,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ): Promise<unknown> {
    if (script instanceof Script) return await this.run(script, keys, args);
    const bytes = [keys.length, ...keys, ...args].map(toBytes);
    return await this.#send({ kind: 'lock', source: script.source, args: bytes }, toTexts);
  }

  runAll(calls: readonly ScriptCall[]): Promise<unknown[]> {
    return together(calls.map(({ script, keys, args }) => this.run(script, keys, args)));
  }

  call(name: string, ...args: Argument[]): Promise<unknown> {
    return this.#send({ kind: 'command', name, args: args.map(toBytes) }, toTexts);
  }

  callBuffer(name: string, ...args: Argument[]): Promise<unknown> {
    return this.#send({ kind: 'command', name, args: args.map(toBytes) }, toBuffers);
  }

  /** They travel together, as a pipeline does. */
  async callAll(commands: readonly (readonly [string, ...Argument[]])[]): Promise<unknown[]> {
    if (commands.length === 0) return [];
    const calls = commands.map(([name, ...args]) => ({
      ...{ kind: 'command' as const, name, args: args.map(toBytes) },
    }));
    return (await this.#send({ kind: 'pipeline', calls }, toBuffers)) as unknown[];
  }

  fail(): void {
    const { scheduler } = this.owner.clock;
    const lost = this.#pending;
    this.#pending = new Set();
    for (const pending of lost) {
      pending.timer.cancel();
      if (pending.isUnderWay) pending.isLost = !scheduler.chance(carriedOutAfterBreak);
      pending.reject(new StoreError('unclear', 'The connection to the store was lost'));
    }
  }

  #send(call: StoreCall, convert: Convert): Promise<unknown> {
    const { owner } = this;
    const { clock, weather } = owner;
    const { scheduler } = clock;
    // What a dead process would have done does not happen.
    if (clock.isOver) return new Promise(() => undefined);
    if (!owner.isUp) {
      return Promise.reject(new StoreError('not-applied', 'There is no connection to the store'));
    }
    return new Promise((resolve, reject) => {
      const timer = clock.after(answerTimeoutMs, () => owner.break());
      const isDoubted = owner.isDoubted(call);
      const pending: Pending = { reject, timer, isUnderWay: true, isLost: false, isDoubted };
      this.#pending.add(pending);
      this.#arrivesAt = Math.max(this.#arrivesAt, scheduler.now + this.#delayMs());
      scheduler.after(this.#arrivesAt - scheduler.now, () =>
        this.#arrived(call, pending, (settle) => {
          if (!this.#pending.delete(pending)) return;
          timer.cancel();
          settle(resolve, reject, convert);
        }),
      );
      if (call.kind === 'script' && scheduler.chance(weather.repeats)) this.#repeat(call);
      owner.sent(call);
      if (scheduler.chance(weather.breaks)) {
        const delayMs = scheduler.random.next() * 2 * weather.delayMs;
        clock.after(delayMs, () => owner.break());
      }
    });
  }

  #arrived(call: StoreCall, pending: Pending, answered: (settle: Settle) => void): void {
    if (this.owner.isHeld(() => this.#arrived(call, pending, answered))) return;
    pending.isUnderWay = false;
    const { clock, store, weather } = this.owner;
    if (pending.isLost || weather.away) return;
    const { scheduler } = clock;
    if (store.isAway(call)) {
      clock.after(store.silentMs, () =>
        answered((_resolve, reject) =>
          reject(new StoreError('unclear', 'The primary cannot be reached')),
        ),
      );
      return;
    }
    const isSkipped = pending.isDoubted && !scheduler.chance(carriedOutInDoubt);
    const settle = isSkipped ? inDoubt : outcomeOf(() => store.carryOut(call));
    this.#answersAt = Math.max(this.#answersAt, scheduler.now + this.#delayMs());
    scheduler.after(this.#answersAt - scheduler.now, () =>
      clock.happen(() => answered(pending.isDoubted ? inDoubt : settle)),
    );
  }

  #repeat(call: StoreCall): void {
    const { clock, store, weather } = this.owner;
    const { scheduler } = clock;
    const delayMs = scheduler.random.next() * repeatedWithinMs;
    scheduler.after(this.#arrivesAt - scheduler.now + delayMs, () => {
      if (!weather.away) outcomeOf(() => store.carryOut(call));
    });
  }

  #delayMs(): number {
    const { clock, weather } = this.owner;
    const { random } = clock.scheduler;
    if (clock.scheduler.chance(weather.stuck)) return random.next() * weather.stuckMs;
    return 0.05 + random.next() * weather.delayMs;
  }
}

type Settle = (
  resolve: (value: unknown) => void,
  reject: (error: Error) => void,
  convert: Convert,
) => void;

const inDoubt: Settle = (_resolve, reject) =>
  reject(new StoreError('unclear', 'Too few replicas have confirmed a write'));

function outcomeOf(carryOut: () => RedisReply): Settle {
  try {
    const reply = carryOut();
    return (resolve, _reject, convert) => resolve(convert(reply));
  } catch (error) {
    return (_resolve, reject) => reject(toStoreError(error));
  }
}

/** As the product: waits for all, then the first failure counts. */
async function together(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((result) => {
    if (result.status === 'rejected') throw toStoreError(result.reason);
    return result.value;
  });
}

function toBytes(argument: ScriptArgument): string {
  if (isPieced(argument)) return argument.map(toBytes).join('');
  if (typeof argument === 'object') return argument.toString('latin1');
  const text = String(argument);
  return isPlain(text) ? text : Buffer.from(text).toString('latin1');
}

/** Its characters are its bytes. */
function isPlain(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}

function toBuffers(reply: RedisReply): unknown {
  if (Array.isArray(reply)) return reply.map(toBuffers);
  return typeof reply === 'string' ? Buffer.from(reply, 'latin1') : reply;
}

function toTexts(reply: RedisReply): unknown {
  if (Array.isArray(reply)) return reply.map(toTexts);
  if (typeof reply !== 'string' || isPlain(reply)) return reply;
  return Buffer.from(reply, 'latin1').toString();
}

function isPieced(argument: ScriptArgument): argument is readonly Buffer[] {
  return Array.isArray(argument);
}
