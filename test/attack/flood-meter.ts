// Measures what others get beside a flood of floods.ts, on a server of its own with authentication
// on. Each flood is measured between two measurements without one, because machines differ and
// change. A control (terminate) of executions of the flood is timed in the middle of it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { processorTime } from '../../bench/processor-time.js';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { projectRoot } from '../../testkit/project.js';
import { serverProgram } from '../../testkit/server.js';
import { floodedWebhook, type Flood } from './floods.js';
import { neighbourDefinitions, neighbourStart, neighbourTask } from './neighbour-definitions.js';
import type { Waits } from './neighbour.js';

export type Kinds = Readonly<Record<'reads' | 'starts' | 'scripts', Waits>>;

export interface BesideFlood {
  readonly flood: string;
  /** What others got. */
  readonly beside: Kinds;
  /** ms that terminating some of its own executions took; Infinity: it did not get through. */
  readonly controls: readonly number[];
  readonly counts: Readonly<Record<string, number>>;
  /** Share of a processor that node, main thread and Redis used beside it. */
  readonly cpu: { readonly node: number; readonly main: number; readonly redis: number };
}

export interface FloodResult extends BesideFlood {
  /** What others got just before and just after. */
  readonly before: Kinds;
  readonly after: Kinds;
}

/** How long is measured: so many seconds, and until others have had so many answers. */
export interface Measured {
  readonly seconds: number;
  /** Of reads; there are less than half as many starts. */
  readonly readsMin: number;
}

export interface MeterSettings {
  /** HTTP library of the server; absent: uws. */
  readonly httpServer?: 'uws' | 'node';
  /** Where the node's profile of the processor goes; absent: it makes none. */
  readonly profileFolder?: string;
}

/** The compiled programmes: tests run this file as it stands in test/attack. */
const tools = path.join(projectRoot, 'dist', 'tools', 'test', 'attack');
const controlsMax = 5;
/** A machine that is too busy for as many answers as were asked for is not waited for longer. */
const enoughMs = 30_000;
/** Starts are sent less often than reads (neighbour.ts). */
const startsOfReads = 0.4;
/** How long ending what a flood has left may take. */
const cleanMs = 10_000;

export class FloodMeter {
  private constructor(
    readonly secured: SecuredServer,
    private readonly flooder: Session,
    private readonly neighbour: Session,
    private readonly readId: string,
  ) {}

  static async start(settings: MeterSettings = {}): Promise<FloodMeter> {
    const { httpServer = 'uws', profileFolder } = settings;
    const args = ['--log-level', 'warn', '--http-server', httpServer];
    const secured = await SecuredServer.start({
      args,
      ...(profileFolder === undefined
        ? {}
        : { program: ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, serverProgram] }),
    });
    return FloodMeter.on(secured);
  }

  /** Against a server that runs already, and that `stop` would end. */
  static async on(secured: SecuredServer): Promise<FloodMeter> {
    const roles = ['USER', 'UNRESTRICTED_WORKER'];
    const flooder = await secured.application('flooder', roles);
    const neighbour = await secured.application('neighbour', roles);
    await neighbour.post('/api/metadata/taskdefs', [taskDef(neighbourTask)]);
    await neighbour.put('/api/metadata/workflow', neighbourDefinitions);
    const started = await neighbour.post('/api/workflow', { name: neighbourStart, version: 1 });
    await secured.admin.post('/api/metadata/webhook', {
      ...{ id: floodedWebhook, name: floodedWebhook, sourcePlatform: 'Custom' },
      ...{ verifier: 'HEADER_BASED', headers: { 'x-key': 'right' } },
      receiverWorkflowNamesToVersions: { [neighbourStart]: 1 },
    });
    return new FloodMeter(secured, flooder, neighbour, started.text);
  }

  /** What others get without a flood. */
  async quiet({ seconds, readsMin }: Measured): Promise<Kinds> {
    const meter = this.#meter(readsMin);
    await wait(seconds * 1000);
    await meter.enough;
    return meter.end();
  }

  async measure(flood: Flood, seconds: number): Promise<FloodResult> {
    const half = { seconds: seconds / 2, readsMin: 0 };
    const before = await this.quiet(half);
    const found = await this.beside(flood, { seconds, readsMin: 0 });
    return { ...found, before, after: await this.quiet(half) };
  }

  /** What others get beside a flood. */
  async beside(flood: Flood, { seconds, readsMin }: Measured): Promise<BesideFlood> {
    await this.#prepare(flood);
    const from = processorTime(this.secured.server);
    const startedAt = performance.now();
    const flooding = this.#flood(flood);
    const meter = this.#meter(readsMin);
    await wait(seconds * 600);
    const controls = await this.#controls(flooding.held.slice(0, controlsMax), seconds * 1000);
    const left = startedAt + seconds * 1000 - performance.now();
    if (left > 0) await wait(left);
    await meter.enough;
    const elapsedMs = performance.now() - startedAt;
    const to = processorTime(this.secured.server);
    const beside = await meter.end();
    const counts = await flooding.end();
    await this.#clean(flood, flooding.held);
    const share = (key: keyof typeof to): number => (to[key] - from[key]) / elapsedMs;
    const cpu = { node: share('node'), main: share('main'), redis: share('redis') };
    return { flood: flood.name, beside, controls, counts, cpu };
  }

  stop(): Promise<void> {
    return this.secured.stop();
  }

  async #prepare({ definitions, taskTypes }: Flood): Promise<void> {
    if (taskTypes.length > 0) {
      await this.flooder.post('/api/metadata/taskdefs', taskTypes.map(taskDef));
    }
    if (definitions.length > 0) await this.flooder.put('/api/metadata/workflow', definitions);
  }

  /** What the flood has left would still be there for the next one. */
  async #clean({ definitions }: Flood, held: readonly string[]): Promise<void> {
    for (const { name } of definitions) {
      await this.secured.admin.delete(`/api/metadata/workflow/${name}/1`);
    }
    const names = new Set(definitions.map(({ name }) => name));
    const query = `status = 'RUNNING' AND workflowType IN (${[...names].join(',')})`;
    const endAt = performance.now() + cleanMs;
    while (names.size > 0 && performance.now() < endAt) {
      const route = `/api/workflow/search?size=1000&query=${encodeURIComponent(query)}`;
      const found = await this.secured.admin.get(route);
      const ids = ((found.body.results ?? []) as { workflowId: string }[]).map(
        ({ workflowId }) => workflowId,
      );
      if (ids.length === 0) break;
      await this.secured.admin.post('/api/workflow/bulk/terminate', ids);
    }
    const ends = held.map((id) => this.secured.admin.delete(`/api/workflow/${id}`));
    await Promise.race([Promise.allSettled(ends), wait(cleanMs)]);
  }

  async #controls(ids: readonly string[], timeoutMs: number): Promise<number[]> {
    return await Promise.all(
      ids.map(async (id) => {
        const sentAt = performance.now();
        const terminated = this.secured.admin.delete(`/api/workflow/${id}?reason=enough`);
        const answer = await Promise.race([terminated, wait(timeoutMs, undefined)]);
        return answer?.status === 200 ? performance.now() - sentAt : Infinity;
      }),
    );
  }

  #flood(flood: Flood): { held: string[]; end: () => Promise<Record<string, number>> } {
    const child = this.#child('flooder.js', [flood.name, ...this.#address(this.flooder)]);
    const held: string[] = [];
    let counts: Record<string, number> = {};
    createInterface(child.stdout!).on('line', (line) => {
      const told = JSON.parse(line) as { held?: string; counts?: Record<string, number> };
      if (told.held !== undefined) held.push(told.held);
      counts = told.counts ?? counts;
    });
    const end = async (): Promise<Record<string, number>> => {
      await ended(child);
      return counts;
    };
    return { held, end };
  }

  #meter(readsMin: number): { enough: Promise<unknown>; end: () => Promise<Kinds> } {
    const child = this.#child('neighbour.js', [
      ...this.#address(this.neighbour),
      ...[this.readId, String(this.secured.server.pid), String(this.secured.server.redisPid)],
      ...[String(readsMin), String(Math.floor(readsMin * startsOfReads))],
    ]);
    const lines = createInterface(child.stdout!);
    let told: Kinds | undefined;
    const enough = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        const value = JSON.parse(line) as Kinds | 'enough';
        if (value === 'enough') resolve();
        else told = value;
      });
      child.once('close', () => resolve());
    });
    const end = async (): Promise<Kinds> => {
      await ended(child);
      if (told === undefined) throw new Error('the neighbour of the flood told nothing');
      return told;
    };
    return { enough: Promise.race([enough, wait(enoughMs, undefined, { ref: false })]), end };
  }

  #child(program: string, args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [path.join(tools, program), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  }

  #address({ headers }: Session): [string, string] {
    return [String(this.secured.server.port), headers['x-authorization'] ?? ''];
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const end = once(child, 'close');
  child.stdin?.end();
  await end;
}

const taskDef = (name: string): object => ({
  ...{ name, retryCount: 2, retryDelaySeconds: 0, timeoutSeconds: 0, responseTimeoutSeconds: 600 },
  ownerEmail: 'flood@example.org',
});
