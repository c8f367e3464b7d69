// Registered definitions in Redis: a hash per kind, each value the definition's JSON behind a
// format character, and a revision that every change raises. Changes are announced on a channel; a
// node that misses one notices the revision.
import { parseJson, toJsonText } from '../model/json-text.js';
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { storedWorkflowDefJson } from '../model/workflow-def-json.js';
import {
  firstRegistration,
  type NamedSince,
  type Registration,
} from '../model/name-registration.js';
import type {
  ChangedDefinitions,
  DefinitionStore,
  LoadedDefinitions,
  StoredWorkflow,
  UnchangedNames,
} from '../store/definition-store.js';
import type { RedisClient } from './client.js';
import { packEnvelope } from './codec/envelope.js';
import { packText, unpackText, unpackValue } from './codec/record.js';
import { encodeName } from './key-names.js';
import { allFields } from './scans.js';
import { partsOf } from '../std/parts.js';
import { Script } from './script.js';

const putScript = Script.named('put-definitions');

const fieldsPerCallMax = 100;
/** Definitions that one command reads: of 10 KB each some 0.3 ms of Redis. */
const readPerCallMax = 50;

export class RedisDefinitionStore implements DefinitionStore {
  constructor(private readonly redis: RedisClient) {}

  async loadAll(): Promise<LoadedDefinitions> {
    const { keys, reads } = this.redis;
    // The revision first: a change that lands meanwhile shows as a newer one later.
    const revision = await this.revision();
    const [workflows, tasks] = await Promise.all([
      allFields(reads, keys.workflowDefs(), readPerCallMax),
      allFields(reads, keys.taskDefs(), readPerCallMax),
    ]);
    const valuesOf = (fields: typeof workflows): Buffer[] => fields.map(([, bytes]) => bytes);
    return { ...parseAll(valuesOf(workflows), valuesOf(tasks)), revision };
  }

  async changes(
    since: number,
    versionsOf: (name: string) => readonly number[],
  ): Promise<ChangedDefinitions | undefined> {
    const { keys, reads } = this.redis;
    const range = [`(${since}`, '+inf'];
    // The revision first: a change that lands meanwhile has an entry.
    const [newest, entries] = await Promise.all([
      this.revision(),
      reads.callBuffer('ZRANGEBYSCORE', keys.definitionChanges(), ...range),
    ]);
    const touched = touchedBy((entries as Buffer[]).map(unpackChange), since);
    // A store that has lost its newest writes counts from an earlier revision.
    if (touched === undefined || newest < since || touched.revision < newest) return undefined;
    const { revision, workflowNames, taskNames, workflowFields } = touched;
    for (const name of workflowNames) {
      for (const version of versionsOf(name)) workflowFields.add(workflowFieldName(name, version));
    }
    const [workflows, tasks] = await Promise.all([
      this.#read(keys.workflowDefs(), [...workflowFields]),
      this.#read(keys.taskDefs(), [...taskNames].map(encodeName)),
    ]);
    return { revision, workflowNames, taskNames, ...parseAll(workflows, tasks) };
  }

  async #read(key: string, fields: readonly string[]): Promise<Buffer[]> {
    const found: Buffer[] = [];
    for (const some of partsOf(fields, readPerCallMax)) {
      const values = (await this.redis.reads.callBuffer(
        'HMGET',
        key,
        ...some,
      )) as (Buffer | null)[];
      found.push(...values.filter((value) => value !== null));
    }
    return found;
  }

  async revision(): Promise<number> {
    return Number((await this.redis.reads.call('GET', this.redis.keys.definitionRevision())) ?? 0);
  }

  async putWorkflows(defs: readonly StoredWorkflow[], unchanged?: UnchangedNames): Promise<number> {
    const key = this.redis.keys.workflowDefs();
    return await this.#putAll(key, defs, { fieldOf: workflowField, nameOf, unchanged });
  }

  async deleteWorkflow(
    name: string,
    version: number,
    unchanged?: UnchangedNames,
  ): Promise<boolean> {
    const field = workflowFieldName(name, version);
    return await this.#remove(this.redis.keys.workflowDefs(), { field, name, unchanged });
  }

  async putTasks(defs: readonly TaskDef[], unchanged?: UnchangedNames): Promise<number> {
    const nameOfTask = ({ name }: TaskDef): string => name;
    const key = this.redis.keys.taskDefs();
    return await this.#putAll(key, defs, { fieldOf: taskField, nameOf: nameOfTask, unchanged });
  }

  async deleteTask(name: string, unchanged?: UnchangedNames): Promise<boolean> {
    const field = encodeName(name);
    return await this.#remove(this.redis.keys.taskDefs(), { field, name, unchanged });
  }

  async onChange(listener: () => void): Promise<void> {
    await this.redis.subscribe(this.redis.keys.definitionChannel(), () => listener());
  }

  async process(): Promise<string | undefined> {
    return await this.redis.processOf(this.redis.keys.definitionRevision());
  }

  /** How many were stored, from the first one on. */
  async #putAll<T>(
    key: string,
    defs: readonly T[],
    {
      fieldOf,
      nameOf,
      unchanged,
    }: {
      fieldOf: (def: T) => [string, string];
      nameOf: (def: T) => string;
      unchanged: UnchangedNames | undefined;
    },
  ): Promise<number> {
    let since = unchanged?.since;
    let stored = 0;
    for (const some of partsOf(defs, fieldsPerCallMax)) {
      const revision = await this.#write({
        ...{ key, condition: since?.toString() ?? 'any', unchanged: unchanged?.names },
        ...{ fields: some.flatMap(fieldOf), touched: some.map(nameOf) },
      });
      if (revision === 0) break;
      // Up to this write of ours none of the names has changed, those of the later parts neither.
      if (since !== undefined) since = revision;
      stored += some.length;
    }
    return stored;
  }

  async #remove(
    key: string,
    {
      field,
      name,
      unchanged,
    }: { field: string; name: string; unchanged: UnchangedNames | undefined },
  ): Promise<boolean> {
    const condition = unchanged?.since.toString() ?? 'any';
    const names = { removed: [field], touched: [name], unchanged: unchanged?.names };
    return (await this.#write({ key, condition, ...names })) > 0;
  }

  /** The new revision; 0: nothing was stored. */
  async #write({
    key,
    condition,
    fields = [],
    removed = [],
    touched,
    unchanged = [],
  }: DefinitionWrite): Promise<number> {
    const { keys } = this.redis;
    const inKind = (names: readonly string[]): Buffer =>
      packEnvelope(
        [...new Set(names)].map((name) => `${key === keys.taskDefs() ? 't:' : 'w:'}${name}`),
      );
    const revision = (await this.redis.commits.run(
      putScript,
      [key, keys.definitionRevision(), keys.definitionChanges()],
      [
        ...[condition, packEnvelope(fields), packEnvelope(removed)],
        ...[inKind(touched), inKind(unchanged)],
      ],
    )) as number;
    if (revision === 0) return 0;
    // Reading the revision makes up for a lost notice.
    this.redis.reads.call('PUBLISH', keys.definitionChannel(), revision).catch(() => undefined);
    return revision;
  }
}

interface DefinitionWrite {
  readonly key: string;
  /** As the script put-definitions tells it. */
  readonly condition: string;
  readonly fields?: readonly string[];
  readonly removed?: readonly string[];
  /** Names of the definitions that are written or removed. */
  readonly touched: readonly string[];
  /** Names that must not have changed since a revision that is the condition. */
  readonly unchanged?: readonly string[] | undefined;
}

/** As the script put-definitions writes it. */
interface Change {
  readonly revision: number;
  /** Behind `w:` or `t:`, all alike. */
  readonly names: readonly string[];
  /** undefined: an earlier version wrote it. */
  readonly fields: readonly string[] | undefined;
}

interface Touched {
  readonly revision: number;
  readonly workflowNames: Set<string>;
  readonly workflowFields: Set<string>;
  readonly taskNames: Set<string>;
}

/** Of `w:` or `t:`. */
const kindChars = 2;

function unpackChange(bytes: Buffer): Change {
  const [revision, names, fields] = unpackValue(bytes) as [number, string[], string[]?];
  return { revision, names, fields };
}

/** undefined: a revision after `since` is missing, or does not tell its fields. */
function touchedBy(changes: readonly Change[], since: number): Touched | undefined {
  const touched = {
    workflowNames: new Set<string>(),
    workflowFields: new Set<string>(),
    taskNames: new Set<string>(),
  };
  let revision = since;
  for (const change of changes) {
    if (change.fields === undefined || change.revision !== ++revision) return undefined;
    const areTasks = change.names[0]?.startsWith('t:') === true;
    const names = areTasks ? touched.taskNames : touched.workflowNames;
    for (const name of change.names) names.add(name.slice(kindChars));
    if (!areTasks) for (const field of change.fields) touched.workflowFields.add(field);
  }
  return { ...touched, revision };
}

function parseAll(
  workflows: readonly Buffer[],
  tasks: readonly Buffer[],
): Omit<LoadedDefinitions, 'revision'> {
  const beside = { registrations: new Map(), named: new Map() };
  return {
    workflows: workflows.map((bytes) => parseWorkflow(bytes, beside)),
    ...beside,
    tasks: tasks.map((bytes) => parse('task definition', bytes) as TaskDef),
  };
}

const nameOf = ({ def }: StoredWorkflow): string => def.name;

/** Member of a stored definition, beside those of the definition itself. */
const registrationMember = '_registration';

function parse(kind: string, bytes: Buffer): unknown {
  return parseJson(unpackText(kind, bytes));
}

/** The facts of its name that each version carries: so a registration ends with the last one. */
interface StoredRegistration extends Registration {
  readonly named?: readonly (readonly [string, number])[];
}

/** Takes off what is stored beside the definition. */
function parseWorkflow(
  bytes: Buffer,
  {
    registrations,
    named,
  }: { registrations: Map<string, Registration>; named: Map<WorkflowDef, NamedSince> },
): WorkflowDef {
  const stored = parse('workflow definition', bytes) as WorkflowDef & {
    [registrationMember]?: StoredRegistration;
  };
  const { [registrationMember]: registrationWithNames, ...def } = stored;
  if (registrationWithNames === undefined) return stored;
  const { named: since, ...registration } = registrationWithNames;
  const first = firstRegistration(registrations.get(def.name), registration);
  if (first !== undefined) registrations.set(def.name, first);
  if (since !== undefined) named.set(def, new Map(since));
  return def;
}

function workflowField({ def, registration, named }: StoredWorkflow): [string, string] {
  const json = storedWorkflowDefJson(def);
  const name = workflowFieldName(def.name, def.version);
  if (registration === undefined) return [name, packText(json)];
  const beside = { ...registration, ...(named === undefined ? {} : { named: [...named] }) };
  const member = `"${registrationMember}":${toJsonText(beside)}`;
  return [name, packText(`${json.slice(0, -1)},${member}}`)];
}

function workflowFieldName(name: string, version: number): string {
  return `${encodeName(name)}:${version}`;
}

function taskField(def: TaskDef): [string, string] {
  return [encodeName(def.name), packText(toJsonText(def))];
}
