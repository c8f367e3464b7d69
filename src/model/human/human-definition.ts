// How a task of type HUMAN is configured (contract-admin 10.1): who gets it, for how long, and with
// which form. It comes evaluated, in the task's input.
import { AppError } from '../errors.js';
import { isMap, type Json, type JsonMap } from '../json.js';
import { numberFrom } from '../json-text.js';
import { personIdOf } from '../person-id.js';

export const humanUserTypes = [
  'EXTERNAL_USER',
  'EXTERNAL_GROUP',
  'CONDUCTOR_USER',
  'CONDUCTOR_GROUP',
] as const;
export type HumanUserType = (typeof humanUserTypes)[number];

export interface HumanUser {
  readonly userType: HumanUserType;
  readonly user: string;
}

export interface HumanAssignment {
  readonly assignee: HumanUser;
  /** 0: no limit. */
  readonly slaMinutes: number;
}

export const triggerTypes = [
  'PENDING',
  'ASSIGNED',
  'IN_PROGRESS',
  'COMPLETED',
  'TIMED_OUT',
  'ASSIGNEE_CHANGED',
  'CLAIMANT_CHANGED',
] as const;
export type TriggerType = (typeof triggerTypes)[number];

export interface HumanTrigger {
  readonly triggerType: TriggerType;
  readonly startWorkflowRequest: JsonMap;
}

export const completionStrategies = ['LEAVE_OPEN', 'TERMINATE'] as const;

export interface HumanDefinition {
  readonly displayName: string | undefined;
  readonly userFormTemplate: { readonly name: string; readonly version: number } | undefined;
  readonly assignments: readonly HumanAssignment[];
  readonly completionStrategy: (typeof completionStrategies)[number];
  readonly autoClaim: boolean;
  readonly triggers: readonly HumanTrigger[];
}

/** Name of the task's input that holds the definition. */
export const definitionKey = '__humanTaskDefinition';
/** Name under which a task's input shows what happened so far. */
export const processKey = '__humanTaskProcessContext';

export const assignmentsMax = 100;
/** A thousand years: the end of a limit stays a time that can be written. */
const slaMinutesMax = 525_600_000;
export const slaMinutesRule = `must be a whole number, 0 to ${slaMinutesMax}`;
export const triggersMax = 50;

/**
 * The definition in an input, which has been checked (check-human-definition.ts). A value that does
 * not fit all the same is left out, in tasks that started before it was.
 */
export function humanDefinitionOf(input: JsonMap): HumanDefinition {
  const given = input[definitionKey];
  // Older clients put assignee and displayName straight into the input.
  const definition = isMap(given) ? given : given === undefined ? input : {};
  const { userFormTemplate, assignments, assignee, taskTriggers } = definition;
  const shorthand = isMap(given) || typeof assignee === 'object' ? assignee : undefined;
  return {
    displayName: textOf(definition['displayName']),
    userFormTemplate: isMap(given) ? templateOf(userFormTemplate) : undefined,
    assignments: Array.isArray(assignments)
      ? parseAssignments(assignments)
      : parseAssignments(shorthand === undefined ? [] : [{ assignee: shorthand }]),
    completionStrategy:
      definition['assignmentCompletionStrategy'] === 'TERMINATE' ? 'TERMINATE' : 'LEAVE_OPEN',
    autoClaim: definition['autoClaim'] === true || definition['autoClaim'] === 'true',
    triggers: Array.isArray(taskTriggers) ? triggersOf(taskTriggers) : [],
  };
}

/** Entries that name an assignee. One behind an entry without limit is never reached. */
export function parseAssignments(entries: readonly Json[]): HumanAssignment[] {
  const assignments: HumanAssignment[] = [];
  for (const entry of entries.slice(0, assignmentsMax)) {
    const assignee = isMap(entry) ? humanUserOf(entry['assignee']) : undefined;
    if (assignee === undefined || !isMap(entry)) continue;
    const slaMinutes = Math.max(0, Math.trunc(numberFrom(entry['slaMinutes'] ?? 0)) || 0);
    assignments.push({ assignee, slaMinutes });
    if (slaMinutes === 0) break;
  }
  return assignments;
}

/**
 * The assignments that a caller orders: unlike those of a definition, each of them has to fit.
 * Throws AppError 'bad-request' that names the field.
 */
export function parseOrderedAssignments(input: unknown): HumanAssignment[] {
  if (!Array.isArray(input)) throw new AppError('bad-request', 'the body must be a list');
  if (input.length > assignmentsMax) {
    throw new AppError('bad-request', `the body may have ${assignmentsMax} entries at most`);
  }
  input.forEach((entry: Json, index) => {
    const { assignee, slaMinutes = 0 } = isMap(entry) ? entry : {};
    if (humanUserOf(assignee) === undefined) {
      const rule = `must name user and userType, one of ${humanUserTypes.join(', ')}`;
      throw new AppError('bad-request', `[${index}].assignee ${rule}`);
    }
    if (slaMinutes !== null && !isSlaMinutes(slaMinutes)) {
      throw new AppError('bad-request', `[${index}].slaMinutes ${slaMinutesRule}`);
    }
    if (index < input.length - 1 && (slaMinutes === null || slaMinutes === 0)) {
      const rule = `is never reached: [${index}] has no limit (slaMinutes)`;
      throw new AppError('bad-request', `[${index + 1}] ${rule}`);
    }
  });
  return parseAssignments(input as Json[]);
}

export function isSlaMinutes(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= slaMinutesMax;
}

export function humanUserOf(value: Json | undefined): HumanUser | undefined {
  if (!isMap(value)) return undefined;
  const user = textOf(value['user']);
  const userType = humanUserTypes.find((each) => each === value['userType']);
  if (user === undefined || userType === undefined) return undefined;
  return { userType, user: comparedName(userType, user) };
}

/** Ids of users of this server are lower case (contract-admin 3.1); other names keep their case. */
export function comparedName(userType: HumanUser['userType'], user: string): string {
  return userType === 'CONDUCTOR_USER' ? personIdOf(user) : user;
}

/** Tasks of older versions may hold ids of users in any case. */
export function isSameUser(a: HumanUser | undefined, b: HumanUser | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const { userType } = a;
  if (userType !== b.userType) return false;
  return comparedName(userType, a.user) === comparedName(userType, b.user);
}

/** Some clients send a name of null and a version of 0 when there is no template. */
function templateOf(value: Json | undefined): { name: string; version: number } | undefined {
  if (!isMap(value)) return undefined;
  const name = textOf(value['name']);
  const version = Math.trunc(numberFrom(value['version'] ?? 0)) || 0;
  return name === undefined ? undefined : { name, version };
}

function triggersOf(entries: readonly Json[]): HumanTrigger[] {
  return entries.slice(0, triggersMax).flatMap((entry): HumanTrigger[] => {
    if (!isMap(entry)) return [];
    const triggerType = triggerTypes.find((each) => each === entry['triggerType']);
    const { startWorkflowRequest } = entry;
    if (triggerType === undefined || !isMap(startWorkflowRequest)) return [];
    return [{ triggerType, startWorkflowRequest }];
  });
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
