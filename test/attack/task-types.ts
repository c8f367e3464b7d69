// Every task type that is registered, in a definition of the attacker's own, with the victim's
// names and ids in every field that a type may read: an execution may do what its starter may, and
// no more.
import { engineTaskTypes } from '../../src/engine/task-types/list.js';
import { fieldTaskTypes } from '../../src/model/field-task-types.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import { until } from '../support/until.js';
import type { Session } from '../support/secured-server.js';
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
  about: 'every task type, started by every kind of caller, with names and ids of another',
  run: async (target) => {
    const found: string[] = [];
    for (const caller of target.callers) {
      const types = registeredTaskTypes();
      const reads = await readsOfTasks(target.server.nobody);
      // Together: most of the time a run waits.
      const runs = types.map((type) => attackWith({ ...target, reads }, caller, type));
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
  target: AttackTarget & { readonly reads: TaskReads },
  caller: Caller,
  type: string,
): Promise<string[]> {
  const { victim, tried, server, reads } = target;
  const { kind, session, maySee } = caller;
  const found: string[] = [];
  const refusals: string[] = [];
  for (const recipe of recipesOf(type, victim.ids)) {
    tried();
    const started = await session.post('/api/workflow', {
      ...{ name: nameOf(type), version: 1, input: { type } },
      workflowDef: definitionOf(type, victim.ids, recipe),
    });
    if (started.status === 400) refusals.push(started.text);
    // The administrator sees all of it: what stands there reached the attacker's execution.
    const seen = started.status === 200 ? await seenOf(server.admin, started.text) : '';
    const open = await openTaskSeen(session, seen, reads);
    const shown = victim.canariesIn(started.text + seen + open, maySee);
    const what = `${kind}, ${type}`;
    if (shown.length > 0) found.push(`${what}: the execution holds ${shown.join(' and ')}`);
    if (started.status >= 500) found.push(`${what}: the start is answered ${started.status}`);
  }
  if (refusals.length < recipesOf(type, victim.ids).length) return found;
  return [...found, `${type} is no accepted definition: it needs a recipe (${refusals.at(-1)})`];
}

function nameOf(type: string): string {
  return `attack_${type.toLowerCase()}`;
}

function definitionOf(
  type: string,
  ids: Readonly<Record<string, string>>,
  { inputParameters = everyField(ids), task: beside = {} }: Recipe,
): object {
  const { name = '' } = ids;
  const task = {
    ...{ name: 'attack_task', taskReferenceName: 'attack', type, inputParameters, optional: true },
    ...{ subWorkflowParam: { name, version: 1 }, sink: `conductor:${name}:done` },
    ...{ dynamicTaskNameParam: 'taskName', ...beside },
  };
  const tasks = [task];
  return { ...{ name: nameOf(type), version: 1, tasks }, outputParameters: { seen: '${attack}' } };
}

/** The execution, once it has ended or for a while. */
async function seenOf(session: Session, id: string): Promise<string> {
  let seen = '';
  const ended = async (): Promise<boolean> => {
    seen = (await session.get(`/api/workflow/${id}?includeTasks=true`)).text;
    return /"status":"(COMPLETED|FAILED|TERMINATED|TIMED_OUT)"/.test(seen.slice(0, 2000));
  };
  await until('its end', ended, { timeoutMs: runMs }).catch(() => undefined);
  return seen;
}
