// Patterns that one starts from, each a file beside this one: definitions with all that they need,
// an example input, and what workers may answer. Each runs as it is (test/server/page-templates).
import { ask } from '../api/client';
import type { JsonObject, TaskDef, TaskMock, WorkflowDef, WorkflowTask } from '../api/types';

interface TemplateWorker {
  readonly output: JsonObject;
  /** Outputs of the first tasks, one each. */
  readonly before?: readonly JsonObject[];
  /** How many tasks fail before one succeeds. */
  readonly fails?: number;
}

export interface Template {
  readonly id: string;
  readonly title: string;
  /** The purpose, in a sentence. */
  readonly about: string;
  /** The first one is what one starts. */
  readonly workflows: readonly [WorkflowDef, ...WorkflowDef[]];
  readonly taskDefinitions: readonly TaskDef[];
  readonly schedules?: readonly Named[];
  readonly eventHandlers?: readonly Named[];
  /** An example. */
  readonly input: JsonObject;
  /** The answers that workers may give, by task type. */
  readonly workers: Readonly<Record<string, TemplateWorker>>;
  /** The answers that people may give, by reference name. */
  readonly people?: Readonly<Record<string, JsonObject>>;
}

interface Named {
  readonly name: string;
}

const files = import.meta.glob<Omit<Template, 'id'>>('./*.json', {
  eager: true,
  import: 'default',
});

/** By title. */
export const templates: readonly Template[] = Object.entries(files)
  .map(([file, template]): Template => ({ id: file.slice(2, -'.json'.length), ...template }))
  .sort((a, b) => a.title.localeCompare(b.title));

export function templateOf(id: string | undefined): Template | undefined {
  return templates.find((template) => template.id === id);
}

/** The things that it brings beside the workflow that one starts, such as `5 task definitions`. */
export function bringsOf(template: Template): readonly string[] {
  const { workflows, taskDefinitions, schedules = [], eventHandlers = [] } = template;
  const parts: readonly (readonly [readonly unknown[], string])[] = [
    [workflows.slice(1), 'further workflow'],
    [taskDefinitions, 'task definition'],
    [schedules, 'schedule'],
    [eventHandlers, 'event handler'],
  ];
  return parts
    .filter(([all]) => all.length > 0)
    .map(([all, word]) => `${all.length} ${word}${all.length === 1 ? '' : 's'}`);
}

/** Registers what the server does not have yet; what it has stays as it is. */
export async function registerParts(
  { workflows, taskDefinitions, schedules = [], eventHandlers = [] }: Template,
  { withFirst }: { readonly withFirst: boolean },
): Promise<void> {
  await registerMissing(taskDefinitions, '/api/metadata/taskdefs', (missing) =>
    ask('/api/metadata/taskdefs', { method: 'POST', body: missing }),
  );
  const wanted = withFirst ? workflows : workflows.slice(1);
  await registerMissing(wanted, '/api/metadata/workflow/latest-versions', (missing) =>
    ask('/api/metadata/workflow', { method: 'PUT', body: missing }),
  );
  await registerMissing(schedules, '/api/scheduler/schedules', async (missing) => {
    for (const body of missing) await ask('/api/scheduler/schedules', { method: 'POST', body });
  });
  await registerMissing(eventHandlers, '/api/event', (missing) =>
    ask('/api/event', { method: 'POST', body: missing }),
  );
}

/** `listPath`: what the server has of them. */
async function registerMissing<T extends Named>(
  wanted: readonly T[],
  listPath: string,
  register: (missing: readonly T[]) => Promise<unknown>,
): Promise<void> {
  if (wanted.length === 0) return;
  const known = new Set((await ask<readonly Named[]>(listPath)).map(({ name }) => name));
  const missing = wanted.filter(({ name }) => !known.has(name));
  if (missing.length > 0) await register(missing);
}

/** Registers a template and starts its first workflow with the example; the id of the execution. */
export async function runTemplate(template: Template): Promise<string> {
  await registerParts(template, { withFirst: true });
  const [{ name, version }] = template.workflows;
  const body = { name, version, input: template.input };
  return await ask<string>('/api/workflow', { method: 'POST', body });
}

/** The answers of workers and people in a simulated run, by reference name, one after the other. */
export function answersOf(template: Template): Readonly<Record<string, readonly TaskMock[]>> {
  const answers: Record<string, readonly TaskMock[]> = {};
  for (const task of tasksIn(template.workflows[0].tasks)) {
    const { name, taskReferenceName: ref } = task;
    const answer = template.people?.[ref];
    if (answer !== undefined) answers[ref] = [completed(answer)];
    const worker = template.workers[name ?? ''];
    if (worker !== undefined) answers[ref] = mocksOf(worker);
    for (const [branch, type] of branchesOf(task, template.input)) {
      answers[branch] = mocksOf(template.workers[type] ?? { output: {} });
    }
  }
  return answers;
}

function mocksOf({ output, before = [], fails = 0 }: TemplateWorker): readonly TaskMock[] {
  const failed = Array.from({ length: fails }, (): TaskMock => ({ status: 'FAILED', output: {} }));
  return [...failed, ...before.map(completed), completed(output)];
}

const completed = (output: JsonObject): TaskMock => ({ status: 'COMPLETED', output });

/** Reference names and types of the branches that a fork makes of a list in the input. */
function branchesOf(
  { type, inputParameters = {} }: WorkflowTask,
  input: JsonObject,
): readonly (readonly [ref: string, type: string])[] {
  const { forkTaskName: name, forkTaskInputs: list } = inputParameters as JsonObject;
  if (type !== 'FORK_JOIN_DYNAMIC' || typeof name !== 'string') return [];
  const member = /^\$\{workflow\.input\.(\w+)\}$/.exec(String(list))?.[1] ?? '';
  const items = input[member];
  if (!Array.isArray(items)) return [];
  return items.map((_item, index) => [`_${name}_${index}`, name] as const);
}

/** All tasks, those inside other tasks too. */
export function tasksIn(tasks: readonly WorkflowTask[]): readonly WorkflowTask[] {
  return tasks.flatMap((task) => [
    task,
    ...tasksIn(
      [
        ...Object.values(task.decisionCases ?? {}),
        task.defaultCase ?? [],
        ...(task.forkTasks ?? []),
        task.loopOver ?? [],
      ].flat(),
    ),
  ]);
}
