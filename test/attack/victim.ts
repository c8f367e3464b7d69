// What the victim owns: something of every kind that has an owner or a secret, with canaries in it.
// All have one name, so that an attacker who knows that name can ask for each of them.
import { randomBytes } from 'node:crypto';
import type { SecuredServer, Session } from '../../testkit/secured-server.js';
import { plants, type Shown, type Watched } from './plants.js';
import type { PlantedId } from './targets.js';

/** The name of everything of the victim's. */
export const victimName = 'victim_thing';
const canaryStart = 'canary-';
const userId = 'victim@attack.test';

export class Victim {
  /** By what they stand in. */
  readonly #canaries = new Map<string, { readonly canary: string; readonly shown: Shown }>();
  readonly #watched: Watched[] = [];
  #before = new Map<string, string>();

  private constructor(
    private readonly admin: Session,
    /** Ids and names by path variable and by field of a body. */
    readonly ids: Partial<Record<PlantedId, string>>,
  ) {}

  static async plant(server: SecuredServer): Promise<Victim> {
    const victim = new Victim(server.admin, {});
    await victim.#plantAll(server);
    victim.#before = await victim.#state();
    return victim;
  }

  /** Which of the canaries that the caller may not see stand in a text. */
  canariesIn(text: string, maySee: 'nothing' | 'definitions'): string[] {
    if (!text.includes(canaryStart)) return [];
    return [...this.#canaries].flatMap(([what, { canary, shown }]) => {
      if (maySee === 'definitions' && shown === 'with definitions') return [];
      return text.includes(canary) ? [`the canary of the ${what}`] : [];
    });
  }

  /** What the canaries stand in that a text does not hold. */
  canariesNotIn(text: string): string[] {
    const missing = [...this.#canaries].filter(([, { canary }]) => !text.includes(canary));
    return missing.map(([what]) => what);
  }

  /** A text that stands in the victim's thing of this kind, and nowhere else. */
  #canary(what: string, shown: Shown = 'to nobody'): string {
    const canary = `${canaryStart}${randomBytes(8).toString('hex')}`;
    this.#canaries.set(what, { canary, shown });
    return canary;
  }

  /** What has changed since the last check, a sentence each. */
  async changes(): Promise<string[]> {
    const now = await this.#state();
    const changed = this.#watched.filter(({ what }) => now.get(what) !== this.#before.get(what));
    const found = changed.map(({ what }) => {
      return `${what} was changed: ${difference(this.#before.get(what), now.get(what))}`;
    });
    this.#before = now;
    return found;
  }

  async #plantAll(server: SecuredServer): Promise<void> {
    const name = victimName;
    const owner = await server.userWithPassword(userId, ['USER']);
    const canary = this.#canary.bind(this);
    const seen = 'with definitions';
    const work = {
      ...{ name, taskReferenceName: 'work' },
      inputParameters: { canary: canary('task', seen) },
    };
    // One that is not restricted may be used by all, and is shown with what uses it.
    const description = canary('task definition', seen);
    const taskDef = { name, restricted: true, description };
    const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
    const def = { name, version: 1, description: canary('definition', seen), tasks: [work, wait] };
    for (const [method, path, body] of [
      ['POST', '/api/metadata/taskdefs', [taskDef]],
      ['POST', '/api/metadata/workflow', def],
    ] as const) {
      const answer = await owner.request(method, path, body);
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    }
    const input = { canary: canary('execution', seen) };
    const start = { name, version: 1, correlationId: name, input, idempotencyKey: name };
    const workflowId = (await owner.post('/api/workflow', start)).text;
    const { tasks } = (await owner.get(`/api/workflow/${workflowId}`)).body as {
      tasks: { taskId: string }[];
    };
    Object.assign(this.ids, {
      ...{ name, userId, workflowId, taskId: tasks[0]?.taskId ?? '', taskRefName: 'work' },
      ...{ event: `conductor:${name}:done`, tag: `${name}:${name}`, model: `${name}:${name}` },
      topic: `execution:${workflowId}`,
    });
    this.#watched.push(
      { what: 'the execution', path: `/api/workflow/${workflowId}` },
      { what: 'the workflow definition', path: `/api/metadata/workflow/${name}?version=1` },
      { what: 'the task definition', path: `/api/metadata/taskdefs/${name}` },
    );
    for (const { plant } of plants) {
      this.#watched.push(...(await plant({ server, owner, name, ids: this.ids, canary })));
    }
    // All that was started is there by now.
    const running = `/api/workflow/running/${name}`;
    this.#watched.push({ what: 'the executions of the definition', path: running });
  }

  async #state(): Promise<Map<string, string>> {
    const state = new Map<string, string>();
    for (const { what, path, without = [] } of this.#watched) {
      const { status, text, body } = await this.admin.get(path);
      const kept = without.length === 0 ? text : JSON.stringify(omitted(body, without));
      state.set(what, `${status} ${kept}`);
    }
    return state;
  }
}

function omitted(body: unknown, members: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));
}

/** Where two texts begin to differ. */
function difference(before = '', now = ''): string {
  let at = 0;
  while (at < before.length && before[at] === now[at]) at++;
  const from = Math.max(0, at - 30);
  return `${before.slice(from, at + 60)} -> ${now.slice(from, at + 60)}`;
}
