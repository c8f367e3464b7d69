// What some task types need beside `everyField` before a definition with them is accepted, and the
// forms in which those that reach other executions name one. A type that is refused as a definition
// without an entry here is a finding: it would not be attacked.
export interface Recipe {
  /** In place of those of `everyField`. */
  readonly inputParameters?: object;
  /** Fields of the task beside them. */
  readonly task?: object;
}

export function recipesOf(type: string, ids: Readonly<Record<string, string>>): Recipe[] {
  const { name = '', workflowId = '', taskId = '' } = ids;
  const noop = { name: 'noop', taskReferenceName: 'inner', type: 'NOOP' };
  const secrets = `\${workflow.secrets.${name}}`;
  const forged = { forged: true };
  const schema = { name, version: 1, type: 'JSON' };
  const checked = { inputSchema: schema, outputSchema: schema, enforceSchema: true };
  const checkedTask = { taskDefinition: { name: 'attack_task', ...checked } };
  const recipes: Readonly<Record<string, readonly Recipe[]>> = {
    BUSINESS_RULE: [{ inputParameters: { ruleFileLocation: `file://${name}`, rules: secrets } }],
    DECISION: [{ task: { caseValueParam: 'canary', decisionCases: { a: [noop] } } }],
    DO_WHILE: [{ task: { loopCondition: 'false', loopOver: [noop] } }],
    FORK_JOIN: [{ task: { forkTasks: [[noop]] } }],
    FORK_JOIN_DYNAMIC: [
      { inputParameters: { forkTaskName: name, forkTaskInputs: [{ canary: secrets }] } },
      {
        inputParameters: { forkTaskWorkflow: name, forkTaskInputs: [{}] },
        task: { dynamicForkTasksParam: 'tasks', dynamicForkTasksInputParamName: 'inputs' },
      },
    ],
    GET_WORKFLOW: [{ inputParameters: { id: workflowId, includeTasks: true } }],
    GRPC: [
      { inputParameters: { service: name, method: name, host: '127.0.0.1', request: secrets } },
    ],
    HTTP: [{ inputParameters: { uri: `http://127.0.0.1:1/${secrets}`, method: 'GET' } }],
    HTTP_POLL: [{ inputParameters: { uri: `http://127.0.0.1:1/${secrets}`, method: 'GET' } }],
    HUMAN: [
      { inputParameters: { __humanTaskDefinition: { userFormTemplate: { name, version: 0 } } } },
    ],
    INLINE: [
      {
        inputParameters: {
          ...{ evaluatorType: 'graaljs', expression: '$.s + $.e', s: secrets },
          e: `\${workflow.env.${name}}`,
        },
      },
    ],
    JDBC: [{ inputParameters: { type: 'SELECT', statement: 'select 1', integrationName: name } }],
    JSON_JQ_TRANSFORM: [{ inputParameters: { queryExpression: '.s', s: secrets } }],
    KAFKA_PUBLISH: [
      {
        inputParameters: { kafka_request: { topic: name, value: secrets, bootStrapServers: name } },
      },
    ],
    SET_VARIABLE: [{ inputParameters: { s: secrets, e: `\${workflow.env.${name}}` } }],
    SIMPLE: [{ task: checkedTask }],
    SWITCH: [
      { task: { evaluatorType: 'value-param', expression: 'name', decisionCases: { a: [noop] } } },
    ],
    TERMINATE: [
      {
        inputParameters: { terminationStatus: 'COMPLETED', workflowOutput: { s: secrets } },
        task: { optional: false },
      },
    ],
    TERMINATE_WORKFLOW: [{ inputParameters: { workflowId, terminationReason: 'attacked' } }],
    UPDATE_SECRET: [{ inputParameters: { _secrets: { secretKey: name, secretValue: 'forged' } } }],
    UPDATE_TASK: [
      { inputParameters: { taskId, workflowId, taskStatus: 'COMPLETED', taskOutput: forged } },
      {
        inputParameters: {
          ...{ workflowId, taskRefName: 'work', taskStatus: 'COMPLETED', taskOutput: forged },
        },
      },
    ],
    YIELD: [{ task: checkedTask }],
  };
  // What any type does with every field, where that is accepted, and under the name of a task that
  // is the victim's.
  const byType = recipes[type] ?? [];
  return [
    {},
    ...byType,
    ...[{}, ...byType].map((recipe) => ({ ...recipe, task: { ...recipe.task, name } })),
  ];
}
