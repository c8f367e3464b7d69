// Checks the content that callers put into an execution that somebody else started (docs/access.md,
// What others put into an execution). It runs with the rights of the starter, so EXECUTE alone does
// not do for what uses them: secrets and environment variables that an input names, the input of a
// task that acts on what it names, values that are shown masked, a definition of another name. A
// caller with UPDATE on the definition decides anyway what its executions do.
import { requireRight } from '../access/access-rules.js';
import { mayOnExecution } from '../access/execution-rights.js';
import type { Command } from '../engine/command.js';
import { secretNamesIn } from '../engine/expression/secrets.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { engineTypeNamed, taskTypeOf } from '../engine/task-types/list.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { Json, JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { changedFields } from '../model/kept-secrets.js';
import { unmaskedMap } from '../model/masking.js';
import { ownedOf, type AccessContext } from './access.js';
import { plainId } from '../model/subject.js';

type Given = Extract<
  Command,
  { kind: 'retry' | 'rerun' | 'rerun-below' | 'jump' | 'upgrade' | 'update-variables' }
>;

/** Environment variables that a text names; a jump evaluates the input that it is given. */
const environmentNames = /workflow\.env\.([\w-]{1,256})/g;
/** Of these types an input names nothing of this server unless it names a remote service. */
const callingTypes: ReadonlySet<string> = new Set(['HTTP', 'HTTP_POLL', 'GRPC']);
const namesService = /"service(?:Name)?":/;

/**
 * The caller, no administrator, may send the command as far as EXECUTE goes. Throws AppError
 * 'forbidden'.
 */
export async function requireGivenContent(
  { access, executions }: AccessContext,
  caller: Caller,
  id: string,
  command: Command,
): Promise<void> {
  if (!isGiven(command)) return;
  const content = contentOf(command);
  if (content.length === 0 && command.kind !== 'upgrade') return;
  const found = await executions.read(id, (open) => ({
    isFree:
      open.execution.attributes.createdBy === caller.id ||
      mayOnExecution(access, caller, 'UPDATE', ownedOf(open.execution)),
    refusal: refusalOf(open, command),
  }));
  if (found === undefined || found.isFree) return;
  for (const text of content) {
    for (const name of secretNamesIn(text)) {
      requireRight(access, caller, 'READ', { type: 'SECRET_NAME', id: name });
    }
    for (const [, name = ''] of text.matchAll(environmentNames)) {
      requireRight(access, caller, 'READ', { type: 'ENV_VARIABLE', id: name });
    }
  }
  if (found.refusal === undefined) return;
  const why = `${plainId(caller.id)} has no UPDATE access on the definition of WORKFLOW ${id}`;
  throw new AppError('forbidden', `${why}, which somebody else started: ${found.refusal}`);
}

function isGiven(command: Command): command is Given {
  switch (command.kind) {
    case 'retry':
    case 'rerun':
    case 'rerun-below':
    case 'jump':
    case 'upgrade':
    case 'update-variables':
      return true;
    default:
      return false;
  }
}

/** JSON texts of what the command brings. */
function contentOf(command: Given): string[] {
  const given: (JsonMap | undefined)[] = [];
  if (command.kind === 'retry') given.push(...Object.values(command.taskInputs ?? {}));
  if ('taskInput' in command) given.push(command.taskInput);
  if ('workflowInput' in command) given.push(command.workflowInput);
  if ('variables' in command) given.push(command.variables);
  if ('taskOutput' in command) given.push(...Object.values(command.taskOutput));
  return given.flatMap((map) =>
    map === undefined || Object.keys(map).length === 0 ? [] : [toJsonText(map)],
  );
}

/** Why it needs more than EXECUTE; undefined: it does not. */
function refusalOf(open: OpenExecution, command: Given): string | undefined {
  const { name } = open.execution.snapshot.def;
  if (command.kind === 'upgrade') {
    const isSame = command.snapshot.def.name === name;
    return isSame ? undefined : 'it cannot be moved to a definition of another name';
  }
  if (command.kind === 'retry') {
    for (const [ref, input] of Object.entries(command.taskInputs ?? {})) {
      const why = refusalOfRetry(open, ref, input);
      if (why !== undefined) return `taskInputs.${ref.slice(0, 100)} ${why}`;
    }
  }
  if (command.kind === 'jump' && Object.keys(command.taskInput).length > 0) {
    const config = open.nodes.graph.nodes.get(command.ref)?.config;
    if (config === undefined) return undefined;
    const isBound = config.type !== 'DYNAMIC' && isFreeType(config.type, command.taskInput);
    return isBound ? undefined : `a ${config.type} acts on what its input names`;
  }
  if (command.kind === 'rerun' && command.taskInput !== undefined) {
    const task = open.byNumber.get(command.taskNumber ?? -1);
    return task === undefined ? undefined : actsOn(task, command.taskInput);
  }
  return undefined;
}

function refusalOfRetry(open: OpenExecution, ref: string, input: JsonMap): string | undefined {
  const task = open.lastByRef(ref);
  if (task === undefined) return undefined;
  const isChild = taskTypeOf(task).role === 'sub-workflow';
  const before: Json | undefined = isChild ? task.input.value['workflowInput'] : task.input.value;
  const unmasked = unmaskedMap(input, before, open.execution.snapshot.def.maskedFields);
  const keeps = toJsonText(unmasked) !== toJsonText(input);
  if (keeps && changedFields({ before: before ?? {} }, { before: unmasked }).length > 0) {
    return 'keeps values that are shown masked, beside others that change';
  }
  return actsOn(task, input);
}

/** Why the input of a task cannot be given. */
function actsOn(task: Parameters<typeof taskTypeOf>[0], input: JsonMap): string | undefined {
  const { carriedOutBy } = taskTypeOf(task);
  const isFree = carriedOutBy === 'worker' || isFreeType(task.taskType, input);
  return isFree ? undefined : `a ${task.taskType} acts on what its input names`;
}

/** Whether tasks of a type act on nothing of this server that the input names. */
function isFreeType(type: string, input: JsonMap): boolean {
  if (callingTypes.has(type)) {
    const text = toJsonText(input);
    return !namesService.test(text) && !text.includes('${');
  }
  const { carriedOutBy, names, reaches, role } = engineTypeNamed(type);
  if (carriedOutBy === 'worker') return true;
  // Names of the engine do not hold for tasks that the server runs. The input of a child goes to
  // the child.
  return names.includes(type) && (reaches.length === 0 || role === 'sub-workflow');
}
