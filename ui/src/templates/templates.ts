// Definitions that one starts from, with all that they need, an example input, and what workers may
// answer. Patterns are files beside this one (test/server/page-templates runs them); those of the
// gallery are made of the handbook's pages (ui/gallery.ts, test/server/gallery runs them).
import { ask } from '../api/client';
import type { JsonObject, TaskDef, TaskMock, WorkflowDef, WorkflowTask } from '../api/types';

interface TemplateWorker {
  readonly output: JsonObject;
  /** Outputs of the first tasks, one each. */
  readonly before?: readonly JsonObject[];
  /** How many tasks fail before one succeeds. */
  readonly fails?: number;
  /** How its tasks end, if they do not complete. */
  readonly ends?: TaskMock['status'];
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
  /** The answers of a service that it calls; its address is asked for before it runs. */
  readonly calls?: JsonObject;
  /** How many rounds its loops have; by default as many as a worker has answers. */
  readonly rounds?: number;
}

interface Named {
  readonly name: string;
}

const files = import.meta.glob<Omit<Template, 'id'>>('./*.json', {
  eager: true,
  import: 'default',
});

const pages = import.meta.glob<Omit<Template, 'id'>>(
  ['../../../docs/gallery/*.md', '!../../../docs/gallery/README.md'],
  { eager: true, import: 'default' },
);

/** The patterns, by title. */
export const templates: readonly Template[] = byTitle(files, '');

/**
 * Definitions that others wrote, by title. The id begins with `gallery.`, for a pattern may have
 * that name.
 */
export const gallery: readonly Template[] = byTitle(pages, 'gallery.');

function byTitle(
  found: Readonly<Record<string, Omit<Template, 'id'>>>,
  prefix: string,
): readonly Template[] {
  return Object.entries(found)
    .map(([file, template]): Template => {
      const name = file.slice(file.lastIndexOf('/') + 1, file.lastIndexOf('.'));
      return { id: prefix + name, ...template };
    })
    .sort((a, b) => a.title.localeCompare(b.title));
}

export function templateOf(id: string | undefined): Template | undefined {
  return [...templates, ...gallery].find((template) => template.id === id);
}

/** Where the handbook shows a template of the gallery. */
export function handbookPageOf({ id }: Template): string | undefined {
  return id.startsWith('gallery.') ? `docs/gallery/${id.slice('gallery.'.length)}.html` : undefined;
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
  for (const [ref, type] of branchesOfWorkers(template)) {
    answers[ref] = mocksOf(template.workers[type] ?? { output: {} });
  }
  for (const task of tasksIn(template.workflows[0].tasks)) {
    const { name, taskReferenceName: ref } = task;
    // A task of a loop is answered in its first round.
    const answer = template.people?.[ref] ?? template.people?.[`${ref}__1`];
    if (answer !== undefined) answers[ref] = [completed(answer)];
    const worker = template.workers[name ?? ''];
    if (worker !== undefined) answers[ref] = lasting(mocksOf(worker), template.rounds);
    for (const [branch, type] of branchesOf(task, template.input)) {
      answers[branch] = mocksOf(template.workers[type] ?? { output: {} });
    }
  }
  return answers;
}

function mocksOf(worker: TemplateWorker): readonly TaskMock[] {
  const { output, before = [], fails = 0, ends = 'COMPLETED' } = worker;
  const failed = Array.from({ length: fails }, (): TaskMock => ({ status: 'FAILED', output: {} }));
  return [...failed, ...before.map(completed), { status: ends, output }];
}

/** With its last answer for the rounds that have none. */
function lasting(mocks: readonly TaskMock[], rounds = 1): readonly TaskMock[] {
  const last = mocks.slice(-1);
  return [...mocks, ...Array.from({ length: rounds - mocks.length }, () => last).flat()];
}

const completed = (output: JsonObject): TaskMock => ({ status: 'COMPLETED', output });

/** Reference names and types of the branches that the output of a worker names. */
function branchesOfWorkers({
  workers,
}: Template): readonly (readonly [ref: string, type: string])[] {
  return Object.values(workers)
    .flatMap(({ output }) => Object.values(output))
    .flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : []))
    .filter(isNamedTask)
    .map(({ taskReferenceName, name }) => [taskReferenceName, name] as const);
}

function isNamedTask(
  value: unknown,
): value is { readonly taskReferenceName: string; readonly name: string } {
  const { taskReferenceName, name } = (value ?? {}) as JsonObject;
  return typeof taskReferenceName === 'string' && typeof name === 'string';
}

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
