// The contract of a task type that the server runs because it does I/O (semantics 4.0.2). A new
// type is one file with a `SystemTaskType` and one line in list.ts: its engine side says how a
// configuration is checked and its input made, `create` makes what runs.
//
// A run is told nothing of shards and actors: it gets the task's input and gives back what to
// report. After a crash the same attempt is run again, so every effect carries the attempt's key or
// is repeatable by nature.
import type { TaskId } from '../std/ids.js';
import type { JsonMap } from '../model/json.js';
import type { ConnectionGuard } from '../broker/broker-kind.js';
import type { ScriptRequest, ScriptResult } from '../engine/script.js';
import type { ServerTaskType } from '../engine/server-task-type.js';
import { pick } from '../std/pick.js';
import type { BrokerSender } from '../broker/publishing.js';
import type { OperationContext } from '../operation/context.js';
import type { WorkflowSearch } from '../operation/search/find-workflows.js';
import type { SearchAnswer } from '../operation/search/search-workflows.js';
import type { Clock } from '../std/clock.js';
import type { Documents } from './documents/documents.js';
import type { IsolatedJobs } from './isolated/isolated-jobs.js';
import type { IntegrationUse } from './integration-use.js';
import type { OutboundClient } from './outbound-client.js';
import type { OutboundSockets } from './outbound-socket.js';
import type { RemoteCalls } from './remote-target.js';
import type { StarterLookup } from './starter.js';
import type { TaskOutcome, TaskRun } from './task-run.js';
import type { VectorIndexes } from './vectors/vector-store-kind.js';

export { completed, failed } from './task-run.js';
export type { TaskOutcome, TaskRun };

/** Runs the tasks of a type; the engine knows the type already. */
export interface RunOfType {
  /** Type of the records. */
  readonly name: string;
  /** The services that `create` gets. */
  readonly needs: readonly ServiceName[];
  /** Makes the object that runs the tasks of this type, once per server. */
  readonly create: (services: SystemTaskServices) => SystemTask;
}

/** A type as its file declares it. */
export type SystemTaskType = ServerTaskType & RunOfType;

export type ServiceName = keyof SystemTaskServices;

/**
 * Services that types may name in `needs`. A type that needs another one adds it here, the type of
 * an area where areas/lent.ts extends this, and in server/build-system-tasks.ts.
 */
export interface SystemTaskServices {
  readonly executions: OperationContext['executions'];
  readonly access: OperationContext['access'];
  readonly archive: OperationContext['archive'];
  readonly clock: Clock;
  /** Calls other systems over HTTP. */
  readonly client: OutboundClient;
  /** Caps the time limits that a task gives for one request, ms. */
  readonly requestTimeMsMax: number;
  /** Shortest time between two polls of an HTTP_POLL task, seconds. */
  readonly httpPollIntervalSecondsMin: number;
  /** Runs a script of a user under limits; does not reject. */
  readonly evaluate: (request: ScriptRequest) => Promise<ScriptResult>;
  /** Publishes at a broker that the task names itself. */
  readonly brokerSink: BrokerSender;
  readonly starter: StarterLookup;
  readonly searchWorkflows: (request: WorkflowSearch) => Promise<SearchAnswer>;
  readonly remoteCalls: RemoteCalls;
  /** Address of the server that keeps metrics; '' for none. */
  readonly metricsServerUrl: string;
  readonly integrations: IntegrationUse;
  readonly documents: Documents;
  readonly vectorIndexes: VectorIndexes;
  /** Checks addresses for libraries that connect by themselves. */
  readonly guard: ConnectionGuard;
  /** Bytes of one answer of another system. */
  readonly responseBytesMax: number;
  readonly isolatedJobs: IsolatedJobs;
  /** Connects to databases. */
  readonly sockets: OutboundSockets;
  /** Rows that one SQL statement may give. */
  readonly sqlRowsMax: number;
  /** Name of this server, shown as the worker. */
  readonly instance: string;
}

/** Runs the tasks of one type. */
export interface SystemTask {
  /** Runs of one lane share a limit, so that a slow host holds up only itself. */
  lane(input: JsonMap): string;
  /**
   * Whether the task is shown IN_PROGRESS while its run is under way. False where IN_PROGRESS tells
   * clients that the outside world can reach the task, which is so only after the run.
   */
  readonly isShownRunning: boolean;
  /**
   * Carries out one attempt. Rejections: AppError 'unavailable' and 'unknown-outcome' and
   * StoreError are tried again later, a FinalFailure and AppError 'forbidden' fail the task without
   * a retry, everything else fails it with its message.
   */
  run(run: TaskRun): Promise<TaskOutcome>;
  /**
   * Called when IN_PROGRESS is stored, and where `isShownRunning` is false when the execution is
   * loaded: makes sure of what the run has entered elsewhere, since a failover may have undone it
   * (invariants I14). `isOpen` tells whether the task still waits. Rejects as `run` does.
   */
  confirm(run: TaskRun, isOpen: () => Promise<boolean>): Promise<void>;
  /**
   * An attempt that was run and is still open has been cancelled with its execution: take back what
   * can be taken back.
   */
  cancelled(taskId: TaskId, attemptKey: string, output: JsonMap): Promise<void>;
}

type EngineSide = Omit<ServerTaskType, 'name' | 'reaches'>;

interface DeclaredRun<N extends ServiceName> {
  readonly name: string;
  readonly needs: readonly N[];
  readonly create: (services: Pick<SystemTaskServices, NoInfer<N>>) => SystemTask;
}

/**
 * Builds a type from its declaration. It has to name the type, the records that a task reaches and
 * the services that it needs; `create` gets those services and no other. Defaults of the engine
 * side: no rules, and the input is made of the evaluated parameters over the input template.
 */
export function systemTaskType<const N extends ServiceName = never>(
  declared: DeclaredRun<N> & Pick<ServerTaskType, 'reaches'> & Partial<EngineSide>,
): SystemTaskType {
  const { needs, create } = declared;
  return { ...ordinaryType, ...declared, create: (services) => create(pick(services, needs)) };
}

type DeclaredTask<N extends ServiceName> = Omit<DeclaredRun<N>, 'create'> &
  Pick<ServerTaskType, 'reaches'> &
  Partial<EngineSide> &
  Partial<Pick<SystemTask, 'lane'>> & {
    /** Carries out one attempt. Rejects as `SystemTask.run` does. */
    readonly run: (
      services: Pick<SystemTaskServices, NoInfer<N>>,
      run: TaskRun,
    ) => Promise<TaskOutcome>;
  };

/** As `systemTaskType`, of a type whose runs enter nothing elsewhere and cannot be taken back. */
export function runningTask<const N extends ServiceName = never>({
  run,
  lane = () => '',
  ...declared
}: DeclaredTask<N>): SystemTaskType {
  return systemTaskType({
    ...declared,
    create: (services) => systemTask({ lane, run: (task) => run(services, task) }),
  });
}

/**
 * The run of a type of the engine that is entered as `type` is: the record waits however the run
 * ends, since it may end in other ways than by what the run has entered.
 */
export function enteringRun(name: string, { needs, create }: RunOfType): RunOfType {
  return {
    ...{ name, needs },
    create(services) {
      const task = create(services);
      return {
        ...task,
        async run(run) {
          const { status } = await task.run(run);
          return { status: 'IN_PROGRESS', output: status === 'IN_PROGRESS' ? {} : run.output };
        },
      };
    },
  };
}

const ordinaryType: EngineSide = {
  check: () => [],
  input: (source) => source.withTemplate(),
  shownInput: () => undefined,
  hasLimits: true,
};

/** A task that is IN_PROGRESS only after its run has to make sure of what the run has entered. */
type Shown = { readonly isShownRunning: false } & Pick<SystemTask, 'confirm'>;

/**
 * Builds what runs the tasks of one type. Defaults: all runs share one lane, enter nothing
 * elsewhere, and nothing can be taken back.
 */
export function systemTask(
  declared: Pick<SystemTask, 'run'> &
    Partial<Pick<SystemTask, 'lane' | 'cancelled'>> &
    (Shown | { readonly isShownRunning?: never; readonly confirm?: never }),
): SystemTask {
  return {
    ...{ lane: () => '', isShownRunning: true },
    ...{ confirm: () => Promise.resolve(), cancelled: () => Promise.resolve() },
    ...declared,
  };
}
