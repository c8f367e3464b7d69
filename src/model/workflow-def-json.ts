// JSON text of workflow definitions (contract-core 6.1, 6.2). Their fields have wire names and
// defaults filled in, so the text is that of the object; it is made once per definition, because
// every execution that is read repeats it.
import { eachInSteps, type Steps } from '../std/slices.js';
import type { Json } from './json.js';
import { toJsonText } from './json-text.js';
import type { WorkflowDef, WorkflowDefSummary } from './workflow-def.js';
import { withPlainIds } from './subject.js';

const texts = new WeakMap<WorkflowDef, string>();
/** Of those whose author's id was given again. */
const shownTexts = new WeakMap<WorkflowDef, string>();

/** As it is shown. */
export function toWorkflowDefJson(def: WorkflowDef): string {
  const shown = withPlainIds(def);
  return shown === def ? storedWorkflowDefJson(def) : textIn(shownTexts, def, shown);
}

/** As it is stored. Absent fields are left out, empty ones are kept (contract-core 1.3). */
export function storedWorkflowDefJson(def: WorkflowDef): string {
  return textIn(texts, def, def);
}

function textIn(
  known: WeakMap<WorkflowDef, string>,
  def: WorkflowDef,
  written: WorkflowDef,
): string {
  let text = known.get(def);
  if (text === undefined) {
    text = toJsonText(written);
    known.set(def, text);
  }
  return text;
}

/** As `storedWorkflowDefJson`, in steps. */
export function* writingWorkflowDefJson(def: WorkflowDef): Steps<string> {
  const known = texts.get(def);
  if (known !== undefined) return known;
  const members: string[] = [];
  for (const [name, value] of Object.entries(def)) {
    if (value === undefined) continue;
    const text = name === 'tasks' ? yield* writingTasks(def) : toJsonText(value as Json);
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  const text = `{${members.join(',')}}`;
  texts.set(def, text);
  return text;
}

/** As `toWorkflowDefJson`, in steps. */
export function* showingWorkflowDefJson(def: WorkflowDef): Steps<string> {
  return withPlainIds(def) === def ? yield* writingWorkflowDefJson(def) : toWorkflowDefJson(def);
}

function* writingTasks(def: WorkflowDef): Steps<string> {
  const items: string[] = [];
  yield* eachInSteps(def.tasks, (task) => items.push(toJsonText(task)));
  return `[${items.join(',')}]`;
}

export function toWorkflowDefSummary(def: WorkflowDef): WorkflowDefSummary {
  const { name, version, createTime, updateTime } = def;
  return { name, version, createTime, updateTime };
}
