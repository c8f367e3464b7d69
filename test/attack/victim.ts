// What the victim owns: something of every kind that has an owner or a secret, with canaries in it.
// All have one name, so that an attacker who knows that name can ask for each of them.
import { randomBytes } from 'node:crypto';
import type { SecuredServer, Session } from '../support/secured-server.js';

/** The name of everything of the victim's. */
export const victimName = 'victim_thing';
const canaryStart = 'canary-';
const userId = 'victim@attack.test';

interface Watched {
  readonly what: string;
  readonly path: string;
}

export class Victim {
  /** By what they stand in. */
  readonly #canaries = new Map<string, string>();
  #watched: Watched[] = [];
  #before = new Map<string, string>();

  private constructor(
    private readonly admin: Session,
    /** Ids and names by path variable and by field of a body. */
    readonly ids: Record<string, string>,
  ) {}

  static async plant(server: SecuredServer): Promise<Victim> {
    const victim = new Victim(server.admin, {});
    await victim.#plantAll(server);
    victim.#before = await victim.#state();
    return victim;
  }

  /** Which of the canaries that the caller may not see stand in a text. */
  canariesIn(text: string, maySee: 'nothing' | 'content'): string[] {
    if (!text.includes(canaryStart)) return [];
    return [...this.#canaries].flatMap(([what, canary]) => {
      if (maySee === 'content' && what !== 'secret') return [];
      return text.includes(canary) ? [`the canary of the ${what}`] : [];
    });
  }

  /** A text that stands in the victim's thing of this kind, and nowhere else. */
  #canary(what: string): string {
    const canary = `${canaryStart}${randomBytes(8).toString('hex')}`;
    this.#canaries.set(what, canary);
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
    const owner = await server.user(userId, ['USER']);
    const ask = async (method: 'POST' | 'PUT', path: string, body?: unknown): Promise<unknown> => {
      const answer = await this.admin.request(method, path, body);
      if (answer.status < 300) return answer.body;
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    };
    const work = {
      name,
      taskReferenceName: 'work',
      inputParameters: { canary: this.#canary('task') },
    };
    const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
    const def = { name, version: 1, description: this.#canary('definition'), tasks: [work, wait] };
    for (const [method, path, body] of [
      ['POST', '/api/metadata/taskdefs', [{ name }]],
      ['POST', '/api/metadata/workflow', def],
    ] as const) {
      const answer = await owner.request(method, path, body);
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    }
    const start = {
      name,
      version: 1,
      correlationId: name,
      input: { canary: this.#canary('execution') },
    };
    const workflowId = (await owner.post('/api/workflow', start)).text;
    const { tasks } = (await owner.get(`/api/workflow/${workflowId}`)).body as {
      tasks: { taskId: string }[];
    };
    await ask('PUT', `/api/secrets/${name}`, this.#canary('secret'));
    await ask('PUT', `/api/environment/${name}`, this.#canary('environment'));
    await ask('POST', `/api/prompts/${name}?description=victim`, this.#canary('prompt'));
    await ask('POST', '/api/schema', [
      { name, version: 1, type: 'JSON', data: { description: this.#canary('schema') } },
    ]);
    await ask('POST', '/api/scheduler/schedules', {
      ...{
        name,
        cronExpression: '0 0 0 1 1 ?',
        paused: true,
        description: this.#canary('schedule'),
      },
      startWorkflowRequest: { name, version: 1, input: { canary: this.#canary('schedule input') } },
    });
    await ask('POST', '/api/event', [
      {
        ...{
          name,
          event: `conductor:${name}:done`,
          active: false,
          description: this.#canary('event handler'),
        },
        actions: [{ action: 'start_workflow', start_workflow: { name, version: 1 } }],
      },
    ]);
    const application = await server.application(name, ['USER']);
    const applicationId = application.subject.slice('app:'.length);
    const taskId = tasks[0]?.taskId ?? '';
    Object.assign(this.ids, {
      ...{ workflowId, workflowInstanceId: workflowId, workflowIds: workflowId, taskId },
      ...{ applicationId, keyId: application.key.keyId, accessKeyId: application.key.keyId },
      ...{ name, key: name, workflowName: name, taskType: name, tasktype: name, taskName: name },
      ...{ correlationId: name, taskReferenceName: 'work', taskRefName: 'work', refName: 'work' },
      ...{ version: '1', userId, groupId: name, type: name, reason: 'an attack', status: 'FAILED' },
    });
    this.#watched = [
      { what: 'the execution', path: `/api/workflow/${workflowId}` },
      { what: 'the executions of the definition', path: `/api/workflow/running/${name}` },
      { what: 'the workflow definition', path: `/api/metadata/workflow/${name}?version=1` },
      { what: 'the task definition', path: `/api/metadata/taskdefs/${name}` },
      { what: 'the secret', path: `/api/secrets/${name}` },
      { what: 'the environment variable', path: `/api/environment/${name}` },
      { what: 'the prompt', path: `/api/prompts/${name}` },
      { what: 'the schema', path: `/api/schema/${name}/1` },
      { what: 'the schedule', path: `/api/scheduler/schedules/${name}` },
      { what: 'the event handler', path: `/api/event/handler/${name}` },
      { what: 'the application', path: `/api/applications/${applicationId}` },
      { what: 'the access keys', path: `/api/applications/${applicationId}/accessKeys` },
      { what: 'the user', path: `/api/users/${userId}` },
      { what: 'the grants', path: `/api/auth/authorization/WORKFLOW_DEF/${name}` },
      { what: 'the grants on the task', path: `/api/auth/authorization/TASK_DEF/${name}` },
    ];
  }

  async #state(): Promise<Map<string, string>> {
    const state = new Map<string, string>();
    for (const { what, path } of this.#watched) {
      const { status, text } = await this.admin.get(path);
      state.set(what, `${status} ${text}`);
    }
    return state;
  }
}

/** Where two texts begin to differ. */
function difference(before = '', now = ''): string {
  let at = 0;
  while (at < before.length && before[at] === now[at]) at++;
  const from = Math.max(0, at - 30);
  return `${before.slice(from, at + 60)} -> ${now.slice(from, at + 60)}`;
}
