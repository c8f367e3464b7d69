// Operations of people and applications on human tasks (contract-admin 10.7). The execution of a
// task is the truth about it: each action is one command to it, so that two claims cannot both win,
// and completing a task moves its execution in the same commit. The right to act is checked before;
// an assignee's or claimant's standing goes with the command, which is refused when it has passed
// on.
import { bySystem } from '../../shard/executions.js';
import { isClaimant, isUser, nameOf } from '../../model/human/visible-to.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { HumanAction, HumanStanding } from '../../engine/command.js';
import { entryOf } from '../../engine/human-tasks.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError, isNotFound } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { type HumanAssignment, type HumanUser } from '../../model/human/human-definition.js';
import { present } from '../../model/record-reader.js';
import type { Claim } from '../../model/human/human-process.js';
import type { HumanTaskEntry } from '../../model/human/human-entry.js';
import type { UserForm } from './user-form.js';
import { isTerminalTask } from '../../model/status.js';
import { parseExecutionId, parseTaskId, taskIdOf } from '../../std/ids.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';
import type { FormRules } from '../../engine/context.js';
import { readersOfForm } from '../../engine/readers.js';
import type { OperationContext } from '../../operation/context.js';
import type { FormValidation } from './form-validation.js';
import type { UserForms } from './user-forms.js';
import { plainId } from '../../model/subject.js';

export interface HumanTasksParts {
  readonly context: OperationContext;
  readonly access: AccessRules;
  readonly store: HumanTaskStore;
  readonly forms: UserForms;
  readonly formRules: FormRules;
  readonly validation: FormValidation;
  /** undefined: is gone. */
  readonly starterOf: (subject: string) => Caller | undefined;
}

/**
 * The callers that an operation allows (contract-admin 10.7), beside administrators and the owner.
 */
type Role = 'assignee' | 'claimant' | 'READ' | 'UPDATE' | 'DELETE' | 'anybody-unassigned';

export class HumanTasks {
  constructor(private readonly parts: HumanTasksParts) {}

  /** Throws AppError of `kind` when there is no such human task. */
  async find(taskId: string, kind: 'not-found' | 'bad-request'): Promise<HumanTaskEntry> {
    const target = parseTaskId(taskId);
    const entry =
      target === undefined
        ? undefined
        : await this.parts.context.executions.read(target.executionId, (open) => {
            const task = open.byNumber.get(target.taskNumber);
            return task === undefined ? undefined : entryOf(open, task);
          });
    if (entry === undefined) throw noSuchTask(kind, taskId);
    return entry;
  }

  async get(caller: Caller, taskId: string): Promise<HumanTaskEntry> {
    const entry = await this.find(taskId, 'not-found');
    this.#require(caller, entry, ['assignee', 'claimant', 'READ', 'UPDATE']);
    return entry;
  }

  /** As `get`, for routes that answer 400 for an unknown task. */
  async getKnown(caller: Caller, taskId: string): Promise<HumanTaskEntry> {
    const entry = await this.find(taskId, 'bad-request');
    this.#require(caller, entry, ['assignee', 'claimant', 'READ', 'UPDATE']);
    return entry;
  }

  /**
   * The form of a task; undefined when it names none, one that nobody has saved, or one that may
   * not be read for its execution: a form may be saved, and rights end, after the task has begun.
   */
  async formOf(entry: HumanTaskEntry): Promise<UserForm | undefined> {
    // Version 0 is the newest (contract-admin 10.1).
    const template = entry.humanTaskDef.userFormTemplate;
    if (template === undefined) return undefined;
    const { name, version } = template;
    const readers = await this.parts.context.executions.read(entry.workflowId, ({ execution }) =>
      readersOfForm(execution, name),
    );
    const refusal = this.parts.formRules.refusal(name, readers ?? [entry.createdBy]);
    return refusal === undefined ? this.parts.forms.find(name, version) : undefined;
  }

  /**
   * The form that what is entered has to fit. Throws AppError 'bad-request' when the task names one
   * that nobody has saved: whatever was entered would pass.
   */
  async #formToCheck(entry: HumanTaskEntry): Promise<UserForm | undefined> {
    const form = await this.formOf(entry);
    // Version 0 is the newest (contract-admin 10.1).
    const template = entry.humanTaskDef.userFormTemplate;
    if (form !== undefined || template === undefined) return form;
    const { name, version } = template;
    const missing = version === 0 ? name : `${name}, version ${version}`;
    throw new AppError(
      'bad-request',
      `userFormTemplate: no user form ${missing} is saved, or none that the task may use, so nothing can be checked; save it first`,
    );
  }

  async claim(caller: Caller, taskId: string, override: boolean): Promise<HumanTaskEntry> {
    const entry = await this.find(taskId, 'bad-request');
    this.#require(caller, entry, ['assignee', 'UPDATE', 'anybody-unassigned']);
    const claimant: HumanUser = { userType: 'CONDUCTOR_USER', user: nameOf(caller) };
    const { groups, id } = caller;
    const claimedBy = id === '' ? undefined : id;
    return await this.#claim(entry, { claimant, claimedBy, groups, override });
  }

  async claimFor(
    caller: Caller,
    taskId: string,
    { user, override }: { user: string; override: boolean },
  ): Promise<HumanTaskEntry> {
    const entry = await this.find(taskId, 'bad-request');
    this.#require(caller, entry, ['UPDATE', 'anybody-unassigned']);
    const claimant: HumanUser = { userType: 'EXTERNAL_USER', user };
    return await this.#claim(entry, { claimant, groups: [], override });
  }

  async reassign(
    caller: Caller,
    taskId: string,
    assignments: readonly HumanAssignment[],
  ): Promise<void> {
    const roles: Role[] = ['assignee', 'UPDATE'];
    await this.#act(caller, taskId, { roles, action: { kind: 'reassign', assignments } });
  }

  async release(caller: Caller, taskId: string): Promise<void> {
    await this.#act(caller, taskId, { roles: ['claimant'], action: { kind: 'release' } });
  }

  async skip(caller: Caller, taskId: string, reason: string | undefined): Promise<void> {
    const roles: Role[] = ['claimant', 'assignee'];
    await this.#act(caller, taskId, { roles, action: { kind: 'skip', reason } });
  }

  /**
   * Enters values; `complete` ends the task, with exactly what its form was asked about. Throws
   * AppError 'validation' when the form refuses, 'bad-request' when the form does not exist.
   */
  async update(caller: Caller, taskId: string, values: JsonMap, complete: boolean): Promise<void> {
    const entry = await this.find(taskId, 'bad-request');
    const standing = this.#require(caller, entry, ['claimant']);
    const isOver = ['COMPLETED', 'TIMED_OUT', 'DELETED'].includes(entry.state);
    const form = isOver ? undefined : await this.#formToCheck(entry);
    const isWhole = complete && form !== undefined;
    const output = isWhole ? { ...entry.output, ...values } : values;
    if (form !== undefined) this.parts.validation.check(form, output, complete);
    const action = { kind: 'update', output, complete, isWhole } as const;
    await this.#send(taskId, nameOf(caller), { action, standing });
  }

  /** As `update`, by reference. Throws AppError 'not-found' for an unknown one. */
  async updateByRef(
    caller: Caller,
    target: { workflowId: string; ref: string; iteration: number | undefined },
    change: { values: JsonMap; complete: boolean },
  ): Promise<void> {
    const taskId = await this.#taskIdOf(target);
    await this.update(caller, taskId, change.values, change.complete);
  }

  /** Forgets the record; also that of a task whose execution is gone. */
  async delete(caller: Caller, taskId: string): Promise<void> {
    const known = await this.find(taskId, 'bad-request').catch((error: unknown) => {
      if (error instanceof AppError && error.kind === 'bad-request') return undefined;
      throw error;
    });
    if (known === undefined) {
      if (!isAdministrator(caller) || parseTaskId(taskId) === undefined) {
        throw noSuchTask('bad-request', taskId);
      }
      await this.parts.store.remove(taskId);
      return;
    }
    this.#require(caller, known, ['DELETE']);
    await this.#send(taskId, nameOf(caller), { action: { kind: 'delete' } });
    await this.parts.store.remove(taskId);
  }

  /** The claim of somebody who is gone binds nobody. */
  async #claim({ taskId, claimedBy }: HumanTaskEntry, claim: Claim): Promise<HumanTaskEntry> {
    const { userType, user } = claim.claimant;
    const isGone = claimedBy !== undefined && this.parts.starterOf(claimedBy) === undefined;
    const inPlaceOf = isGone ? claimedBy : undefined;
    const action = { kind: 'claim', ...claim, ...present({ inPlaceOf }) } as const;
    await this.#send(taskId, `${userType}:${user}`, { action });
    return await this.find(taskId, 'bad-request');
  }

  async #act(
    caller: Caller,
    taskId: string,
    { roles, action }: { roles: readonly Role[]; action: HumanAction },
  ): Promise<void> {
    const entry = await this.find(taskId, 'bad-request');
    const standing = this.#require(caller, entry, roles);
    await this.#send(taskId, nameOf(caller), { action, standing });
  }

  async #send(
    taskId: string,
    actedBy: string,
    { action, standing }: { action: HumanAction; standing?: HumanStanding | undefined },
  ): Promise<void> {
    const target = parseTaskId(taskId);
    if (target === undefined) throw noSuchTask('bad-request', taskId);
    const { executionId, taskNumber } = target;
    try {
      const human = { taskNumber, actedBy, action, ...present({ standing }) };
      await this.parts.context.executions.command(
        executionId,
        { kind: 'human-action', ...human },
        bySystem,
      );
    } catch (error) {
      if (isNotFound(error)) throw noSuchTask('bad-request', taskId);
      throw error;
    }
  }

  /** The task of a reference: of one iteration, or the newest. */
  async #taskIdOf(target: {
    workflowId: string;
    ref: string;
    iteration: number | undefined;
  }): Promise<string> {
    const { workflowId, ref, iteration } = target;
    const executionId = parseExecutionId(workflowId);
    const taskNumber =
      executionId === undefined
        ? undefined
        : await this.parts.context.executions.read(executionId, ({ execution }) => {
            const wanted = (taskRef: string, taskIteration: number): boolean => {
              if (taskRef === ref) return iteration === undefined || taskIteration === iteration;
              if (taskRef.replace(/__\d+$/, '') !== ref) return false;
              return iteration === undefined || taskIteration === iteration;
            };
            const found = execution.tasks.filter(
              (task) => task.taskType === 'HUMAN' && wanted(task.ref, task.iteration),
            );
            const open = found.findLast((task) => !isTerminalTask(task.status));
            return (open ?? found.at(-1))?.number;
          });
    if (executionId === undefined || taskNumber === undefined) {
      throw new AppError(
        'not-found',
        `No human task ${ref.slice(0, 200)} found in workflow ${workflowId.slice(0, 100)}`,
      );
    }
    return taskIdOf(executionId, taskNumber);
  }

  /** As what the caller may do this; undefined: on the task of anybody. */
  #require(
    caller: Caller,
    entry: HumanTaskEntry,
    roles: readonly Role[],
  ): HumanStanding | undefined {
    if (isAdministrator(caller) || (caller.id !== '' && caller.id === entry.createdBy)) {
      return undefined;
    }
    const had = roles.filter((role) => this.#has(caller, entry, role));
    if (had.length === 0) {
      const message = `${plainId(caller.id)} may not do this with human task ${entry.taskId}`;
      throw new AppError('forbidden', message);
    }
    const standings = had.map((role) => standingOf(entry, role));
    return standings.includes(undefined) ? undefined : standings[0];
  }

  #has(caller: Caller, entry: HumanTaskEntry, role: Role): boolean {
    switch (role) {
      case 'assignee':
        return isUser(caller, entry.assignee);
      case 'claimant':
        return isClaimant(caller, entry);
      case 'anybody-unassigned':
        return entry.assignee === undefined;
      case 'READ':
      case 'UPDATE':
      case 'DELETE':
        return this.parts.access.may(caller, role, { type: 'TASK_DEF', id: entry.definitionName });
    }
  }
}

/** undefined: the role does not pass on to others. */
function standingOf(entry: HumanTaskEntry, role: Role): HumanStanding | undefined {
  if (role !== 'assignee' && role !== 'claimant') return undefined;
  const user = entry[role];
  if (user === undefined) return undefined;
  const { claimedBy } = entry;
  return role === 'assignee' ? { as: role, user } : { as: role, user, ...present({ claimedBy }) };
}

function noSuchTask(kind: 'not-found' | 'bad-request', taskId: string): AppError {
  return new AppError(kind, `No such human task found by id: ${taskId.slice(0, 100)}`);
}
