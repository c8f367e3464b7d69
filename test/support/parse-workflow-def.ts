// Parses a definition at once, where the server does it in steps between which it serves others.
import { parsingWorkflowDef } from '../../src/model/parse-workflow-def.js';
import type { WorkflowDef } from '../../src/model/workflow-def.js';
import { atOnce } from '../../src/std/slices.js';

export function parseWorkflowDef(input: unknown, path: string): WorkflowDef {
  return atOnce(parsingWorkflowDef(input, path));
}
