// start (semantics 1.5.1): fills the empty record and begins. A repeated start of the same id
// changes nothing.
import { type JsonMap, ownValue, setOwn } from '../../model/json.js';
import { AppError } from '../../model/errors.js';
import { Payload } from '../../model/payload.js';
import { excessOfPayload } from '../mapping.js';
import { askForPlace } from '../permits.js';
import { workflowInputViolation } from '../schema-checks.js';
import { tellWorkflow } from '../status-listeners.js';
import { ok, type CommandHandler } from './contract.js';

export const start: CommandHandler<'start'> = (t, { snapshot, attributes, input }) => {
  const { execution, changes } = t;
  const { state } = execution;
  if (state.createTime > 0) return repeatedStart(t.execution.attributes, attributes);
  const { limits } = t.context;
  const excess = excessOfPayload(input, limits.workflowPayloadBytesMax, limits);
  if (excess !== undefined) {
    const message = `The input of the workflow is ${excess}`;
    return { kind: 'refused', error: new AppError('too-large', message) };
  }
  const { def } = snapshot;
  const whole = withTemplate(input, def.inputTemplate);
  // An input that is stored elsewhere is not here to be checked.
  const reason = attributes.externalInputPayloadStoragePath
    ? undefined
    : workflowInputViolation(t, { snapshot, attributes }, whole);
  if (reason !== undefined) return { kind: 'refused', error: new AppError('bad-request', reason) };
  execution.snapshot = snapshot;
  execution.attributes = attributes;
  execution.input = whole;
  execution.variables = Payload.of(snapshot.def.variables);
  state.createTime = t.now;
  changes.created = true;
  changes.attributes = true;
  changes.snapshot = true;
  changes.state = true;
  changes.input = true;
  changes.variables = true;
  t.open.isFirstPass = attributes.parentWorkflowId === undefined;
  tellWorkflow(t, 'STARTED');
  askForPlace(t);
  t.push({ kind: 'begin' });
  t.spend(Math.floor(whole.size / charsPerItem));
  return ok;
};

/** So much of an input takes as long to read and check as an item of the agenda. */
const charsPerItem = 1000;

function repeatedStart(
  stored: { parentWorkflowId?: string; parentTaskNumber?: number },
  given: { parentWorkflowId?: string; parentTaskNumber?: number },
): ReturnType<CommandHandler<'start'>> {
  const sameParent =
    stored.parentWorkflowId === given.parentWorkflowId &&
    stored.parentTaskNumber === given.parentTaskNumber;
  if (given.parentWorkflowId === undefined || sameParent) return ok;
  const message = 'An execution with this id exists and belongs to another parent';
  return { kind: 'refused', error: new AppError('conflict', message) };
}

/** Keys of the template that a non-empty input lacks or has as null (semantics 1.5.1 step 4). */
function withTemplate(input: Payload, template: JsonMap): Payload {
  if (input.isEmpty) return input;
  let merged: JsonMap | undefined;
  for (const [key, value] of Object.entries(template)) {
    if ((ownValue(input.value, key) ?? null) !== null) continue;
    merged ??= { ...input.value };
    setOwn(merged, key, value);
  }
  return merged === undefined ? input : Payload.of(merged);
}
