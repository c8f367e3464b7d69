// References such as `${charge.output.id}` whose first name is no task: where they stand, and what
// was probably meant.
import type { JsonObject, WorkflowDef } from '../api/types';
import { nearest } from '../state/nearest';
import type { Problem } from './problems';

/** First names that are no tasks. */
const otherRoots = ['workflow', 'CPEWF_TASK_ID'];
const referenceRoot = /\$\{([\w-]+)(?=[.[}])/g;

/** `refs`: reference names of all tasks. */
export function brokenReferences(
  definition: WorkflowDef,
  refs: readonly string[],
): readonly Problem[] {
  const known = new Set([...refs, ...otherRoots]);
  const inputs: unknown = definition.inputParameters;
  const parameters = Array.isArray(inputs) ? inputs.map(String) : [];
  const found: Problem[] = [];
  const look = (text: string, path: string, ref: string | undefined): void => {
    for (const [, root = ''] of text.matchAll(referenceRoot)) {
      if (known.has(root)) continue;
      const meant = parameters.includes(root) ? `workflow.input.${root}` : nearest(root, refs);
      found.push({
        ...{ path, severity: 'error', message: `No task is called ${root}` },
        ...(ref === undefined ? {} : { ref }),
        ...(meant === undefined ? {} : { repair: { from: root, to: meant } }),
      });
    }
  };
  // References count in inputs of tasks and in outputs; scripts have names of their own.
  const walk = (value: unknown, path: string, ref: string | undefined, counts: boolean): void => {
    if (typeof value === 'string') {
      if (counts) look(value, path, ref);
    } else if (Array.isArray(value)) {
      value.forEach((each, at) => walk(each, `${path}[${at}]`, ref, counts));
    } else if (value !== null && typeof value === 'object') {
      const { taskReferenceName: own } = value as JsonObject;
      const inside = typeof own === 'string' ? own : ref;
      for (const [member, each] of Object.entries(value)) {
        const isCounted = counts || member === 'inputParameters' || member === 'outputParameters';
        walk(each, path === '' ? member : `${path}.${member}`, inside, isCounted);
      }
    }
  };
  walk({ ...definition, inputParameters: [] }, '', undefined, false);
  return found;
}

/** The text with all such references changed. */
export function repaired(text: string, { from, to }: { from: string; to: string }): string {
  const name = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`\\$\\{${name}(?=[.[}])`, 'g'), () => `\${${to}`);
}
