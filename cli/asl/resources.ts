// Which task does what the Resource of a Task state names: a function or an activity becomes a task
// of a worker, a call becomes HTTP, another machine a workflow. Any other service becomes a task of
// a worker that has to be written.
import { isObject, objectOf, textOf, type JsonObject } from '../shared/json.js';

export interface ResourceTask {
  readonly name: string;
  readonly type: string;
  /** inputParameters, where `input` is the expression of the state's input. */
  readonly input: (input: string) => JsonObject;
  /** Further fields of the task. */
  readonly more: JsonObject;
  /** Path to the result below the output. */
  readonly result: string;
  /** The result stands in a field Payload there, as paths of the machine know it. */
  readonly wrapped?: boolean;
}

type Tell = (field: string, what: string) => void;

export function taskOfResource(state: JsonObject, tell: Tell): ResourceTask {
  const resource = textOf(state['Resource']);
  const template = state['Parameters'];
  const names = namesOf(template);
  if (/\.waitForTaskToken$/.test(resource))
    tell('Resource', 'there is no task token: the worker itself completes the task');
  const lambda = /^arn:[\w-]+:lambda:[^:]*:[^:]*:function:([\w-]+)/.exec(resource);
  if (lambda !== null) return worker(lambda[1] ?? '', names);
  const activity = /^arn:[\w-]+:states:[^:]*:[^:]*:activity:([\w-]+)/.exec(resource);
  if (activity !== null) return worker(activity[1] ?? '', names);
  const service = /^arn:[\w-]+:states:::(?:aws-sdk:)?([\w-]+):([\w-]+)/.exec(resource);
  const [, area = '', action = ''] = service ?? [];
  if (area === 'lambda' && action === 'invoke') return invoked(template, tell);
  if (area === 'http' && action === 'invoke') return http(names, tell);
  if (area === 'states' && action === 'startExecution') return machine(resource, template, tell);
  const name = service === null ? lastOf(resource) : `${area}_${action}`;
  tell('Resource', `a worker has to do '${name}': nothing here does what ${resource} does`);
  return worker(name, names);
}

/** Fields of a template stand in the input by their names; without one the data is in `input`. */
function worker(name: string, names: readonly string[] | undefined): ResourceTask {
  return {
    name: name || 'task',
    type: 'SIMPLE',
    input: (input) => (names === undefined ? { input } : membersOf(input, names)),
    more: {},
    result: '',
  };
}

/** `lambda:invoke`: the function gets the Payload, and its answer is one too. */
function invoked(template: unknown, tell: Tell): ResourceTask {
  const given = objectOf(template);
  const name = textOf(given['FunctionName']);
  if (name === '') tell('Parameters', 'FunctionName is not a text: name the task by hand');
  const payload = given['Payload'];
  const inner = namesOf(payload);
  return {
    ...worker(lastOf(name), undefined),
    input: (input) => {
      const at = pathInto(input, 'Payload');
      return inner === undefined ? { input: at } : membersOf(at, inner);
    },
    wrapped: true,
  };
}

function http(names: readonly string[] | undefined, tell: Tell): ResourceTask {
  const known: Readonly<Record<string, string>> = {
    ApiEndpoint: 'uri',
    Method: 'method',
    Headers: 'headers',
    RequestBody: 'body',
  };
  for (const name of names ?? []) {
    if (known[name] === undefined) tell('Parameters', `${name} is left out`);
  }
  return {
    ...{ name: 'http', type: 'HTTP', more: {} },
    input: (input) =>
      Object.fromEntries(
        Object.entries(known)
          .filter(([name]) => names?.includes(name) === true)
          .map(([name, own]) => [own, pathInto(input, name)]),
      ),
    result: '.response',
  };
}

function machine(resource: string, template: unknown, tell: Tell): ResourceTask {
  const given = objectOf(template);
  const name = lastOf(textOf(given['StateMachineArn']));
  if (name === '') tell('Parameters', 'StateMachineArn is not a text: name the workflow by hand');
  const isAwaited = /\.sync(?::2)?$/.test(resource);
  const inner = namesOf(given['Input']);
  const inputOf = (input: string): JsonObject => {
    const at = pathInto(input, 'Input');
    return inner === undefined ? { input: at } : membersOf(at, inner);
  };
  return isAwaited
    ? {
        ...{ name: name || 'machine', type: 'SUB_WORKFLOW', input: inputOf, result: '' },
        more: { subWorkflowParam: { name } },
      }
    : {
        ...{ name: name || 'machine', type: 'START_WORKFLOW', more: {}, result: '' },
        input: (input) => ({ startWorkflow: { name, input: inputOf(input) } }),
      };
}

function namesOf(template: unknown): string[] | undefined {
  if (!isObject(template)) return undefined;
  return Object.keys(template).map((name) => name.replace(/\.\$$/, ''));
}

function membersOf(input: string, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, pathInto(input, name)]));
}

/** `${a.b}` and `c` give `${a.b['c']}`. */
function pathInto(expression: string, name: string): string {
  return expression.replace(/\}$/, `['${name}']}`);
}

function lastOf(arn: string): string {
  const parts = arn.split(':').filter((part) => part !== '$LATEST');
  return (parts.at(-1) ?? '').replace(/[^\w-]+/g, '_');
}
