// Whether the definition of a human task (contract-admin 10.1) can be one. Literal values of a
// workflow definition are checked when it is registered, values of expressions when the task
// starts: a task that silently loses an assignee would be open to everybody. Texts that still hold
// an expression pass; null is absent, and so is a user without a name (clients send these).
import { isMap, type Json, type JsonMap } from '../json.js';
import { numberFrom } from '../json-text.js';
import {
  assignmentsMax,
  completionStrategies,
  definitionKey,
  humanUserTypes,
  isSlaMinutes,
  slaMinutesRule,
  triggersMax,
  triggerTypes,
} from './human-definition.js';
import { holdsExpression } from '../holds-expression.js';

/**
 * As `humanDefinitionTrouble`, for what is registered: there a chain may not name somebody whom it
 * never reaches, which a task that has begun leaves out.
 */
export function registeredTrouble(input: JsonMap): string | undefined {
  const trouble = humanDefinitionTrouble(input);
  const given = input[definitionKey];
  if (trouble !== undefined || !isMap(given)) return trouble;
  const unreached = chainTrouble(given['assignments']);
  return unreached === undefined ? undefined : `${definitionKey}.${unreached}`;
}

/** The first field of a task's input that breaks its rule, with the rule; undefined: none does. */
export function humanDefinitionTrouble(input: JsonMap): string | undefined {
  const given = input[definitionKey] ?? null;
  if (given === null) return shorthandTrouble(input);
  if (holdsExpression(given)) return undefined;
  if (!isMap(given)) return `${definitionKey} must be an object`;
  const trouble = definitionTrouble(given);
  return trouble === undefined ? undefined : `${definitionKey}.${trouble}`;
}

/** Older clients put assignee and displayName straight into the input, among the form's values. */
function shorthandTrouble({ assignee }: JsonMap): string | undefined {
  return isMap(assignee) && Object.hasOwn(assignee, 'userType')
    ? userTrouble(assignee, 'assignee')
    : undefined;
}

function definitionTrouble(definition: JsonMap): string | undefined {
  const { displayName, autoClaim, assignee, assignments, taskTriggers } = definition;
  const strategy = definition['assignmentCompletionStrategy'];
  return (
    textTrouble(displayName, 'displayName') ??
    choiceTrouble(strategy, 'assignmentCompletionStrategy', completionStrategies) ??
    flagTrouble(autoClaim, 'autoClaim') ??
    templateTrouble(definition['userFormTemplate']) ??
    userTrouble(assignee, 'assignee') ??
    listTrouble(assignments, { name: 'assignments', max: assignmentsMax, of: assignmentTrouble }) ??
    listTrouble(taskTriggers, { name: 'taskTriggers', max: triggersMax, of: triggerTrouble })
  );
}

function assignmentTrouble(entry: Json, path: string): string | undefined {
  if (!isMap(entry)) return `${path} must be an object`;
  const { assignee, slaMinutes } = entry;
  if (assignee === undefined) return `${path}.assignee is required`;
  return userTrouble(assignee, `${path}.assignee`) ?? minutesTrouble(slaMinutes, path);
}

/** Nobody behind an entry without limit gets the task by time (contract-admin 10.1). */
function chainTrouble(entries: Json | undefined): string | undefined {
  if (!Array.isArray(entries)) return undefined;
  const endless = entries.findIndex(
    (entry) => isMap(entry) && namesSomebody(entry['assignee']) && isEndless(entry['slaMinutes']),
  );
  if (endless < 0 || endless === entries.length - 1) return undefined;
  const path = (index: number): string => `assignments[${index}]`;
  return `${path(endless + 1)} is never reached: ${path(endless)} has no limit (slaMinutes)`;
}

function namesSomebody(assignee: Json | undefined): boolean {
  return isMap(assignee) && !isAbsent(assignee['user']) && assignee['user'] !== '';
}

function isEndless(slaMinutes: Json | undefined): boolean {
  return isAbsent(slaMinutes) || slaMinutes === '' || numberFrom(slaMinutes) === 0;
}

function minutesTrouble(value: Json | undefined, path: string): string | undefined {
  if (isAbsent(value) || holdsExpression(value)) return undefined;
  const minutes = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return isSlaMinutes(minutes) ? undefined : `${path}.slaMinutes ${slaMinutesRule}`;
}

function userTrouble(value: Json | undefined, path: string): string | undefined {
  if (isAbsent(value) || holdsExpression(value)) return undefined;
  if (!isMap(value)) return `${path} must be an object with user and userType`;
  const { user, userType } = value;
  return (
    textTrouble(user, `${path}.user`) ??
    (isAbsent(user) || user === ''
      ? undefined
      : choiceTrouble(userType ?? '', `${path}.userType`, humanUserTypes))
  );
}

function triggerTrouble(entry: Json, path: string): string | undefined {
  if (!isMap(entry)) return `${path} must be an object`;
  const { triggerType, startWorkflowRequest: request } = entry;
  const trouble = choiceTrouble(triggerType ?? '', `${path}.triggerType`, triggerTypes);
  if (trouble !== undefined || holdsExpression(request)) return trouble;
  if (!isMap(request)) return `${path}.startWorkflowRequest must be an object`;
  if (typeof request['name'] === 'string' && request['name'] !== '') return undefined;
  return `${path}.startWorkflowRequest.name must name a workflow`;
}

function templateTrouble(value: Json | undefined): string | undefined {
  if (isAbsent(value) || holdsExpression(value)) return undefined;
  if (!isMap(value)) return 'userFormTemplate must be an object with name and version';
  const { name, version } = value;
  const trouble = textTrouble(name, 'userFormTemplate.name');
  if (trouble !== undefined || isAbsent(version) || holdsExpression(version)) return trouble;
  return Number.isInteger(numberFrom(version)) && numberFrom(version) >= 0
    ? undefined
    : 'userFormTemplate.version must be a whole number, 0 or more';
}

function textTrouble(value: Json | undefined, path: string): string | undefined {
  return isAbsent(value) || typeof value === 'string' ? undefined : `${path} must be a text`;
}

function flagTrouble(value: Json | undefined, path: string): string | undefined {
  if (isAbsent(value) || holdsExpression(value)) return undefined;
  return [true, false, 'true', 'false'].includes(value as never)
    ? undefined
    : `${path} must be true or false`;
}

function choiceTrouble(
  value: Json | undefined,
  path: string,
  choices: readonly string[],
): string | undefined {
  if (isAbsent(value) || holdsExpression(value) || choices.includes(value as string))
    return undefined;
  return `${path} must be one of ${choices.join(', ')}`;
}

function listTrouble(
  value: Json | undefined,
  {
    name,
    max,
    of,
  }: { name: string; max: number; of: (entry: Json, path: string) => string | undefined },
): string | undefined {
  if (isAbsent(value) || holdsExpression(value)) return undefined;
  if (!Array.isArray(value)) return `${name} must be a list`;
  if (value.length > max) return `${name} may have ${max} entries at most`;
  for (const [index, entry] of value.entries()) {
    const trouble = holdsExpression(entry) ? undefined : of(entry, `${name}[${index}]`);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}
