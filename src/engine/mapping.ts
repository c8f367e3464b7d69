// Parts that most mappings share: the evaluated input (semantics 3.1, 3.8), the domain (5.6), the
// bounds of a payload (2.12).
import type { JsonMap } from '../model/json.js';
import { isDeeperThan } from '../model/json-depth.js';
import { Payload } from '../model/payload.js';
import type { TaskDef } from '../model/task-def.js';
import type { ValueLimits } from '../model/value-limits.js';
import { documentOf } from './execution-document.js';
import { deeperThan, excessOf } from './expression/bounds.js';
import { evaluateTemplate } from './expression/template.js';
import { evaluateInput } from './expression/task-input.js';
import { nextTaskId } from './records.js';
import { checkAttached, checkSecrets } from './secret-rules.js';
import type { Site } from './task-types/contract.js';
import type { Transition } from './transition.js';

/**
 * Evaluated parameters merged with the definition's inputTemplate, with the id of the record to be
 * made. Throws ExpressionRefusal.
 */
export function inputWithTemplate(t: Transition, site: Site): Payload {
  checkAttached(t, site);
  const template = site.config.taskDefinition?.inputTemplate;
  const { input } = site.node;
  if (input.kind === 'static' && isEmptyTemplate(template)) return site.node.staticInput;
  const evaluated = evaluateInput(template, input, documentOf(t, nextTaskId(t)));
  return checkSecrets(t, site, Payload.of(evaluated));
}

/**
 * Evaluated parameters alone. `withTaskId`: `${CPEWF_TASK_ID}` is the record to be made (semantics
 * 3.5).
 */
export function plainInput(t: Transition, site: Site, withTaskId: boolean): Payload {
  const { input } = site.node;
  if (input.kind === 'static') return site.node.staticInput;
  const document = documentOf(t, withTaskId ? nextTaskId(t) : undefined);
  return checkSecrets(t, site, Payload.of(evaluateTemplate(input, document) as JsonMap));
}

function isEmptyTemplate(template: TaskDef['inputTemplate'] | undefined): boolean {
  if (template === undefined) return true;
  for (const _ in template) return false;
  return true;
}

/** Domain of a worker task (semantics 5.6); undefined = none. */
export function domainOf(t: Transition, taskType: string): string | undefined {
  const { taskToDomain } = t.execution.attributes;
  const own = Object.hasOwn(taskToDomain, taskType) ? taskToDomain[taskType] : undefined;
  const list = own ?? taskToDomain['*'];
  if (list === undefined) return undefined;
  const domains = list.split(',').map((domain) => domain.trim());
  while (domains.at(-1) === '') domains.pop();
  const domain = t.context.activeDomain(taskType, domains);
  return domain === undefined || domain === '' || domain.toUpperCase() === 'NO_DOMAIN'
    ? undefined
    : domain;
}

/**
 * How a payload exceeds a limit in bytes, or the limits of values, as a text that completes "the
 * value is ..."; undefined when it does not. Cheap for what is text already or is going to be
 * stored; what is far beyond is never written.
 */
export function excessOfPayload(
  payload: Payload,
  bytesMax: number,
  limits: ValueLimits,
): string | undefined {
  const { bytes } = payload;
  if (bytes !== undefined) {
    return bytes.length > bytesMax ? `larger than ${bytesMax} bytes` : undefined;
  }
  if (!payload.hasText) {
    const excess = excessOf(payload.value, bytesMax, limits);
    if (excess !== undefined) return excess;
  } else if (isDeeperThan(payload.text, limits.valueDepthMax)) return deeperThan(limits);
  const { text } = payload;
  const isLarger =
    text.length > bytesMax || (text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax);
  return isLarger ? `larger than ${bytesMax} bytes` : undefined;
}

/** The same of the variables of an execution, in the words of semantics 4.14. */
export function variablesExcess(
  variables: Payload,
  limits: ValueLimits & { readonly variablesBytesMax: number },
): string | undefined {
  const { variablesBytesMax } = limits;
  const excess = excessOfPayload(variables, variablesBytesMax, limits);
  return excess?.replace(/^larger than /, 'larger than the permitted ');
}
