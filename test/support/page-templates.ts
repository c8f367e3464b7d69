// The templates of the page (ui/src/templates), as tests use them: their workers answer what the
// template says that they answer.
import fs from 'node:fs';
import path from 'node:path';
import type { ApiClient } from '../../testkit/api-client.js';
import { projectRoot } from '../../testkit/project.js';
import type { JsonObject, WireTaskDef, WireWorkflowDef } from '../../testkit/wire.js';
import type { WorkerScript } from './workers.js';

interface TemplateWorker {
  readonly output: JsonObject;
  /** Outputs of the first tasks, one each. */
  readonly before?: readonly JsonObject[];
  /** How many tasks fail before one succeeds. */
  readonly fails?: number;
}

export interface PageTemplate {
  readonly title: string;
  readonly about: string;
  /** The first one is started. */
  readonly workflows: readonly [WireWorkflowDef, ...WireWorkflowDef[]];
  readonly taskDefinitions: readonly WireTaskDef[];
  readonly schedules?: readonly JsonObject[];
  readonly eventHandlers?: readonly JsonObject[];
  readonly input: JsonObject;
  readonly workers: Readonly<Record<string, TemplateWorker>>;
  /** What people answer, by reference name. */
  readonly people?: Readonly<Record<string, JsonObject>>;
  /** What the other side answers to HTTP calls, such as `GET /orders`. */
  readonly calls?: Readonly<Record<string, unknown>>;
}

const folder = path.join(projectRoot, 'ui', 'src', 'templates');

/** All of them, by id. */
export function readPageTemplates(): ReadonlyMap<string, PageTemplate> {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((name) => [
      name.replace(/\.json$/, ''),
      JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as PageTemplate,
    ]),
  );
}

/** Registers all that a template brings. */
export async function registerTemplate(api: ApiClient, template: PageTemplate): Promise<void> {
  if (template.taskDefinitions.length > 0) await api.registerTasks(...template.taskDefinitions);
  await api.registerWorkflows(...template.workflows);
  for (const schedule of template.schedules ?? []) {
    await api.ask('POST', '/api/scheduler/schedules', schedule);
  }
  for (const handler of template.eventHandlers ?? []) await api.ask('POST', '/api/event', handler);
}

/** Workers that answer as the template says. */
export function workersOf({ workers }: PageTemplate): Readonly<Record<string, WorkerScript>> {
  return Object.fromEntries(
    Object.entries(workers).map(([type, { output, before = [], fails = 0 }]) => [
      type,
      (_task, count) =>
        count < fails
          ? { status: 'FAILED', reason: 'no answer' }
          : { status: 'COMPLETED', output: before[count] ?? output },
    ]),
  );
}
