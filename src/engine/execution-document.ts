// An execution as expressions see it (semantics 3.4): fields are read when an expression names
// them.
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import type { Json } from '../model/json.js';
import type { ValueLimits } from '../model/value-limits.js';
import { inputOf, outputMember, outputOf } from './derived-payloads.js';
import { VisitsError } from './expression/bounds.js';
import type { ExpressionDocument, TaskView } from './expression/document.js';
import { AccessRefusal } from './expression/refusal.js';
import type { OpenExecution } from './open-execution.js';
import type { Transition } from './transition.js';

/**
 * The document of the execution under way. `taskId`: wire id of the task whose input is evaluated,
 * when it is to be known.
 */
export function documentOf(t: Transition, taskId?: string): ExpressionDocument {
  return new ExecutionDocument(t, taskId);
}

/** Values that the paths of one evaluation may visit: five times those of one path. */
const visitsMax = 2_500_000;
/** Values whose visit takes as long as an item of the agenda. */
const visitsPerItem = 5000;

class ExecutionDocument implements ExpressionDocument {
  declare readonly taskId?: string;
  #visits = 0;

  constructor(
    readonly t: Transition,
    taskId: string | undefined,
  ) {
    if (taskId !== undefined) this.taskId = taskId;
  }

  visited(values: number): void {
    this.#visits += values;
    this.t.spend(values / visitsPerItem);
    if (this.#visits <= visitsMax) return;
    throw new VisitsError(`its paths visit more than ${visitsMax} values`);
  }

  get charsMax(): number {
    const { taskPayloadBytesMax, workflowPayloadBytesMax } = this.t.context.limits;
    return Math.max(taskPayloadBytesMax, workflowPayloadBytesMax);
  }

  get valueLimits(): ValueLimits {
    return this.t.context.limits;
  }

  get objectsInText(): 'json' | 'java' {
    return this.t.context.limits.objectsInText;
  }

  workflow(field: string): Json | undefined {
    const { id, attributes, state, snapshot, input, output, variables } = this.t.execution;
    switch (field) {
      case 'input': return input.value;
      case 'output': return output.value;
      case 'variables': return variables.value;
      case 'status': return state.status;
      case 'workflowId': return id;
      case 'parentWorkflowId': return attributes.parentWorkflowId;
      case 'parentWorkflowTaskId': {
        const { parentWorkflowId, parentTaskNumber } = attributes;
        if (parentWorkflowId === undefined || parentTaskNumber === undefined) return undefined;
        return taskIdOf(parentWorkflowId, parentTaskNumber);
      }
      case 'workflowType': return snapshot.def.name;
      case 'version': return snapshot.def.version;
      case 'correlationId': return attributes.correlationId;
      case 'reasonForIncompletion': return state.reasonForIncompletion;
      case 'schemaVersion': return snapshot.def.schemaVersion;
      case 'createTime': return state.createTime;
      case 'idempotencyKey': return attributes.idempotencyKey;
      case 'taskToDomain': return attributes.taskToDomain;
      default: return undefined;
    }
  } // prettier-ignore

  task(plainRef: string): TaskView | undefined {
    const task = this.t.open.lastByPlainRef(plainRef);
    return task === undefined ? undefined : new RecordView(this.t.open, task);
  }

  environment(name: string): string | undefined {
    return this.t.context.environment(name);
  }

  environmentVariable(name: string): string | undefined {
    const { context, execution } = this.t;
    const { createdBy } = execution.attributes;
    if (context.mayReadVariable(name, createdBy)) return context.environmentVariable(name);
    throw new AccessRefusal(createdBy, `ENV_VARIABLE ${name}`);
  }
}

class RecordView implements TaskView {
  constructor(
    readonly open: OpenExecution,
    readonly record: Task,
  ) {}

  member(field: string, key: string): Json | undefined {
    return field === 'output' ? outputMember(this.open, this.record, key) : undefined;
  }

  field(name: string): Json | undefined {
    const { open, record } = this;
    switch (name) {
      case 'input': return inputOf(open, record).value;
      case 'output': return outputOf(open, record).value;
      case 'taskType': return record.taskType;
      case 'status': return record.status;
      case 'referenceTaskName': return record.ref;
      case 'retryCount': return record.retryCount;
      case 'correlationId': return open.execution.attributes.correlationId;
      case 'pollCount': return record.pollCount;
      case 'taskDefName': return record.defName;
      case 'scheduledTime': return record.scheduledAt;
      case 'startTime': return record.startAt;
      case 'endTime': return record.endAt;
      case 'workflowInstanceId': return open.execution.id;
      case 'taskId': return taskIdOf(open.execution.id, record.number);
      case 'reasonForIncompletion': return record.reason;
      case 'callbackAfterSeconds': return record.callbackAfterSeconds;
      case 'workerId': return record.workerId;
      case 'iteration': return record.iteration;
      default: return undefined;
    }
  } // prettier-ignore
}
