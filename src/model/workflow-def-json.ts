// JSON text of workflow definitions (contract-core 6.1, 6.2). Their fields have wire names and defaults filled in, so the text is
// that of the object; it is made once per definition, because every execution that is read repeats it.
import type { Json } from './json.js';
import { toJsonText } from './json-text.js';
import type { WorkflowDef } from './workflow-def.js';

const texts = new WeakMap<WorkflowDef, string>();

/** Absent fields are left out, empty ones are kept (contract-core 1.3). */
export function toWorkflowDefJson(def: WorkflowDef): string {
  let text = texts.get(def);
  if (text === undefined) {
    text = toJsonText(def as unknown as Json);
    texts.set(def, text);
  }
  return text;
}

/** Contract-core 4.6. Times are epoch ms. */
export type WorkflowDefSummary = {
  name: string;
  version: number;
  createTime: number;
  updateTime: number;
};

export function toWorkflowDefSummary(def: WorkflowDef): WorkflowDefSummary {
  const { name, version, createTime, updateTime } = def;
  return { name, version, createTime, updateTime };
}
