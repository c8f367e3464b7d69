// The spans of one execution (docs/tracing.md): what its actor, its commits and its hand-outs tell
// the tracer. Only an execution that is sampled has this object; all others pay for the question
// whether they have one.
//
// An end (of a task, of the execution) is told once the commit that stores the end is confirmed,
// and from what is stored alone. So the node that ends it need not be the one that began it. Each
// end is told once: ends that were stored before the execution was loaded have been told.
import type { Command } from '../engine/command.js';
import { isServerTask, isWorkerTask } from '../engine/task-kinds.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { ExecutionTrace, Task } from '../model/execution.js';
import { isTerminalTask, isTerminalWorkflow, type TaskStatus } from '../model/status.js';
import { executionContext, isRecorded, runContext, taskContext } from '../model/task-trace.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { taskIdOf } from '../std/ids.js';
import { contextIn, type Trace } from '../telemetry/trace.js';
import { parsed, withSpan, type TraceContext } from '../telemetry/trace-context.js';
import type { Span } from '../telemetry/tracer.js';
import type { Tracing } from '../telemetry/tracing.js';
import type { Commit } from '../store/execution-store.js';

/** Decisions of one commit that its span names. */
const decisionsNamedMax = 32;
/** Milliseconds. */
const second = 1000;

/** The spans of a commit, told once it is confirmed. */
export interface CommitSpans {
  /** Spans of the decisions in it. */
  readonly decisions: readonly TraceContext[];
  readonly ended: readonly Span[];
}

type ToldSpan = Pick<Span, 'name' | 'startAt' | 'attributes'> &
  Partial<Pick<Span, 'endAt' | 'parentSpanId' | 'links'>>;

const noLinks: readonly TraceContext[] = [];

const failedStatuses: ReadonlySet<TaskStatus> = new Set([
  'FAILED', 'FAILED_WITH_TERMINAL_ERROR', 'TIMED_OUT',
]); // prettier-ignore

/** undefined when nobody tells spans of the execution, or its trace is not sampled. */
export function spansOf(
  tracing: Tracing | undefined,
  open: OpenExecution,
  trace: ExecutionTrace | undefined,
): ExecutionSpans | undefined {
  if (tracing === undefined || !isRecorded(trace) || !parsed(trace).isSampled) return undefined;
  return new ExecutionSpans(tracing, open, trace);
}

export class ExecutionSpans {
  /** The reopen count at the end that was told, by task number. */
  readonly #told = new Map<number, number>();
  readonly #root: string;
  #decisions: TraceContext[] = [];
  /** The attributes that every span of this definition has. */
  #known: { readonly def: WorkflowDef; readonly facts: Span['attributes'] } | undefined;

  constructor(
    private readonly tracing: Tracing,
    private readonly open: OpenExecution,
    private readonly trace: ExecutionTrace,
  ) {
    this.#root = parsed(trace).spanId;
    for (const task of open.execution.tasks) {
      if (isTerminalTask(task.status)) this.#told.set(task.number, task.reopenCount);
    }
  }

  /** Epoch ms with fractions. */
  now(): number {
    return this.tracing.now();
  }

  /** The first commit of the execution is confirmed. */
  started(startAt: number): void {
    const { def } = this.open.execution.snapshot;
    this.#tell({ name: `start ${def.name}`, startAt, attributes: this.#facts() });
  }

  /** A turn of the engine. `cause`: the request that brought the command. */
  decided(command: Command, startAt: number, cause: Trace | undefined): void {
    const caused = contextIn(cause);
    // A start belongs to the trace of its caller anyway.
    const links = caused === undefined || command.kind === 'start' ? [] : [caused];
    const name = `decide ${command.kind}`;
    const context = this.#tell({ name, startAt, attributes: this.#facts(), links });
    if (this.#decisions.length < decisionsNamedMax) this.#decisions.push(context);
  }

  /** A commit has been planned: what it ends, as it is now. */
  planned({ changes }: Commit): CommitSpans {
    const decisions = this.#decisions;
    this.#decisions = [];
    const ended: Span[] = [];
    for (const task of changes.tasks.keys()) {
      if (!isTerminalTask(task.status)) continue;
      if (this.#told.get(task.number) === task.reopenCount) continue;
      this.#told.set(task.number, task.reopenCount);
      ended.push(...this.#spansOfTask(task));
    }
    const { status } = this.open.execution.state;
    const hasEnded = changes.created || changes.statusBefore !== undefined;
    if (hasEnded && isTerminalWorkflow(status)) ended.push(this.#spanOfExecution());
    return { decisions, ended };
  }

  /** `sentAt`: when its batch was sent, on the steady clock; `batchSize`: its commits. */
  landed({ decisions, ended }: CommitSpans, sentAt: number, batchSize: number): void {
    const [first, ...others] = decisions;
    this.#tell({
      name: 'commit',
      startAt: this.tracing.at(sentAt),
      attributes: { ...this.#facts(), 'downbeat.commit.batch_size': batchSize },
      parentSpanId: first === undefined ? this.#root : parsed(first).spanId,
      links: others,
    });
    for (const span of ended) this.tracing.tracer.record(span);
  }

  /** A worker has an attempt, which was claimed for it at `claimedAt`. */
  handedOut(task: Task, claimedAt: number): void {
    const parentSpanId = parsed(taskContext(this.trace, task)).spanId;
    const attributes = this.#factsOf(task);
    if (task.pollCount <= 1) {
      const readyAt = task.scheduledAt + delayMs(task);
      const name = `queue wait ${task.defName}`;
      const endAt = Math.max(readyAt, claimedAt);
      this.#tell({ name, startAt: readyAt, endAt, attributes, parentSpanId });
    }
    this.#tell({ name: `hand-out ${task.defName}`, startAt: claimedAt, attributes, parentSpanId });
  }

  /** The attempt, and in it what a worker or the server did for it. */
  #spansOfTask(task: Task): Span[] {
    const attributes = this.#factsOf(task);
    const failure = failedStatuses.has(task.status) ? task.status : undefined;
    const context = taskContext(this.trace, task);
    const endAt = Math.max(task.endAt, task.scheduledAt);
    const whole: Span = {
      context,
      parentSpanId: this.#root,
      name: `task ${task.ref}`,
      kind: 'internal',
      startAt: task.scheduledAt || endAt,
      endAt,
      attributes,
      failure,
    };
    const isServers = isServerTask(task);
    if (task.startAt === 0 || !(isServers || isWorkerTask(task))) return [whole];
    const run: Span = {
      context: runContext(this.trace, task),
      parentSpanId: parsed(context).spanId,
      name: `${isServers ? 'run' : 'execute'} ${task.defName || task.taskType}`,
      kind: isServers ? 'client' : 'consumer',
      startAt: task.startAt,
      endAt: Math.max(task.endAt, task.startAt),
      attributes,
      failure,
    };
    return [run, whole];
  }

  /** A later run of the execution (a retry, say) stands below the first one. */
  #spanOfExecution(): Span {
    const { snapshot, state, attributes } = this.open.execution;
    const { parentSpanId = '', traceparent, tracestate } = this.trace;
    const isFirst = state.generation <= 1;
    const startAt = isFirst ? state.createTime : state.lastRetriedTime || state.createTime;
    const own = tracestate === undefined ? { traceparent } : { traceparent, tracestate };
    return {
      context: isFirst ? own : executionContext(this.trace, state.generation),
      parentSpanId: isFirst ? parentSpanId : this.#root,
      hasRemoteParent: isFirst && parentSpanId !== '' && attributes.parentWorkflowId === undefined,
      name: `workflow ${snapshot.def.name}`,
      kind: isFirst && parentSpanId !== '' ? 'server' : 'internal',
      startAt,
      endAt: Math.max(state.endTime, startAt),
      attributes: { ...this.#facts(), 'downbeat.workflow.status': state.status },
      failure: state.status === 'COMPLETED' ? undefined : state.status,
    };
  }

  /** Spelled out, as the objects of attributes are: spreads take ten times as long. */
  #tell(span: ToldSpan): TraceContext {
    const { tracer } = this.tracing;
    const context = withSpan(this.trace, tracer.spanId());
    tracer.record({
      context,
      parentSpanId: span.parentSpanId ?? this.#root,
      name: span.name,
      kind: 'internal',
      startAt: span.startAt,
      endAt: span.endAt ?? this.now(),
      attributes: span.attributes,
      links: span.links ?? noLinks,
    });
    return context;
  }

  #facts(): Span['attributes'] {
    const { id, snapshot } = this.open.execution;
    const { def } = snapshot;
    if (this.#known?.def !== def) {
      const facts = {
        'downbeat.workflow.id': id,
        'downbeat.workflow.name': def.name,
        'downbeat.workflow.version': def.version,
      };
      this.#known = { def, facts };
    }
    return this.#known.facts;
  }

  #factsOf(task: Task): Span['attributes'] {
    const { id, snapshot } = this.open.execution;
    const { workerId, domain } = task;
    const facts: Record<string, string | number> = {
      'downbeat.workflow.id': id,
      'downbeat.workflow.name': snapshot.def.name,
      'downbeat.workflow.version': snapshot.def.version,
      'downbeat.task.id': taskIdOf(id, task.number),
      'downbeat.task.reference': task.ref,
      'downbeat.task.type': task.taskType,
      'downbeat.task.status': task.status,
      'downbeat.task.retry_count': task.retryCount,
    };
    if (workerId !== undefined) facts['downbeat.worker.id'] = workerId;
    if (domain !== undefined) facts['downbeat.task.domain'] = domain;
    return facts;
  }
}

/** Until it may be handed out. */
function delayMs(task: Task): number {
  return task.callbackAfterMs > 0 ? task.callbackAfterMs : task.callbackAfterSeconds * second;
}
