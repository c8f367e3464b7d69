// Decides which caller may register a name that nobody has registered (docs/access.md, "Whose
// executions"). A name that open executions use is not free: a caller that registers a workflow's
// name would stand beside executions of others, and one that registers a task's name would poll
// their tasks. The caller's own executions are no obstacle, and neither is anything to callers who
// may do the same with every definition. The name of a task that a registered workflow names is not
// free either: until it is defined it is left to callers who may change that workflow, because the
// caller that defines it polls every task of it that is ever scheduled. Of several such workflows
// the one counts that has named it for the longest time.
import { mayOnAllExecutions, mayOnExecution } from '../../access/execution-rights.js';
import type { AccessRules } from '../../access/access-rules.js';
import { parseTaskId, type ExecutionId } from '../../std/ids.js';
import { inSlices } from '../../std/slices.js';
import type { Clock } from '../../std/clock.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { humanStates } from '../../model/human/human-entry.js';
import type { Registration } from '../../model/name-registration.js';
import { ownedTaskNames } from '../../model/owned-task-names.js';
import type { WorkflowDef } from '../../model/workflow-def.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';
import type { QueueStore } from '../../store/queue-store.js';
import type { ExecutionHeader, IndexRange, SearchStore } from '../../store/search-store.js';
import { ownedOf } from '../access.js';
import type { Definitions } from './definitions.js';

export interface NameClaimsParts {
  readonly access: AccessRules;
  readonly definitions: Pick<Definitions, 'table'>;
  readonly executions: Pick<SearchStore, 'count' | 'page' | 'headers'>;
  readonly queues: Pick<QueueStore, 'queues' | 'head' | 'leasedPage'>;
  readonly humanTasks: Pick<HumanTaskStore, 'search'>;
  readonly clock: Clock;
  readonly randomId: () => string;
}

/** Open executions of others that one registration looks for, newest first. */
const executionsLookedAtMax = 2000;
const headersPerBatch = 500;
/** Ready and leased attempts of one queue that it looks at. */
const attemptsLookedAtMax = 100;
/** Tasks for people of others that it looks at. */
const humanTasksLookedAtMax = 100;
/** Queues of one task type (domains). */
const queuesLookedAtMax = 100;
const openStatuses = ['RUNNING', 'PAUSED'] as const;

export class NameClaims {
  constructor(private readonly parts: NameClaimsParts) {}

  /** The registration that begins with the registration. Rejects with AppError 'forbidden'. */
  async workflow(caller: Caller, name: string): Promise<Registration> {
    const { executions, clock, randomId } = this.parts;
    const stored = await executions.count(rangeOf([name], undefined));
    if (stored > 0 && !this.#isFree(caller, 'WORKFLOW_DEF')) {
      const { headers, isAll } = await this.#open([name]);
      if (!isAll || headers.some((header) => !this.#isOwn(caller, header))) {
        throw inUse(`The workflow name ${name}`);
      }
    }
    const registration = { id: randomId(), at: clock.now(), by: caller.id };
    return stored === 0 ? { ...registration, isFirst: true } : registration;
  }

  /** Rejects with AppError 'forbidden'. */
  async tasks(caller: Caller, names: readonly string[]): Promise<void> {
    if (names.length === 0 || this.#isFree(caller, 'TASK_DEF')) return;
    for (const name of names) await this.#requireOwnName(caller, name);
    const wanted = new Set(names);
    const inQueue = await this.#foreignInQueues(caller, wanted);
    if (inQueue !== undefined) throw inUse(`The task name ${inQueue}`);
    const ofPeople = await this.#foreignHumanTasks(caller, names);
    if (ofPeople !== undefined) throw inUse(`The task name ${ofPeople}`);
    const { headers, isAll } = await this.#open(undefined);
    const used = this.#usedByOthers(caller, headers, wanted);
    if (used !== undefined) throw inUse(`The task name ${used}`);
    if (isAll) return;
    const defined = await this.#usedInDefinitions(caller, wanted);
    if (defined !== undefined) throw inUse(`The task name ${defined}`);
  }

  /** Rejects with AppError 'forbidden' for the name of a task that is that of others' workflow. */
  async #requireOwnName(caller: Caller, name: string): Promise<void> {
    const { access, definitions } = this.parts;
    if (access.may(caller, 'UPDATE', { type: 'TASK_DEF', id: name })) return;
    const workflow = await inSlices(definitions.table.firstToName(name));
    if (workflow === undefined) return;
    if (access.may(caller, 'UPDATE', { type: 'WORKFLOW_DEF', id: workflow })) return;
    throw new AppError(
      'forbidden',
      `The task name ${name} stands in a workflow definition of others, which named it first: it ` +
        'can be registered by who may UPDATE that definition or the task, or by an administrator',
    );
  }

  /** Whether the caller may do the same with every definition of the type, or every execution. */
  #isFree(caller: Caller, type: 'WORKFLOW_DEF' | 'TASK_DEF'): boolean {
    const { access } = this.parts;
    if (mayOnAllExecutions(access, caller, 'EXECUTE')) return true;
    return access.may(caller, 'UPDATE', { type, id: undefined });
  }

  #isOwn(caller: Caller, header: ExecutionHeader): boolean {
    return mayOnExecution(this.parts.access, caller, 'EXECUTE', ownedOf(header));
  }

  /** Open executions, newest first; `isAll`: there are no more. */
  async #open(
    names: readonly string[] | undefined,
  ): Promise<{ headers: ExecutionHeader[]; isAll: boolean }> {
    const asked = { newestFirst: true, start: 0, size: executionsLookedAtMax };
    const range = rangeOf(names, openStatuses);
    const { entries, total } = await this.parts.executions.page(range, asked);
    const headers = await this.#headers(entries.map(({ id }) => id));
    return { headers, isAll: total <= entries.length };
  }

  async #headers(ids: readonly ExecutionId[]): Promise<ExecutionHeader[]> {
    const headers: ExecutionHeader[] = [];
    for (let first = 0; first < ids.length; first += headersPerBatch) {
      const some = await this.parts.executions.headers(ids.slice(first, first + headersPerBatch));
      headers.push(...some.filter((header) => header !== undefined));
    }
    return headers;
  }

  /** The first of the names whose queues hold a task of an execution of others. */
  async #foreignInQueues(caller: Caller, names: ReadonlySet<string>): Promise<string | undefined> {
    const { queues } = this.parts;
    const all = await queues.queues();
    for (const name of names) {
      const ids = new Set<ExecutionId>();
      const ofName = all.filter(({ taskType }) => taskType === name);
      for (const queue of ofName.slice(0, queuesLookedAtMax)) {
        const { members } = await queues.head(queue, attemptsLookedAtMax);
        const { attempts } = await queues.leasedPage(queue, '0', attemptsLookedAtMax);
        for (const { taskId } of [...members.map(({ attempt }) => attempt), ...attempts]) {
          const task = parseTaskId(taskId);
          if (task !== undefined) ids.add(task.executionId);
        }
      }
      const headers = await this.#headers([...ids]);
      if (headers.some((header) => !this.#isOwn(caller, header))) return name;
    }
    return undefined;
  }

  /**
   * The first of the names that tasks for people have in executions of others. Ended ones count:
   * rights on the task's name show them too (contract-admin 10.7).
   */
  async #foreignHumanTasks(caller: Caller, names: readonly string[]): Promise<string | undefined> {
    for (const name of names) {
      const { entries, total } = await this.parts.humanTasks.search({
        ...{ states: humanStates, assignees: [], claimants: [], definitionNames: [name] },
        fits: ({ createdBy }) => createdBy !== caller.id,
        ...{ start: 0, size: humanTasksLookedAtMax },
      });
      const ids = new Set(entries.map(({ workflowId }) => workflowId as ExecutionId));
      const headers = await this.#headers([...ids]);
      const isAll = total <= entries.length && headers.length === ids.size;
      if (!isAll || headers.some((header) => !this.#isOwn(caller, header))) return name;
    }
    return undefined;
  }

  #usedByOthers(
    caller: Caller,
    headers: readonly ExecutionHeader[],
    wanted: ReadonlySet<string>,
  ): string | undefined {
    /** By snapshot, which many executions share. */
    const used = new Map<string, string | undefined>();
    for (const header of headers) {
      const { hash, def } = header.snapshot;
      if (!used.has(hash)) used.set(hash, taskNameIn(def, wanted));
      const name = used.get(hash);
      if (name !== undefined && !this.#isOwn(caller, header)) return name;
    }
    return undefined;
  }

  /** With more open executions than are looked at: by the definitions that have open ones. */
  async #usedInDefinitions(
    caller: Caller,
    wanted: ReadonlySet<string>,
  ): Promise<string | undefined> {
    const { access, definitions, executions } = this.parts;
    const { table } = definitions;
    for (const workflow of table.names()) {
      if (access.may(caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id: workflow })) continue;
      for (const def of table.versions(workflow)) {
        const name = taskNameIn(def, wanted);
        if (name === undefined) continue;
        if ((await executions.count(rangeOf([workflow], openStatuses))) > 0) return name;
        break;
      }
    }
    return undefined;
  }
}

function rangeOf(
  names: readonly string[] | undefined,
  statuses: IndexRange['statuses'],
): IndexRange {
  return { names, statuses, fromAt: undefined, untilAt: undefined };
}

/** The first of the names that a task of the definition has for workers or for people. */
function taskNameIn(def: WorkflowDef, wanted: ReadonlySet<string>): string | undefined {
  const names = ownedTaskNames(def);
  for (const name of wanted) if (names.has(name)) return name;
  return undefined;
}

function inUse(what: string): AppError {
  return new AppError(
    'forbidden',
    `${what} is used by open executions that the caller may not control: it can be registered when they have ended, or by an administrator`,
  );
}
