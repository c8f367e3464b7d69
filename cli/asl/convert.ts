// A state machine of the Amazon States Language as workflow definitions: one for the machine, one
// for each branch of a Parallel and for the items of a Map, so that each has data of its own. Parts
// that are not carried are told by state and field.
import { numberOf, type JsonObject } from '../shared/json.js';
import { flowOf } from './flow.js';
import { readMachine, type Note } from './machine.js';
import { States, stateText } from './states.js';

export interface Converted {
  /** The machine first. */
  readonly definitions: readonly JsonObject[];
  readonly notes: readonly Note[];
}

const machineFields = [
  'Comment',
  'StartAt',
  'States',
  'Version',
  'TimeoutSeconds',
  'QueryLanguage',
];

/** Throws a Failure for what is no state machine. */
export function convertMachine(given: unknown, name: string): Converted {
  const notes: Note[] = [];
  const definitions: JsonObject[] = [];
  const used = new Set<string>();
  const add = (machine: unknown, wanted: string, isChild: boolean): string => {
    const own = unused(wanted, used, '_');
    const at = definitions.push({}) - 1;
    const child = (inner: unknown, label: string): string => add(inner, `${own}_${label}`, true);
    definitions[at] = definitionOf(machine, { name: own, isChild, child, notes });
    return own;
  };
  add(given, name, false);
  return { definitions, notes: unique(notes) };
}

function definitionOf(
  given: unknown,
  {
    name,
    isChild,
    child,
    notes,
  }: {
    readonly name: string;
    readonly isChild: boolean;
    readonly child: (machine: unknown, label: string) => string;
    readonly notes: Note[];
  },
): JsonObject {
  const machine = readMachine(given, isChild ? `the branch ${name}` : 'the machine');
  const note = (state: string, field: string, what: string): void => {
    notes.push({ state, field, what });
  };
  for (const field of Object.keys(machine.body)) {
    if (!machineFields.includes(field) && !(isChild && field === 'ProcessorConfig'))
      note('(machine)', field, 'is left out');
  }
  if (machine.body['QueryLanguage'] === 'JSONata')
    note('(machine)', 'QueryLanguage', 'JSONata is not carried; write it with JSONPath');
  const used = new Set<string>();
  const nameOf = (wanted: string): string => unused(wanted, used, '_');
  const children = new Map<unknown, string>();
  const states = new States({
    nameOf,
    note,
    // A state that stands in two places of the flow has one child.
    child: (inner, label) => {
      const known = children.get(inner) ?? child(inner, label);
      children.set(inner, known);
      return known;
    },
  });
  const start = {
    ...{ name: 'set_state', taskReferenceName: nameOf('start'), type: 'SET_VARIABLE' },
    inputParameters: { state: isChild ? '${workflow.input.state}' : '${workflow.input}' },
  };
  const flow = flowOf(machine, {
    stepOf: (state) => states.stepOf(state, machine.states.get(state) ?? {}),
    nameOf,
    ending: () => ({
      ...{ name: 'end', taskReferenceName: nameOf('end'), type: 'TERMINATE' },
      inputParameters: { terminationStatus: 'COMPLETED', workflowOutput: { result: stateText } },
    }),
  });
  const timeout = numberOf(machine.body['TimeoutSeconds']);
  return {
    name,
    version: 1,
    ...(typeof machine.body['Comment'] === 'string'
      ? { description: machine.body['Comment'] }
      : {}),
    tasks: [start, ...flow],
    outputParameters: { result: stateText },
    ...(timeout > 0 ? { timeoutSeconds: timeout, timeoutPolicy: 'TIME_OUT_WF' } : {}),
  };
}

/** A name of letters, digits and single underscores that is new. */
function unused(wanted: string, used: Set<string>, between: string): string {
  const plain = wanted.replace(/[^A-Za-z0-9]+/g, between).replace(/^_+|_+$/g, '') || 'state';
  let name = plain;
  for (let number = 2; used.has(name); number++) name = `${plain}_${number}`;
  used.add(name);
  return name;
}

function unique(notes: readonly Note[]): Note[] {
  const seen = new Map(notes.map((each) => [JSON.stringify(each), each]));
  return [...seen.values()];
}
