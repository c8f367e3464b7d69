// JSON text of task definitions (contract-core 5.1). Their fields have wire names and defaults
// filled in, so the text is that of the object; it is made once per definition, because every
// polled task repeats it.
import { toJsonText } from './json-text.js';
import type { TaskDef } from './task-def.js';
import { withPlainIds } from './subject.js';

const texts = new WeakMap<TaskDef, string>();

/** As it is shown. Absent fields are left out, empty ones are kept (contract-core 1.3). */
export function toTaskDefJson(def: TaskDef): string {
  let text = texts.get(def);
  if (text === undefined) {
    text = toJsonText(withPlainIds(def));
    texts.set(def, text);
  }
  return text;
}
