// Builds what the engine may know of a node: settings, definitions, and what administrators keep.
import type { DefinitionUse } from './build-definition-use.js';
import type { Lent } from '../areas/lent.js';
import type { EngineContext } from '../engine/context.js';
import type { Definitions } from '../operation/definitions/definitions.js';
import type { PollLog } from '../queue/poll-log.js';
import { ownEnvironment } from './own-environment.js';
import type { Settings } from './settings-table.js';
import type { Clock } from '../std/clock.js';

/** The facts of a node that the engine may read; `now` is read at each step. */
export function buildEngineContext(
  settings: Settings,
  parts: {
    clock: Clock;
    definitions: Definitions;
    pollLog: PollLog;
    definitionUse: DefinitionUse;
    lent: Pick<
      Lent,
      'schemaRules' | 'formRules' | 'listeners' | 'secretRules' | 'environmentVariables'
    >;
    serverTaskTypes: EngineContext['serverTaskTypes'];
    mocks: EngineContext['mocks'];
    refuseFork: NonNullable<EngineContext['refuseFork']>;
  },
): EngineContext {
  const { clock, definitions, pollLog, definitionUse, lent } = parts;
  const { limits, taskUse } = definitionUse;
  const { serverTaskTypes, mocks, refuseFork } = parts;
  return {
    get now() {
      return clock.now();
    },
    definitions,
    limits: {
      tasksPerExecutionMax: settings.tasksPerExecutionMax,
      executionBytesMax: settings.executionBytesMax,
      childDepthMax: settings.childDepthMax,
      itemsPerStepMax: settings.itemsPerStepMax,
      variablesBytesMax: settings.variablesBytesMax,
      taskPayloadBytesMax: settings.taskPayloadBytesMax,
      workflowPayloadBytesMax: settings.workflowPayloadBytesMax,
      messagesMax: settings.messagesMax,
      historyEntriesMax: settings.historyEntriesMax,
      valueDepthMax: settings.valueDepthMax,
      valueKeysMax: settings.valueKeysMax,
      valueKeyBytesMax: settings.valueKeyBytesMax,
      valueCountMax: settings.valueCountMax,
      objectsInText: settings.objectsInText as 'json' | 'java',
    },
    activeDomain: (taskType, domains) => pollLog.activeDomain(taskType, domains),
    serverTaskTypes,
    mocks,
    refuseFork,
    environment: ownEnvironment(settings.environmentNames),
    executionLimit: (name) => limits.get(name),
    ...lent.environmentVariables,
    secrets: lent.secretRules,
    get taskUse() {
      return settings.auth && taskUse.any ? taskUse : undefined;
    },
    schemas: lent.schemaRules,
    forms: lent.formRules,
    listeners: lent.listeners,
  };
}
