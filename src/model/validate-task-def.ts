// Registration rules of task definitions (contract-core 5.1, 5.2). Definitions embedded in a
// workflow task are not held to them.
import { illFormedMessage, isWellFormed } from '../std/well-formed.js';
import type { Violation } from './errors.js';
import type { TaskDef } from './task-def.js';
import { Violations } from './validation.js';

/** Rules that a deployment may switch on. */
export interface NamingRules {
  /** Contract-core 21.3, row 3: off by default. */
  readonly ownerEmailRequired: boolean;
}

/** All violated rules of one definition; `path` such as `registerTaskDef.arg0[0]`. */
export function validateTaskDef(def: TaskDef, path: string, rules: NamingRules): Violation[] {
  const violations = new Violations();
  violations.checkText(def, 'name', path, 'TaskDef name cannot be null or empty');
  if (def.name.includes(':')) {
    violations.addValue(`${path}.name`, "TaskDef name cannot contain ':'", def.name);
  } else if (def.name.includes('*')) {
    violations.addValue(`${path}.name`, "TaskDef name cannot contain '*'", def.name);
  } else if (def.name.includes('\u0000')) {
    violations.addValue(`${path}.name`, 'TaskDef name cannot contain U+0000', def.name);
  } else if (!isWellFormed(def.name)) {
    violations.add(`${path}.name`, `TaskDef name ${illFormedMessage}`);
  }
  checkOwnerEmail(def.ownerEmail, path, rules, violations);
  for (const [field, minimum, message] of minimums) {
    const value = def[field];
    if (value !== undefined && value < minimum) {
      violations.addValue(`${path}.${field}`, message(value), value);
    }
  }
  checkTimeouts(def, path, violations);
  return violations.list;
}

/** The texts show the limit, not the value, except the one about the response timeout. */
const minimums: readonly (readonly [
  'retryCount' | 'backoffScaleFactor' | 'maxRetryDelaySeconds' | 'backoffJitterMs' |
    'responseTimeoutSeconds' | 'pollTimeoutSeconds' | 'totalTimeoutSeconds',
  number,
  (value: number) => string,
])[] = [
  ['retryCount', 0, () => 'TaskDef retryCount: 0 must be >= 0'],
  ['backoffScaleFactor', 1, () => 'Backoff scale factor. Applicable for LINEAR_BACKOFF'],
  ['maxRetryDelaySeconds', 0, () => 'TaskDef maxRetryDelaySeconds: 0 must be >= 0'],
  ['backoffJitterMs', 0, () => 'TaskDef backoffJitterMs: 0 must be >= 0'],
  ['responseTimeoutSeconds', 1, (value) =>
    `TaskDef responseTimeoutSeconds: ${value} should be minimum 1 second`],
  ['pollTimeoutSeconds', 0, () => 'TaskDef pollTimeoutSeconds: 0 must be >= 0'],
  ['totalTimeoutSeconds', 0, () => 'TaskDef totalTimeoutSeconds: 0 must be >= 0'],
]; // prettier-ignore

/** Contract-core 5.2. */
function checkTimeouts(def: TaskDef, path: string, violations: Violations): void {
  const { name, timeoutSeconds, responseTimeoutSeconds, totalTimeoutSeconds } = def;
  if (timeoutSeconds <= 0) return;
  if (responseTimeoutSeconds > timeoutSeconds) {
    violations.add(
      path,
      `TaskDef: ${name} responseTimeoutSeconds: ${responseTimeoutSeconds} must be less than timeoutSeconds: ${timeoutSeconds}`,
    );
  }
  if (totalTimeoutSeconds > 0 && timeoutSeconds > totalTimeoutSeconds) {
    violations.add(
      path,
      `TaskDef: ${name} timeoutSeconds: ${timeoutSeconds} must be less than or equal to totalTimeoutSeconds: ${totalTimeoutSeconds}`,
    );
  }
}

export function checkOwnerEmail(
  ownerEmail: string | undefined,
  path: string,
  rules: NamingRules,
  violations: Violations,
): void {
  if (!rules.ownerEmailRequired || ownerEmail) return;
  const message = 'ownerEmail cannot be empty';
  if (ownerEmail === '') violations.addValue(`${path}.ownerEmail`, message, '');
  else violations.add(`${path}.ownerEmail`, message);
}
