// The tasks of one state. The data of the machine is in the workflow variable `state`: a state
// reads it, and the tasks behind it write what has become of it.
import { numberOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import type { Exit, Step } from './flow.js';
import { literal, Scripts } from './scripts.js';
import { taskOfResource } from './resources.js';

export const stateText = '${workflow.variables.state}';

export interface StateParts {
  /** A reference name that is in use nowhere yet. */
  readonly nameOf: (wanted: string) => string;
  readonly note: (state: string, field: string, what: string) => void;
  /** Makes a definition of a branch or of an iterator; returns its name. */
  readonly child: (machine: unknown, name: string) => string;
}

const common = ['Type', 'Comment', 'Next', 'End', 'InputPath', 'OutputPath', 'QueryLanguage'];
const shaped = ['Parameters', 'ResultSelector', 'ResultPath', 'Retry', 'Catch'];
const fields: Readonly<Record<string, readonly string[]>> = {
  Task: ['Resource', 'TimeoutSeconds', 'HeartbeatSeconds', ...shaped],
  Choice: ['Choices', 'Default'],
  Parallel: ['Branches', ...shaped],
  Map: ['Iterator', 'ItemProcessor', 'ItemsPath', 'ItemSelector', ...shaped],
  Wait: ['Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'],
  Pass: ['Result', 'Parameters', 'ResultPath'],
  Succeed: [],
  Fail: ['Error', 'Cause', 'ErrorPath', 'CausePath'],
};

export class States {
  constructor(private readonly parts: StateParts) {}

  stepOf(name: string, state: JsonObject): Step {
    const type = textOf(state['Type']);
    const { note } = this.parts;
    for (const field of Object.keys(state)) {
      if (!common.includes(field) && fields[type]?.includes(field) !== true)
        note(name, field, 'is left out');
    }
    if (textOf(state['QueryLanguage']) === 'JSONata')
      note(name, 'QueryLanguage', 'JSONata is not carried; write the state with JSONPath');
    const step = new StateStep(name, state, this.parts);
    switch (type) {
      case 'Task':
        return step.task();
      case 'Choice':
        return step.choice();
      case 'Parallel':
        return step.parallel();
      case 'Map':
        return step.map();
      case 'Wait':
        return step.wait();
      case 'Pass':
        return step.pass();
      case 'Succeed':
        return { tasks: step.output(), exit: { kind: 'next', to: undefined } };
      default:
        return step.fail();
    }
  }
}

class StateStep {
  readonly #ref: string;
  readonly #scripts: Scripts;

  constructor(
    private readonly name: string,
    private readonly state: JsonObject,
    private readonly parts: StateParts,
  ) {
    this.#ref = parts.nameOf(name);
    this.#scripts = new Scripts((what) => parts.note(name, 'expression', `${what} is not carried`));
  }

  task(): Step {
    const { tasks, input } = this.#input('Parameters');
    const { note } = this.parts;
    const made = taskOfResource(this.state, (field, what) => note(this.name, field, what));
    const inputParameters = made.input(input);
    const work: JsonObject = {
      ...{ name: made.name, taskReferenceName: this.#ref, type: made.type, inputParameters },
      ...made.more,
      ...(made.type === 'SUB_WORKFLOW' ? {} : { taskDefinition: this.#definition(made.name) }),
    };
    const output = `\${${this.#ref}.output${made.result}}`;
    if (made.wrapped !== true) return this.#afterWork([...tasks, work], [this.#ref], output);
    const wrapped = this.#script(`${this.name}_payload`, '({ Payload: $.output })', { output });
    return this.#afterWork([...tasks, work], [this.#ref], wrapped.text, [wrapped.task]);
  }

  choice(): Step {
    const rules = objectsOf(this.state['Choices']);
    const tests = rules.map(
      (rule, index) =>
        `(${this.#scripts.rule(rule, this.#filtered('$.state'))}) ? 'rule${index}' : `,
    );
    const cases = rules.map((rule, index) => [
      `rule${index}`,
      { tasks: this.output(), to: textOf(rule['Next']) },
    ]);
    const fallback = textOf(this.state['Default']);
    if (fallback !== '') cases.push(['default', { tasks: this.output(), to: fallback }]);
    return {
      tasks: [],
      exit: {
        kind: 'switch',
        task: this.#switch(`${tests.join('')}'default'`, { state: stateText, ...this.#context() }),
        cases: Object.fromEntries(cases),
        otherwise: [this.#failure('States.NoChoiceMatched', `No rule of ${this.name} matched.`)],
      },
    };
  }

  parallel(): Step {
    const { tasks, input } = this.#input('Parameters');
    const branches = objectsOf(this.state['Branches']).map((branch, index) => {
      const child = this.parts.child(branch, `${this.name}_${index + 1}`);
      const ref = this.parts.nameOf(`${this.name}_${index + 1}`);
      return this.#childTask(ref, child, input);
    });
    const refs = branches.map((branch) => textOf(branch['taskReferenceName']));
    this.#noRetry();
    const join = this.parts.nameOf(`${this.name}_join`);
    const list = this.#script(
      `${this.name}_results`,
      `[${refs.map((_, index) => `$.r${index}`).join(', ')}]`,
      Object.fromEntries(refs.map((ref, index) => [`r${index}`, `\${${ref}.output.result}`])),
    );
    const fork = {
      ...{ name: 'fork', taskReferenceName: this.#ref, type: 'FORK_JOIN' },
      forkTasks: branches.map((branch) => [branch]),
    };
    const joined = { name: 'join', taskReferenceName: join, type: 'JOIN', joinOn: refs };
    return this.#afterWork([...tasks, fork, joined], refs, list.text, [list.task]);
  }

  map(): Step {
    const { state } = this;
    const machine = state['ItemProcessor'] ?? state['Iterator'];
    const child = this.parts.child(machine, `${this.name}_item`);
    const root = this.#filtered('$.state');
    const items = this.#scripts.expression(textOf(state['ItemsPath']) || '$', root);
    const selector = state['ItemSelector'] ?? state['Parameters'];
    const item = selector === undefined ? 'item' : this.#scripts.template(selector, root);
    const inputs = this.#script(
      `${this.name}_items`,
      `(${items}).map(function (item, index) { return { state: ${item} }; })`,
      { state: stateText, ...this.#context() },
    );
    const fork = {
      ...{ name: 'fork', taskReferenceName: this.#ref, type: 'FORK_JOIN_DYNAMIC' },
      inputParameters: {
        forkTaskInputs: inputs.text,
        forkTaskWorkflow: child,
        forkTaskName: `${this.#ref}_item`,
      },
    };
    const join = this.parts.nameOf(`${this.name}_join`);
    const list = this.#script(
      `${this.name}_results`,
      'Object.keys($.all).sort(function (a, b) { return numberOf(a) - numberOf(b); }).map(function (k) { return get($.all[k], ["result"]); })',
      { all: `\${${join}.output}` },
      'var numberOf = function (k) { return Number(/_(\\d+)(?:__\\d+)?$/.exec(k)[1]); };',
    );
    this.#noRetry();
    if (Array.isArray(state['Catch']))
      this.parts.note(this.name, 'Catch', 'a failed item fails the execution');
    const joined = { name: 'join', taskReferenceName: join, type: 'JOIN', joinOn: [] };
    return {
      tasks: [inputs.task, fork, joined, list.task, ...this.#finish(list.text)],
      exit: this.#next(),
    };
  }

  wait(): Step {
    const { Seconds: seconds, SecondsPath: path, Timestamp: time, TimestampPath: at } = this.state;
    const wait = (duration: string): JsonObject => ({
      ...{ name: 'wait', taskReferenceName: this.#ref, type: 'WAIT' },
      inputParameters: { duration },
    });
    if (seconds !== undefined)
      return {
        tasks: [wait(`${numberOf(seconds)} seconds`), ...this.output()],
        exit: this.#next(),
      };
    const root = this.#filtered('$.state');
    const from = (text: unknown): string => this.#scripts.expression(textOf(text), root);
    const until = (): string => (time === undefined ? from(at) : literal(time));
    const left =
      path === undefined
        ? `Math.max(0, Math.ceil((Date.parse(${until()}) - Date.now()) / 1000))`
        : from(path);
    const script = this.#script(`${this.name}_seconds`, left, {
      state: stateText,
      ...this.#context(),
    });
    return {
      tasks: [script.task, wait(`${script.text} seconds`), ...this.output()],
      exit: this.#next(),
    };
  }

  pass(): Step {
    const { Result: result } = this.state;
    const { tasks, input } = this.#input('Parameters');
    if (result === undefined)
      return { tasks: [...tasks, ...this.#finish(input)], exit: this.#next() };
    const made = this.#script(`${this.name}_result`, literal(result), {});
    return { tasks: [made.task, ...this.#finish(made.text)], exit: this.#next() };
  }

  fail(): Step {
    const { Error: error, Cause: cause, ErrorPath: errorPath, CausePath: causePath } = this.state;
    for (const field of ['ErrorPath', 'CausePath']) {
      if (this.state[field] !== undefined) this.parts.note(this.name, field, 'is left out');
    }
    const texts = [textOf(error ?? errorPath), textOf(cause ?? causePath)] as const;
    return { tasks: [this.#failure(...texts)], exit: { kind: 'over' } };
  }

  /** The data after OutputPath; nothing where there is none. */
  output(): JsonObject[] {
    if (this.state['OutputPath'] === undefined && this.state['InputPath'] === undefined) return [];
    if (this.state['Type'] === 'Choice') return this.#set(this.#filtered('$.state'), {});
    return this.#set(this.#selected(this.#filtered('$.state')), {});
  }

  #next(): Exit {
    const to = this.state['End'] === true ? undefined : textOf(this.state['Next']);
    return { kind: 'next', to };
  }

  /** The data that InputPath leaves. */
  #filtered(root: string): string {
    const { InputPath: path } = this.state;
    if (path === null) return '({})';
    return path === undefined ? root : this.#scripts.path(textOf(path), root);
  }

  #selected(root: string): string {
    const { OutputPath: path } = this.state;
    if (path === null) return '({})';
    return path === undefined ? root : this.#scripts.path(textOf(path), root);
  }

  /** The input of the state: an expression, and the tasks that compute it. */
  #input(field: string): { tasks: JsonObject[]; input: string } {
    const template = this.state[field];
    if (template === undefined && this.state['InputPath'] === undefined)
      return { tasks: [], input: stateText };
    const root = this.#filtered('$.state');
    const value = template === undefined ? root : this.#scripts.template(template, root);
    const made = this.#script(`${this.name}_in`, value, { state: stateText, ...this.#context() });
    return { tasks: [made.task], input: made.text };
  }

  /** Tasks that put `result` into the data. */
  #finish(result: string): JsonObject[] {
    const { ResultSelector: selector, ResultPath: path, OutputPath: output } = this.state;
    const isPlain = selector === undefined && output === undefined;
    if (isPlain && (path === undefined || path === '$')) return [this.#setTo(result)];
    if (isPlain && path === null) return [];
    const chosen =
      selector === undefined ? '$.result' : this.#scripts.template(selector, '$.result');
    const placed =
      path === null
        ? '$.state'
        : this.#scripts.placed('$.state', textOf(path ?? '$') || '$', chosen);
    return this.#set(this.#selected(placed), { result });
  }

  #set(expression: string, inputs: JsonObject): JsonObject[] {
    const made = this.#script(`${this.name}_out`, expression, { state: stateText, ...inputs });
    return [made.task, this.#setTo(made.text)];
  }

  #setTo(text: string): JsonObject {
    return {
      name: 'set_state',
      taskReferenceName: this.parts.nameOf(`${this.name}_set`),
      type: 'SET_VARIABLE',
      inputParameters: { state: text },
    };
  }

  #script(
    wanted: string,
    expression: string,
    inputs: JsonObject,
    before = '',
  ): { task: JsonObject; text: string } {
    const ref = this.parts.nameOf(wanted);
    const script = this.#scripts.whole(expression).replace('(function () {', `$& ${before}`);
    const inputParameters = { evaluatorType: 'graaljs', expression: script, ...inputs };
    return {
      task: { name: 'script', taskReferenceName: ref, type: 'INLINE', inputParameters },
      text: `\${${ref}.output.result}`,
    };
  }

  #switch(expression: string, inputParameters: JsonObject): JsonObject {
    return {
      ...{ name: 'choice', taskReferenceName: this.parts.nameOf(`${this.name}_choice`) },
      ...{ type: 'SWITCH', evaluatorType: 'graaljs' },
      ...{ expression: this.#scripts.whole(expression), inputParameters },
    };
  }

  #context(): JsonObject {
    return { id: '${workflow.workflowId}', given: '${workflow.input}' };
  }

  #childTask(ref: string, child: string, input: string): JsonObject {
    return {
      ...{ name: child, taskReferenceName: ref, type: 'SUB_WORKFLOW' },
      subWorkflowParam: { name: child },
      inputParameters: { state: input },
    };
  }

  #failure(error: string, cause: string): JsonObject {
    return {
      ...{ name: 'fail', taskReferenceName: this.parts.nameOf(`${this.name}_fail`) },
      type: 'TERMINATE',
      inputParameters: {
        terminationStatus: 'FAILED',
        terminationReason: cause === '' ? error : `${error}: ${cause}`,
        workflowOutput: { Error: error, Cause: cause },
      },
    };
  }

  /** The tasks after those that may fail: the result, or the handler of the failure. */
  #afterWork(
    work: JsonObject[],
    refs: readonly string[],
    result: string,
    before: JsonObject[] = [],
  ): Step {
    const catchers = objectsOf(this.state['Catch']);
    const done = [...before, ...this.#finish(result)];
    if (catchers.length === 0) return { tasks: [...work, ...done], exit: this.#next() };
    const optional = work.map((task) => withOptional(task, refs));
    const exit = this.#next();
    const to = exit.kind === 'next' ? exit.to : undefined;
    const inputs = Object.fromEntries(
      refs.flatMap((ref, index) => [
        [`s${index}`, `\${${ref}.status}`],
        [`c${index}`, `\${${ref}.reasonForIncompletion}`],
      ]),
    );
    const list = refs.map((_, index) => `{ status: $.s${index}, cause: $.c${index} }`).join(', ');
    const failed = `[${list}].find(function (t) { return t.status !== 'COMPLETED'; })`;
    const test = catchers
      .map((each, index) => `(${errorTest(each)}) ? 'catch${index}' : `)
      .join('');
    const choice = this.#switch(
      `(function (failed) { if (failed === undefined) return 'done'; return ${test}'none'; })(${failed})`,
      inputs,
    );
    const caught = catchers.map((each, index) => {
      const path = each['ResultPath'];
      const error = `({ Error: failed.status === 'TIMED_OUT' ? 'States.Timeout' : 'States.TaskFailed', Cause: failed.cause })`;
      const placed =
        path === null ? '$.state' : this.#scripts.placed('$.state', textOf(path ?? '$'), error);
      const expression = `(function (failed) { return ${placed}; })(${failed})`;
      return [
        `catch${index}`,
        { tasks: this.#set(expression, inputs), to: textOf(each['Next']) },
      ] as const;
    });
    return {
      tasks: optional,
      exit: {
        kind: 'switch',
        task: choice,
        cases: { done: { tasks: done, to }, ...Object.fromEntries(caught) },
        otherwise: [this.#failure('States.TaskFailed', `\${${refs[0]}.reasonForIncompletion}`)],
      },
    };
  }

  /** Retries and time-outs of a Task as a task definition of its own. */
  #definition(name: string): JsonObject {
    const { TimeoutSeconds: timeout, HeartbeatSeconds: beat } = this.state;
    const [retry, ...more] = objectsOf(this.state['Retry']);
    const { note } = this.parts;
    if (more.length > 0) note(this.name, 'Retry', 'only the first retrier is carried');
    const rate = numberOf(retry?.['BackoffRate'] ?? 2);
    if (retry !== undefined && rate !== 1 && rate !== 2)
      note(this.name, 'Retry', `BackoffRate ${rate} becomes 2`);
    const errors = Array.isArray(retry?.['ErrorEquals']) ? (retry['ErrorEquals'] as unknown[]) : [];
    if (errors.some((error) => !isAnyError(error)))
      note(this.name, 'Retry', 'it is tried again after every failure, whatever ErrorEquals names');
    if (retry?.['JitterStrategy'] !== undefined)
      note(this.name, 'Retry', 'JitterStrategy is left out');
    const delay = retry?.['MaxDelaySeconds'];
    return {
      name,
      retryCount: retry === undefined ? 0 : numberOf(retry['MaxAttempts'] ?? 3),
      retryDelaySeconds: numberOf(retry?.['IntervalSeconds'] ?? 1),
      retryLogic: rate === 1 ? 'FIXED' : 'EXPONENTIAL_BACKOFF',
      ...(delay === undefined ? {} : { maxRetryDelaySeconds: numberOf(delay) }),
      ...(timeout === undefined ? {} : { timeoutSeconds: numberOf(timeout) }),
      timeoutPolicy: 'RETRY',
      ...(beat === undefined ? {} : { responseTimeoutSeconds: numberOf(beat) }),
    };
  }

  #noRetry(): void {
    if (Array.isArray(this.state['Retry']))
      this.parts.note(this.name, 'Retry', 'is carried for Task alone');
  }
}

function isAnyError(error: unknown): boolean {
  return ['States.ALL', 'States.TaskFailed', 'States.Timeout'].includes(textOf(error));
}

/** Whether a catcher takes the failure: a name of its own is one that the reason begins with. */
function errorTest(catcher: JsonObject): string {
  const names = Array.isArray(catcher['ErrorEquals']) ? catcher['ErrorEquals'].map(textOf) : [];
  if (names.includes('States.ALL')) return 'true';
  const tests = names.map((name) => {
    if (name === 'States.Timeout') return "failed.status === 'TIMED_OUT'";
    if (name === 'States.TaskFailed') return "failed.status !== 'TIMED_OUT'";
    return `String(failed.cause).indexOf(${literal(name)}) >= 0`;
  });
  return tests.join(' || ') || 'false';
}

function withOptional(task: JsonObject, refs: readonly string[]): JsonObject {
  const { forkTasks } = task;
  if (Array.isArray(forkTasks)) {
    const branches = (forkTasks as JsonObject[][]).map((branch) =>
      branch.map((each) => withOptional(each, refs)),
    );
    return { ...task, forkTasks: branches };
  }
  return refs.includes(textOf(task['taskReferenceName'])) ? { ...task, optional: true } : task;
}
