// One object that names the victim's things under every field by which requests and tasks name
// things. Each reader takes the fields that it knows.

export function everyField(ids: Readonly<Record<string, string>>): Record<string, unknown> {
  const { name, workflowId, taskId } = ids as { name: string; workflowId: string; taskId: string };
  const start = { name, version: 1, correlationId: name, input: {}, idempotencyKey: name };
  return {
    ...ids,
    ...{ workflowInstanceId: workflowId, workflowName: name, key: name, correlationId: name },
    ...{ taskType: name, tasktype: name, taskName: name, taskReferenceName: 'work', type: name },
    ...{ groupId: name, schemaName: name, idempotencyKey: name, reason: 'an attack' },
    ...{ service: name, llmProvider: name, vectorDB: name, embeddingModelProvider: name },
    ...{ embeddingModel: name, integrationName: name, mcpServer: name, prompt: name },
    ...{ sendgridConfiguration: name, index: name, namespace: name, template: name },
    ...{ inputSchema: { name, version: 1, type: 'JSON' }, queryType: 'CONDUCTOR_API' },
    ...{ workflowNames: [name], externalInputPayloadStoragePath: ids['payloadPath'] },
    ...{ document: ids['fileId'], __humanTaskDefinition: humanTask(name) },
    ...{ version: 1, description: 'attacked', ownerEmail: 'user@attack.test', status: 'COMPLETED' },
    ...{ workflowIds: [workflowId], correlationIds: [name], ids: [workflowId] },
    ...{ taskStatus: 'COMPLETED', output: { forged: true }, outputData: { forged: true } },
    ...{ taskRefName: 'work', terminationReason: 'attacked', includeTasks: true },
    ...{ subWorkflowParam: start, startWorkflow: start, startWorkflowRequest: start },
    ...{
      workflowsToStart: { [name]: 1 },
      secretKey: name,
      secretValue: 'attacked',
      value: 'attacked',
    },
    ...{ sink: `conductor:${name}:done`, event: `conductor:${name}:done`, reRunFromTaskId: taskId },
    ...{
      privateKey: `\${workflow.secrets.${name}}`,
      promptName: name,
      roles: ['ADMIN'],
      active: true,
    },
    ...{ subject: { type: 'USER', id: 'user@attack.test' }, access: ['READ', 'EXECUTE', 'UPDATE'] },
    ...{ target: { type: 'WORKFLOW_DEF', id: name }, cronExpression: '* * * * * ?' },
    ...{ canary: `\${workflow.secrets.${name}} \${workflow.env.${name}}`, action: 'terminate' },
  };
}

/** Asks for the victim's form and starts the victim's workflow. */
function humanTask(name: string): object {
  const startWorkflowRequest = { name, version: 1, input: {} };
  return {
    assignmentCompletionStrategy: 'LEAVE_OPEN',
    userFormTemplate: { name, version: 1 },
    taskTriggers: [{ triggerType: 'ASSIGNED', startWorkflowRequest }],
  };
}
