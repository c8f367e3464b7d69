// Secrets and the engine (semantics 3.7): stored inputs hold names of secrets only, and what a task
// reports is stored without the values that its input was given. Whether the one who started an
// execution may read a secret is checked when a task that names it is scheduled.
import type { Json, JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { redactMap, redactText } from '../model/redact.js';
import { Payload } from '../model/payload.js';
import type { Task, TaskResult } from '../model/execution.js';
import { inputOf } from './derived-payloads.js';
import { mayHoldSecrets, secretNamesIn, secretsNamedIn } from './expression/secrets.js';
import { AccessRefusal, SecretRefusal } from './expression/refusal.js';
import type { OpenExecution } from './open-execution.js';
import type { Site } from './task-types/contract.js';
import type { Transition } from './transition.js';

/**
 * Types that compute with their input in the engine. A secret would show in their output or in the
 * branch that they choose, and its name chooses the wrong branch. So they get none
 * (docs/access.md).
 */
const typesWithoutSecrets: ReadonlySet<string> = new Set([
  ...['INLINE', 'LAMBDA', 'SWITCH', 'DECISION', 'DO_WHILE'],
]);

/** The input as it is. Throws ExpressionRefusal. */
export function checkSecrets(
  t: Transition,
  { config }: Pick<Site, 'config'>,
  input: Payload,
): Payload {
  const { secrets } = t.context;
  if (secrets === undefined || !mayHoldSecrets(input.text)) return input;
  if (typesWithoutSecrets.has(config.type)) refuseSecretsIn(input.text, config.type);
  const { createdBy } = t.execution.attributes;
  const name = secrets.unreadable(input.text, createdBy);
  if (name !== undefined) throw new AccessRefusal(createdBy, `SECRET_NAME ${name}`);
  const named = secretsNamedIn(input.text);
  const unknown = secrets.unknown(named);
  if (unknown !== undefined) throw unknownSecret(`The input names the secret ${unknown}`);
  const given = givenNames(t, config);
  const brought = given && named.find((each) => !given.has(each));
  if (brought !== undefined) {
    throw new SecretRefusal(
      `The input names the secret ${brought} in what another task or a message brought: name it in the inputParameters of the task`,
    );
  }
  return input;
}

/** For what computes in the engine. Throws ExpressionRefusal that shows the first name. */
export function refuseSecretsIn(text: string, type: string): void {
  if (!mayHoldSecrets(text)) return;
  const shown = /\$\{[^{}]*workflow\.secrets\.[^{}]*\}/.exec(text)?.[0];
  if (shown === undefined) return;
  throw new SecretRefusal(
    `A task of type ${type} gets no secrets, its input names ${shown}: give it to a task that hands it out`,
  );
}

/**
 * Secrets that the definition of the task names, and those that came with the start or stand in
 * variables: what a worker, a caller of a webhook or a remote server sends may name none
 * (docs/access.md, "Secrets"). undefined: the definition has the name computed, so any may come.
 */
function givenNames(t: Transition, config: Site['config']): ReadonlySet<string> | undefined {
  const { input, variables } = t.execution;
  const { inputParameters, taskDefinition } = config;
  const ofDefinition = toJsonText([inputParameters, taskDefinition?.inputTemplate ?? {}] as Json);
  if (computedName.test(ofDefinition)) return undefined;
  const texts = [ofDefinition, input.text, variables.text];
  return new Set(texts.flatMap((text) => secretNamesIn(text)));
}

/**
 * Checks the secrets that the task's definition attaches to its hand-out (semantics 3.7.5). Throws
 * ExpressionRefusal.
 */
export function checkAttached(t: Transition, { config }: Site): void {
  const { secrets } = t.context;
  if (secrets === undefined) return;
  const { createdBy } = t.execution.attributes;
  for (const name of config.taskDefinition?.runtimeMetadata ?? []) {
    const withheld = secrets.withheld(name, createdBy);
    if (withheld === 'unreadable') {
      throw new AccessRefusal(createdBy, `${name}, which runtimeMetadata of the task names`);
    }
    if (withheld === 'unknown') {
      throw unknownSecret(`runtimeMetadata of the task names ${name}`);
    }
  }
}

/** Such as `${workflow.secrets.${workflow.input.which}}`. */
const computedName = /workflow\.secrets\.[^}]*\$\{/;

function unknownSecret(who: string): SecretRefusal {
  const setting = 'or set unknownSecretsAsNull';
  return new SecretRefusal(`${who}, which does not exist: create it and retry, ${setting}`);
}

/** The report without the values of secrets that the task was given. */
export function withoutSecrets(t: Transition, task: Task, result: TaskResult): TaskResult {
  const texts = secretTextsOf(t, task);
  if (texts.length === 0) return result;
  const { reasonForIncompletion: reason } = result;
  return {
    ...result,
    output: Payload.of(redactMap(result.output.value, texts)),
    ...(reason === undefined ? {} : { reasonForIncompletion: redactText(reason, texts) }),
  };
}

/** The input of a person, without the values of secrets that the task's input names. */
export function enteredWithoutSecrets(t: Transition, task: Task, entered: JsonMap): JsonMap {
  return redactMap(entered, secretTextsOf(t, task));
}

/** Texts that what becomes of the task must not show. */
function secretTextsOf(t: Transition, task: Task): readonly string[] {
  const { secrets } = t.context;
  return secrets?.any === true ? secrets.textsOf(handedSecrets(t.open, task)) : [];
}

/** Names of the secrets that the task was given, and of other values that come with it. */
export function handedSecrets(open: OpenExecution, task: Task): string[] {
  const attached = task.config.taskDefinition?.runtimeMetadata ?? [];
  const { text } = inputOf(open, task);
  return mayHoldSecrets(text) ? [...new Set([...secretNamesIn(text), ...attached])] : [...attached];
}
