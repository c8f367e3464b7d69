// The sandbox (sandbox.ts). Small scripts run at once on this thread, by interpreters of our own
// under a budget; everything else runs in worker processes. Inputs travel as JSON text. Integers
// that a double cannot hold keep their digits where a script returns them unchanged.
import type { ScriptRequest, ScriptResult } from '../engine/script.js';
import { isMap, type Json, type JsonMap, setOwn } from '../model/json.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import { isDeeperThan } from '../model/json-depth.js';
import { defaultValueLimits, type ValueLimits } from '../model/value-limits.js';
import { assertWithin, deeperThan } from '../engine/expression/bounds.js';
import { ExpressionRefusal } from '../engine/expression/refusal.js';
import { type Clock, systemClock } from '../std/clock.js';
import { evaluateInPlace } from './in-place/evaluate.js';
import type { ScriptAnswer, ScriptJob } from './job.js';
import { tryJqInPlace } from './run-jq.js';
import { jobWorldOf, type ScriptWorld } from './script-world.js';
import type { ScriptShare } from './script-share.js';
import type { WeightOf } from '../std/weights.js';
import { noScriptQuotas, type ScriptQuota, type ScriptQuotaSettings } from './script-quotas.js';
import type { Sandbox, SandboxLimits } from './sandbox.js';
import { type ScriptRun, WorkerPool } from './worker-pool.js';

export interface SandboxSettings extends SandboxLimits {
  /** Worker processes at most, 1 or more. */
  scriptWorkersMax: number;
  /** False: every script goes to a worker. */
  scriptsInPlace?: boolean;
  /** Of inputs and results. */
  valueLimits?: ValueLimits;
  quotas?: ScriptQuotaSettings;
  /** Of callers; absent: all count the same. */
  weightOf?: WeightOf;
  /** Program of the workers, where it is not beside this file. */
  workerUrl?: URL;
  clock?: Clock;
  /** Of a test server; absent: scripts see the time and chance of the machine. */
  world?: (() => ScriptWorld) | undefined;
}

/** Defaults: 4 s (semantics 3.10), 64 MiB, 5 MiB, two workers. */
export const defaultSandboxSettings: SandboxSettings = {
  scriptTimeMsMax: 4000,
  scriptMemoryBytesMax: 64 * 1024 * 1024,
  scriptOutputBytesMax: 5 * 1024 * 1024,
  scriptWorkersMax: 2,
};

/** Of scripts that belong to no execution: handlers of events, webhooks, trials. */
const serverRun: ScriptRun = { share: { caller: '', definition: '' } };

export function createSandbox(settings: SandboxSettings = defaultSandboxSettings): Sandbox {
  return new ScriptSandbox(settings);
}

class ScriptSandbox implements Sandbox {
  readonly #pool: WorkerPool;
  /** Inputs by request, because `request.input` may be called once only. */
  readonly #inputs = new WeakMap<ScriptRequest, Json>();

  readonly #limits: ValueLimits;

  constructor(readonly settings: SandboxSettings) {
    this.#limits = settings.valueLimits ?? defaultValueLimits;
    this.#pool = new WorkerPool({
      workersMax: Math.max(1, settings.scriptWorkersMax),
      workerUrl: settings.workerUrl ?? new URL('./script-worker.js', import.meta.url),
      clock: settings.clock ?? systemClock,
      quotas: settings.quotas ?? noScriptQuotas,
      weightOf: settings.weightOf,
    });
  }

  tryInPlace(request: ScriptRequest): ScriptResult | undefined {
    if (this.settings.scriptsInPlace === false) return undefined;
    const input = (): Json => this.#inputOf(request);
    try {
      return request.language === 'jq'
        ? tryJqInPlace(request.source, input)
        : evaluateInPlace(request.source, input);
    } catch (error) {
      return toLimit(error);
    }
  }

  async evaluate(request: ScriptRequest, run: ScriptRun = serverRun): Promise<ScriptResult> {
    const { scriptTimeMsMax, scriptMemoryBytesMax, scriptOutputBytesMax } = this.settings;
    let input: Json;
    try {
      input = restrictTo(this.#inputOf(request), request.reads);
      assertWithin(input, scriptMemoryBytesMax, this.#limits);
    } catch (error) {
      return toLimit(error);
    }
    const inputText = toJsonText(input);
    const { language, source } = request;
    const job: ScriptJob = {
      ...{ language, source, inputText },
      timeMsMax: scriptTimeMsMax,
      memoryBytesMax: scriptMemoryBytesMax,
      outputCharsMax: scriptOutputBytesMax,
    };
    const world = this.settings.world?.();
    if (world !== undefined) job.world = jobWorldOf(world, job);
    const answer = await this.#pool.run(job, run);
    if (answer.kind === 'value' && isDeeperThan(answer.text, this.#limits.valueDepthMax + 1)) {
      const message = `The result of the script is ${deeperThan(this.#limits)}`;
      return { kind: 'limit', message, isFinal: true };
    }
    return toResult(request.language, answer, longDigits.test(inputText) ? input : null);
  }

  heldBy(share: ScriptShare): ScriptQuota | undefined {
    return this.#pool.heldBy(share)?.quota;
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  #inputOf(request: ScriptRequest): Json {
    let input = this.#inputs.get(request);
    if (input === undefined) {
      input = request.input();
      this.#inputs.set(request, input);
    }
    return input;
  }
}

/** Turns an input that cannot be built into a limit result of the script. */
function toLimit(error: unknown): ScriptResult {
  if (!(error instanceof ExpressionRefusal)) throw error;
  return { kind: 'limit', message: error.sentence('The input of the script') };
}

/** The members of a map that `reads` names (see scriptReads); everything when it does not say. */
function restrictTo(input: Json, reads: readonly string[] | undefined): Json {
  if (reads === undefined || !isMap(input)) return input;
  const restricted: JsonMap = {};
  for (const read of reads) {
    const [name = '', inner] = read.split('.');
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) continue;
    if (inner === undefined || !isMap(value)) {
      setOwn(restricted, name, value);
      continue;
    }
    const known = Object.hasOwn(restricted, name) ? (restricted[name] as JsonMap) : {};
    if (Object.hasOwn(value, inner)) setOwn(known, inner, value[inner] as Json);
    setOwn(restricted, name, known);
  }
  return restricted;
}

/** Without such digits a text holds no integer that a double cannot. */
const longDigits = /\d{16}/;

/** `input`: where the digits of long integers come from; null when it has none. */
function toResult(
  language: ScriptRequest['language'],
  answer: ScriptAnswer,
  input: Json,
): ScriptResult {
  if (answer.kind !== 'value') return answer;
  const value = parseJson(answer.text);
  if (language === 'jq') {
    const values = value as Json[];
    return { kind: 'value', value: values[0] ?? null, values };
  }
  const integers = longIntegersOf(input);
  return { kind: 'value', value: integers === undefined ? value : restore(value, integers) };
}

/**
 * Long integers of the input by the double they become in a script; undefined when there are none.
 */
function longIntegersOf(input: Json): Map<number, bigint | undefined> | undefined {
  let found: Map<number, bigint | undefined> | undefined;
  const walk = (value: Json): void => {
    if (typeof value === 'bigint') {
      found ??= new Map();
      const double = Number(value);
      // Two integers that become the same double cannot be told apart afterwards.
      found.set(double, found.has(double) && found.get(double) !== value ? undefined : value);
    } else if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(input);
  return found;
}

function restore(value: Json, integers: ReadonlyMap<number, bigint | undefined>): Json {
  if (typeof value === 'bigint') return integers.get(Number(value)) ?? value;
  if (typeof value === 'number') return integers.get(value) ?? value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => restore(item, integers));
  const map: JsonMap = {};
  for (const [key, item] of Object.entries(value)) setOwn(map, key, restore(item, integers));
  return map;
}
