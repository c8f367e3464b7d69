// How long a finished execution is kept. The rule that says most counts: what the definition itself
// says for the status, or for all statuses (`metadata.retentionSeconds`), then what the settings
// say for the definition and the status, for the definition, for the status, and for everything.
import type { Execution } from './execution.js';
import type { JsonMap } from './json.js';
import { isTerminalWorkflow, workflowStatuses, type WorkflowStatus } from './status.js';

/** Key of a definition's `metadata`: seconds, or seconds by status. */
export const retentionKey = 'retentionSeconds';

export const endStatuses: readonly WorkflowStatus[] = workflowStatuses.filter(isTerminalWorkflow);

/** Longest time that can be kept: 50 years (codec/scores.ts ends in 2089). */
export const retentionSecondsMax = 50 * 366 * 86_400;

export interface RetentionRules {
  readonly seconds: number;
  /** By status. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** By `name`, or `name/STATUS`. */
  readonly byDefinition: ReadonlyMap<string, number>;
}

interface Kept {
  readonly name: string;
  readonly metadata: JsonMap;
}

/**
 * From when on the time counts that an execution which has ended is kept, epoch ms: one that was
 * imported would mostly go at once if its end counted.
 */
export function keptSince({ attributes, state }: Pick<Execution, 'attributes' | 'state'>): number {
  return attributes.imported?.at ?? state.endTime;
}

/** Milliseconds from `keptSince` of an execution of this definition to its removal. */
export function retentionMs(rules: RetentionRules, def: Kept, status: WorkflowStatus): number {
  const { seconds, byStatus, byDefinition } = rules;
  const found =
    ownSeconds(def.metadata, status) ??
    byDefinition.get(`${def.name}/${status}`) ??
    byDefinition.get(def.name) ??
    byStatus.get(status) ??
    seconds;
  return found * 1000;
}

/** The seconds that a definition names; one that was stored before the rule may hold nonsense. */
function ownSeconds(metadata: JsonMap, status: WorkflowStatus): number | undefined {
  const own = metadata[retentionKey];
  const seconds =
    own !== null && typeof own === 'object' && !Array.isArray(own) ? own[status] : own;
  return isSeconds(seconds) ? seconds : undefined;
}

/** Why `metadata.retentionSeconds` cannot be used; undefined when it can, or is not there. */
export function retentionFault(metadata: JsonMap): string | undefined {
  const own = metadata[retentionKey];
  if (own === undefined || isSeconds(own)) return undefined;
  const range = `a whole number of seconds from 1 to ${retentionSecondsMax}`;
  if (own === null || typeof own !== 'object' || Array.isArray(own)) {
    return `metadata.${retentionKey} must be ${range}, or an object of them by status`;
  }
  for (const [status, seconds] of Object.entries(own)) {
    if (!endStatuses.includes(status as WorkflowStatus)) {
      return `metadata.${retentionKey} has the key '${status}', which is none of ${endStatuses.join(', ')}`;
    }
    if (!isSeconds(seconds)) return `metadata.${retentionKey}.${status} must be ${range}`;
  }
  return undefined;
}

/** Reads `KEY=seconds` texts of a setting. Throws Error with a sentence that names the text. */
export function parseRetention(
  setting: string,
  texts: readonly string[],
  isKey: (key: string) => boolean,
): Map<string, number> {
  const rules = new Map<string, number>();
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    const key = text.slice(0, Math.max(0, at)).trim();
    const seconds = Number(text.slice(at + 1).trim() || Number.NaN);
    if (at < 1 || !isKey(key) || !isSeconds(seconds)) {
      throw new Error(`${setting} has '${text}', which is not KEY=SECONDS with a known key.`);
    }
    rules.set(key, seconds);
  }
  return rules;
}

function isSeconds(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) &&
    (value as number) >= 1 &&
    (value as number) <= retentionSecondsMax
  );
}
