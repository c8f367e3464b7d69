// Every task type that is registered, in a definition of the attacker's own, with the victim's
// names and ids in every field that a type may read: an execution may do what its starter may, and
// no more.
import { engineTaskTypes } from '../../src/engine/task-types/list.js';
import { fieldTaskTypes } from '../../src/model/field-task-types.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import { until } from '../../testkit/until.js';
import type { Session } from '../../testkit/secured-server.js';
import type { AttackList, AttackTarget } from './attack.js';
import type { Caller } from './callers.js';
import { describedEndpoints } from './description.js';
import { everyField } from './every-field.js';
import { recipesOf, type Recipe } from './recipes.js';

/** Types that the engine knows, that the server runs, and that the field has. */
export function registeredTaskTypes(): string[] {
  const names = engineTaskTypes.flatMap((type) => [...type.names]);
  return [...new Set([...names, ...systemTaskTypes.keys(), ...fieldTaskTypes, 'SIMPLE'])].sort();
}

/** A run that waits for something is looked at as it is. */
const runMs = 1500;

export const taskTypeAttacks: AttackList = {
  name: 'task-types',
  run: async (target) => {
    const found: string[] = [];
    for (const [round, caller] of target.callers.entries()) {
      const types = registeredTaskTypes();
      const reads = await readsOfTasks(target.server.nobody);
      // Together: most of the time a run waits.
      const runs = types.map((type, at) =>
        attackWith({ ...target, reads, round: round + at }, caller, type),
      );
      found.push(...(await Promise.all(runs)).flat());
      const changes = await target.victim.changes();
      found.push(...changes.map((text) => `${caller.kind}: ${text}`));
    }
    return found;
  },
};

/** Paths by which somebody reads one task, with all that they show on demand; `ID` is its id. */
type TaskReads = readonly string[];

async function readsOfTasks(nobody: Session): Promise<TaskReads> {
  const all = await describedEndpoints(nobody);
  return all.flatMap(({ method, pattern, query }) => {
    const variables = pattern.match(/\{\w+\}/g) ?? [];
    const [variable = ''] = variables;
    if (method !== 'GET' || variables.length !== 1) return [];
    if (!['{taskId}', '{humanTaskId}'].includes(variable)) return [];
    const asked = query.filter(({ isText }) => !isText).map(({ name }) => `${name}=true`);
    return [`${pattern.replace(variable, 'ID')}?${asked.join('&')}`];
  });
}

/** All that the starter is shown of a task that is open, and of what it asks to be entered. */
async function openTaskSeen(session: Session, seen: string, reads: TaskReads): Promise<string> {
  const id = /"taskId":"([^"]+)"/.exec(seen)?.[1];
  if (id === undefined || !/"status":"(IN_PROGRESS|SCHEDULED)"/.test(seen)) return '';
  const answers = await Promise.all(reads.map((path) => session.get(path.replace('ID', id))));
  await session.post(`/api/human/tasks/${id}/claim`);
  answers.push(await session.post(`/api/human/tasks/${id}/update?complete=true`, { x: 1 }));
  return answers.map(({ text }) => text).join('\n');
}

async function attackWith(
  target: AttackTarget & {
    readonly reads: TaskReads;
    /** Differs by caller and type, so that each type is tried inside of each other one. */
    readonly round: number;
  },
  caller: Caller,
  type: string,
): Promise<string[]> {
  const { victim, tried, server, reads, round } = target;
  const { kind, session, maySee } = caller;
  const found: string[] = [];
  const refusals: string[] = [];
  const recipes = recipesOf(type, victim.ids);
  const requests = recipes.flatMap((recipe, at) => {
    const task = taskOf(type, victim.ids, recipe);
    const inside = insides[(round + at) % insides.length] as Inside;
    return [requestOf(type, [task]), { ...inside(type, task), isInside: true }];
  });
  for (const { isInside = false, ...request } of requests as AttackRequest[]) {
    tried();
    const started = await session.post('/api/workflow', request);
    if (started.status === 400 && !isInside) refusals.push(started.text);
    // The administrator sees all of it: what stands there reached the attacker's execution.
    const isStarted = started.status === 200;
    const seen = isStarted ? await seenOf(server.admin, started.text, victim.ids) : '';
    const open = await openTaskSeen(session, seen, reads);
    const shown = victim.canariesIn(started.text + seen + open, maySee);
    const what = `${kind}, ${type}`;
    if (shown.length > 0) found.push(`${what}: the execution holds ${shown.join(' and ')}`);
    if (started.status >= 500) found.push(`${what}: the start is answered ${started.status}`);
  }
  if (refusals.length < recipes.length) return found;
  return [...found, `${type} is no accepted definition: it needs a recipe (${refusals.at(-1)})`];
}

function nameOf(type: string): string {
  return `attack_${type.toLowerCase()}`;
}

interface AttackTask {
  readonly inputParameters: object;
}

function taskOf(
  type: string,
  ids: Readonly<Record<string, string>>,
  { inputParameters = everyField(ids), task: beside = {} }: Recipe,
): AttackTask {
  const { name = '' } = ids;
  return {
    ...{ name: 'attack_task', taskReferenceName: 'attack', type, inputParameters, optional: true },
    ...{ subWorkflowParam: { name, version: 1 }, sink: `conductor:${name}:done` },
    ...{ dynamicTaskNameParam: 'taskName', ...beside },
  };
}

interface AttackRequest {
  readonly name: string;
  readonly input: object;
  readonly workflowDef: object;
  /** The task stands inside another one, where it may be refused. */
  readonly isInside?: boolean;
}

function requestOf(type: string, tasks: readonly object[], input: object = {}): AttackRequest {
  const definition = { name: nameOf(type), version: 1, tasks };
  const workflowDef = { ...definition, outputParameters: { seen: '${attack}' } };
  return { ...{ name: nameOf(type), version: 1 }, input: { type, ...input }, workflowDef };
}

/** A request in which another task has the attack done. */
type Inside = (type: string, task: AttackTask) => AttackRequest;

const outer = (type: string, more: object): object => ({
  ...{ name: 'outer', taskReferenceName: 'outer', type, ...more },
});

const insides: readonly Inside[] = [
  // As data of the start, which nobody looked at when a definition was saved.
  (type, task) => {
    const fork = outer('FORK_JOIN_DYNAMIC', {
      dynamicForkTasksParam: 'tasks',
      dynamicForkTasksInputParamName: 'inputs',
      inputParameters: { tasks: '${workflow.input.tasks}', inputs: '${workflow.input.inputs}' },
    });
    const join = { name: 'join', taskReferenceName: 'join', type: 'JOIN' };
    const { inputParameters, ...rest } = task;
    const input = { tasks: [rest], inputs: { attack: inputParameters } };
    return requestOf(type, [fork, join], input);
  },
  (type, task) => {
    const workflowDefinition = { name: `${nameOf(type)}_inside`, version: 1, tasks: [task] };
    const { name, version } = workflowDefinition;
    const subWorkflowParam = { name, version, workflowDefinition };
    return requestOf(type, [outer('SUB_WORKFLOW', { subWorkflowParam })]);
  },
  (type, task) =>
    requestOf(type, [outer('DO_WHILE', { loopCondition: 'false', loopOver: [task] })]),
  (type, task) => {
    const workflowDefinition = { name: `${nameOf(type)}_started`, version: 1, tasks: [task] };
    const { name, version } = workflowDefinition;
    const startWorkflow = { name, version, workflowDef: workflowDefinition };
    return requestOf(type, [outer('START_WORKFLOW', { inputParameters: { startWorkflow } })]);
  },
];

/**
 * An execution and what it has started, which is nothing of the victim's, once they have ended or
 * for a while.
 */
async function seenOf(session: Session, id: string, victims: object): Promise<string> {
  const seen = await seenAlone(session, id);
  const started = /"(?:subWorkflowId|workflowId)":"([0-9a-f-]{36})"/g;
  const ids = new Set([...seen.matchAll(started)].map((found) => found[1] as string));
  for (const other of [id, ...Object.values(victims)]) ids.delete(other as string);
  const children = [...ids].slice(0, childrenMax).map((child) => seenAlone(session, child));
  return [seen, ...(await Promise.all(children))].join('\n');
}

const childrenMax = 3;

async function seenAlone(session: Session, id: string): Promise<string> {
  let seen = '';
  const ended = async (): Promise<boolean> => {
    seen = (await session.get(`/api/workflow/${id}?includeTasks=true`)).text;
    return /"status":"(COMPLETED|FAILED|TERMINATED|TIMED_OUT)"/.test(seen.slice(0, 2000));
  };
  await until('its end', ended, { timeoutMs: runMs }).catch(() => undefined);
  return seen;
}
