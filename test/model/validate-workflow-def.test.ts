import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adHocTaskDef, parseTaskDef } from '../../src/model/parse-task-def.js';
import { parseStartWorkflowRequest } from '../../src/model/parse-start-request.js';
import { engineTaskTypes } from '../../src/engine/task-types/list.js';
import { createConfigurationCheck } from '../../src/engine/check-configuration.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import { fieldTaskTypes } from '../../src/model/field-task-types.js';
import { validateStartRequest } from '../../src/model/validate-start-request.js';
import { validateTaskDef } from '../../src/model/validate-task-def.js';
import { validateWorkflowDef, type WorkflowRules } from '../../src/model/validate-workflow-def.js';
import { readLines } from './recorded.js';
import { parseWorkflowDef } from '../support/parse-workflow-def.js';

const withTemplate = { ...adHocTaskDef('templated', true), inputTemplate: { http_request: {} } };

const rules: WorkflowRules = {
  checkConfiguration: createConfigurationCheck(systemTaskTypes, {
    checkSyntax: (_language, source) => (source.includes('(((') ? 'Unexpected token' : undefined),
    taskDef: (name) => (name === 'templated' ? withTemplate : undefined),
  }),
  ownerEmailRequired: false,
  namesChecked: false,
  environmentNames: new Set(),
};

const simple = { name: 's', taskReferenceName: 's' };

/** Messages about a definition of these tasks, with their paths. */
function violations(tasks: readonly object[], over: object = {}, with_: object = {}): string[] {
  const def = parseWorkflowDef({ name: 'w', tasks, ...over }, 'd');
  return validateWorkflowDef(def, 'd', { ...rules, ...with_ }).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

/** Messages about one configuration of this type. */
const ofType = (type: string, fields: object = {}): string[] =>
  violations([{ name: 'x', taskReferenceName: 'a', type, ...fields }]);

const inLoop = (member: object): object => ({
  name: 'loop',
  taskReferenceName: 'loop',
  type: 'DO_WHILE',
  loopCondition: 'false',
  loopOver: [member],
});

describe('the sink of a status listener', () => {
  const withSink = (
    workflowStatusListenerSink: string,
    workflowStatusListenerEnabled = true,
  ): string[] =>
    violations([simple], { workflowStatusListenerEnabled, workflowStatusListenerSink });

  it.each(['', 'conductor', 'conductor:changes', 'changes', 'kafka:broker:topic'])(
    'may be "%s"',
    (sink) => {
      expect(withSink(sink)).toEqual([]);
    },
  );

  it.each(['pigeon:loft', 'azure:broker:topic', 'kafka:', ':changes'])(
    'may not be %s where the listener is on',
    (sink) => {
      expect(withSink(sink)).toEqual([
        expect.stringMatching(/^d\.workflowStatusListenerSink: .*sink/),
      ]);
      expect(withSink(sink, false)).toEqual([]);
    },
  );
});

describe('definitions that are accepted', () => {
  it('may name any type of the field that this server does not carry out, wherever it stands', () => {
    const built = new Set([
      ...engineTaskTypes.flatMap(({ names }) => names),
      ...systemTaskTypes.keys(),
    ]);
    const notRun = [...fieldTaskTypes].filter((type) => type !== 'FORK' && !built.has(type));
    for (const type of notRun) {
      const task = { name: 'u', taskReferenceName: 'u', type };
      expect(violations([task])).toEqual([]);
      expect(violations([inLoop(task)])).toEqual([]);
      const inline = { name: 'child', tasks: [task] };
      expect(ofType('SUB_WORKFLOW', { subWorkflowParam: { workflowDefinition: inline } })).toEqual(
        [],
      );
    }
  });

  it('are all those the reference was seen to accept, and real ones', () => {
    const folder = new URL('./definitions/', import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    const real = files.map(
      (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as unknown,
    );
    for (const input of [...real, ...readLines<unknown>('./accepted-definitions.jsonl')]) {
      const def = parseWorkflowDef(input, 'd');
      expect({ name: def.name, found: validateWorkflowDef(def, 'd', rules) }).toEqual({
        name: def.name,
        found: [],
      });
    }
  });

  it.each<[string, object]>([
    ['DO_WHILE', { loopCondition: '', loopOver: [simple] }],
    ['DO_WHILE', { items: '${workflow.input.l}', loopOver: [simple] }],
    ['FORK_JOIN_DYNAMIC', { inputParameters: { forkTaskInputs: [] } }],
    ['FORK_JOIN_DYNAMIC', { dynamicForkJoinTasksParam: 'p' }],
    ['WAIT', { inputParameters: { duration: '1 d 2h 3 minutes 4secs' } }],
    ['WAIT', { inputParameters: { until: '2020-02-29' } }],
    ['WAIT', { inputParameters: { until: '2020-01-01 10:00 GMT+04:00' } }],
    ['WAIT', { inputParameters: { duration: '${workflow.input.d}' } }],
    ['TERMINATE', { inputParameters: { terminationStatus: 'TERMINATED' } }],
    ['SWITCH', { evaluatorType: 'value-param', expression: '(((', decisionCases: { a: [] } }],
    ['SUB_WORKFLOW', { subWorkflowParam: { workflowDefinition: '${workflow.input.d}' } }],
    ['YIELD', {}],
    ['SOMETHING_ELSE', {}],
  ])('include %s %j', (type, fields) => {
    expect(ofType(type, fields)).toEqual([]);
  });

  it('include an HTTP task whose request comes from the template of its definition', () => {
    expect(violations([{ name: 'templated', taskReferenceName: 'h', type: 'HTTP' }])).toEqual([]);
    expect(ofType('HTTP', { taskDefinition: { inputTemplate: { http_request: {} } } })).toEqual([]);
  });

  it('include incomplete configurations inside loops, as the reference does', () => {
    expect(violations([inLoop({ ...simple, type: 'SWITCH' })])).toEqual([]);
  });

  it.each([
    'x ${s.output.a[0].b} ${workflow.input.list[?(@.n > 1)].n} y',
    '${s.output.k[0:2]}',
    "${s.output['odd key']}",
    '$${nosuch.output}',
    '${workflow.input.${s.output.name}}',
    '${CPEWF_TASK_ID}',
    '${unclosed',
  ])('include the expression %s', (text) => {
    const reader = { name: 'r', taskReferenceName: 'r', inputParameters: { a: [{ b: text }] } };
    expect(violations([simple, reader])).toEqual([]);
  });
});

describe('definitions that are refused', () => {
  it.each<[string, object, string]>([
    ['SWITCH', { evaluatorType: 'javascript', decisionCases: { a: [] } }, 'expression field is'],
    [
      'SWITCH',
      { evaluatorType: 'javascript', expression: '(((', decisionCases: { a: [] } },
      'Expression is not well formatted: Unexpected token, taskType: SWITCH taskName x',
    ],
    [
      'DECISION',
      { caseExpression: '(((', decisionCases: { a: [] } },
      'Expression is not well formatted: Unexpected token, taskType: DECISION taskName x',
    ],
    [
      'FORK_JOIN_DYNAMIC',
      { dynamicForkJoinTasksParam: 'p', dynamicForkTasksParam: 'q' },
      'dynamicForkJoinTasksParam or combination of',
    ],
    ['FORK_JOIN_DYNAMIC', { dynamicForkTasksParam: 'q' }, 'dynamicForkTasksInputParamName field'],
    ['SUB_WORKFLOW', { subWorkflowParam: {} }, 'subWorkflowParam.name field is required'],
    [
      'TERMINATE',
      { optional: true, inputParameters: { terminationStatus: 'FAILED' } },
      'terminate task cannot be optional, taskName: x',
    ],
    ['WAIT', { inputParameters: { until: '2020-02-30' } }, 'Unable to parse date '],
    ['WAIT', { inputParameters: { until: '2020-01-01 10:00 Mars/One' } }, 'Unable to parse date '],
    ['WAIT', { inputParameters: { duration: 5 } }, 'Either date or duration is passed as null '],
    ['SIMPLE', { startDelay: -1 }, 'must be greater than or equal to 0'],
    [
      'SIMPLE',
      { onStateChange: { onStart: [{ payload: {} }] } },
      'the type of each event of onStart is required',
    ],
    [
      'SIMPLE',
      { onStateChange: { 'onStart, onDone': [] } },
      'must name states of onScheduled, onStart, onSuccess, onFailed, onCancelled',
    ],
  ])('include %s %j', (type, fields, message) => {
    expect(ofType(type, fields)).toEqual([expect.stringContaining(message)]);
  });

  it('include a loop inside a loop, at any depth', () => {
    const fork = {
      name: 'f',
      taskReferenceName: 'f',
      type: 'FORK_JOIN',
      forkTasks: [[{ ...inLoop(simple), name: 'inner', taskReferenceName: 'inner' }]],
    };
    expect(violations([inLoop(fork)])).toEqual([
      expect.stringMatching(
        /^d\.tasks\[0\]\.loopOver\[0\]\.forkTasks\[0\]\[0\]: a DO_WHILE cannot stand inside/,
      ),
    ]);
  });

  it('include nested tasks without names, with the path of each', () => {
    const cases = { name: 'c', taskReferenceName: 'c', type: 'SWITCH' };
    const found = violations([
      {
        ...cases,
        evaluatorType: 'value-param',
        expression: 'x',
        decisionCases: { a: [{ taskReferenceName: 'n1' }] },
        defaultCase: [inLoop({ name: 'n2' })],
      },
    ]);
    expect(found).toEqual([
      'd.tasks[0].decisionCases[a][0].name: WorkflowTask name cannot be empty or null',
      'd.tasks[0].defaultCase[0].loopOver[0].taskReferenceName: WorkflowTask taskReferenceName name cannot be empty or null',
    ]);
  });

  it('include references that are reserved, look like a member of a loop or occur twice', () => {
    const ref = (taskReferenceName: string): object => ({ name: 't', taskReferenceName });
    expect(
      violations([ref('workflow'), ref('a__1'), ref('__fork_1'), ref('b'), inLoop(ref('b'))]),
    ).toEqual([
      'd: taskReferenceName: workflow is reserved',
      'd: taskReferenceName: a__1 must not end with two underscores and a number, as members of loops do',
      'd: taskReferenceName: b should be unique across tasks for a given workflowDefinition: w',
    ]);
  });

  it.each([
    ['${ s.output.a }', 'd: key: k input parameter value:  s.output.a  is not valid'],
    [
      'a ${x} b',
      'd: taskReferenceName: x for given task: r input value: k of input parameter: a ${x} b is not defined in workflow definition.',
    ],
  ])('include the expression %s', (text, message) => {
    const reader = { name: 'r', taskReferenceName: 'r', inputParameters: { m: { k: text } } };
    expect(violations([simple, reader])).toEqual([message]);
  });

  it('report everything at once', () => {
    const found = violations([], { name: '', schemaVersion: 1 }, { ownerEmailRequired: true });
    expect(found).toEqual([
      'd.name: WorkflowDef name cannot be null or empty',
      'd.tasks: WorkflowTask list cannot be empty',
      'd.schemaVersion: workflowDef schemaVersion: 2 is only supported',
      'd.ownerEmail: ownerEmail cannot be empty',
    ]);
  });

  it('know the environment variables that may be read', () => {
    const task = { ...simple, inputParameters: { k: '${REGION}' } };
    expect(violations([task])).toEqual([expect.stringContaining('REGION')]);
    expect(violations([task], {}, { environmentNames: new Set(['REGION']) })).toEqual([]);
  });

  it('include names with a colon, and odd characters where names are checked', () => {
    expect(violations([simple], { name: 'a:b' })).toEqual([expect.stringContaining("':'")]);
    expect(violations([simple], { name: 'a.b' })).toEqual([]);
    expect(violations([simple], { name: 'a.b' }, { namesChecked: true })).toEqual([
      expect.stringContaining("Invalid name 'a.b'"),
    ]);
  });
});

describe('task definitions', () => {
  const found = (fields: object): string[] =>
    validateTaskDef(parseTaskDef({ name: 't', ...fields }, 'd'), 'd', {
      ownerEmailRequired: false,
    }).map(({ message }) => message);

  it('with a short timeout alone get a response timeout that fits', () => {
    expect(found({ timeoutSeconds: 60 })).toEqual([]);
    expect(parseTaskDef({ name: 't', timeoutSeconds: 60 }, 'd').responseTimeoutSeconds).toBe(60);
    expect(parseTaskDef({ name: 't', timeoutSeconds: 9000 }, 'd').responseTimeoutSeconds).toBe(
      3600,
    );
  });

  it('may not have a timeout above the total one', () => {
    expect(
      found({ timeoutSeconds: 20, responseTimeoutSeconds: 5, totalTimeoutSeconds: 10 }),
    ).toEqual([
      'TaskDef: t timeoutSeconds: 20 must be less than or equal to totalTimeoutSeconds: 10',
    ]);
  });

  it.each([{ retryCount: 11 }, { concurrentExecLimit: -1 }, { timeoutSeconds: -1 }])(
    'are accepted with %j',
    (fields) => {
      expect(found(fields)).toEqual([]);
    },
  );
});

describe('a start request', () => {
  const found = (input: object): object[] =>
    validateStartRequest(parseStartWorkflowRequest(input, ''), 'startWorkflow.arg0', rules);

  it('needs a name and a priority from 0 to 99', () => {
    expect(found({})).toEqual([
      { path: 'startWorkflow.arg0.name', message: 'Workflow name cannot be null or empty' },
    ]);
    expect(found({ name: 'w', priority: 99 })).toEqual([]);
    expect(found({ name: 'w', priority: 100 })).toEqual([
      {
        path: 'startWorkflow.arg0.priority',
        message: 'priority: 100 should be maximum 99',
        invalidValue: '100',
      },
    ]);
    expect(found({ name: 'w', priority: '-1' })).toEqual([
      {
        path: 'startWorkflow.arg0.priority',
        message: 'priority: -1 should be minimum 0',
        invalidValue: '-1',
      },
    ]);
  });

  it('holds its inline definition to the rules of registration', () => {
    expect(found({ name: 'w', workflowDef: { name: 'w' } })).toEqual([
      {
        path: 'startWorkflow.arg0.workflowDef.tasks',
        message: 'WorkflowTask list cannot be empty',
      },
    ]);
  });
});
