// Registered definitions in Redis: a hash per kind, each value the definition's JSON behind a
// format character, and a revision that every change raises. Changes are announced on a channel; a
// node that misses one notices the revision.
import type { Json } from '../model/json.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import { firstRegistration, type Registration } from '../model/name-registration.js';
import type {
  DefinitionStore,
  LoadedDefinitions,
  Registrations,
} from '../store/definition-store.js';
import type { RedisClient } from './client.js';
import { packEnvelope } from './codec/envelope.js';
import { packText, unpackText } from './codec/record.js';
import { encodeName } from './key-names.js';
import { allFields, partsOf } from './scans.js';
import { Script } from './script.js';

const putScript = new Script('put-definitions');

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
    const registrations = new Map<string, Registration>();
    return {
      workflows: workflows.map(([, bytes]) => parseWorkflow(bytes, registrations)),
      registrations,
      tasks: tasks.map(([, bytes]) => parse('task definition', bytes) as TaskDef),
      revision,
    };
  }

  async revision(): Promise<number> {
    return Number((await this.redis.reads.call('GET', this.redis.keys.definitionRevision())) ?? 0);
  }

  async putWorkflow(
    def: WorkflowDef,
    onlyIfAbsent: boolean,
    registration?: Registration,
  ): Promise<'stored' | 'exists'> {
    const key = this.redis.keys.workflowDefs();
    const field = workflowField(def, registration);
    const stored = await this.#put(key, onlyIfAbsent ? 'absent' : 'any', field);
    return stored ? 'stored' : 'exists';
  }

  async putWorkflows(defs: readonly WorkflowDef[], registrations?: Registrations): Promise<void> {
    for (const some of partsOf(defs, fieldsPerCallMax)) {
      const fields = some.flatMap((def) => workflowField(def, registrations?.get(def.name)));
      await this.#put(this.redis.keys.workflowDefs(), 'any', fields);
    }
  }

  async deleteWorkflow(name: string, version: number): Promise<boolean> {
    return await this.#remove(this.redis.keys.workflowDefs(), workflowFieldName(name, version));
  }

  async putTasks(defs: readonly TaskDef[]): Promise<void> {
    for (const some of partsOf(defs, fieldsPerCallMax)) {
      await this.#put(this.redis.keys.taskDefs(), 'any', some.flatMap(taskField));
    }
  }

  async replaceTask(def: TaskDef): Promise<boolean> {
    return await this.#put(this.redis.keys.taskDefs(), 'present', taskField(def));
  }

  async deleteTask(name: string): Promise<boolean> {
    return await this.#remove(this.redis.keys.taskDefs(), encodeName(name));
  }

  async onChange(listener: () => void): Promise<void> {
    await this.redis.subscribe(this.redis.keys.definitionChannel(), () => listener());
  }

  async #put(
    key: string,
    condition: 'any' | 'absent' | 'present',
    fields: readonly string[],
  ): Promise<boolean> {
    return await this.#write(key, condition, fields, []);
  }

  async #remove(key: string, field: string): Promise<boolean> {
    return await this.#write(key, 'any', [], [field]);
  }

  async #write(
    key: string,
    condition: string,
    fields: readonly string[],
    removed: readonly string[],
  ): Promise<boolean> {
    const { keys } = this.redis;
    const revision = (await this.redis.commits.run(
      putScript,
      [key, keys.definitionRevision()],
      [condition, packEnvelope(fields), packEnvelope(removed)],
    )) as number;
    if (revision === 0) return false;
    // Reading the revision makes up for a lost notice.
    this.redis.reads.call('PUBLISH', keys.definitionChannel(), revision).catch(() => undefined);
    return true;
  }
}

/** Member of a stored definition, beside those of the definition itself. */
const registrationMember = '_registration';

function parse(kind: string, bytes: Buffer): unknown {
  return parseJson(unpackText(kind, bytes));
}

/** Takes the name's registration off. Each version carries it, so it ends with the last one. */
function parseWorkflow(bytes: Buffer, registrations: Map<string, Registration>): WorkflowDef {
  const stored = parse('workflow definition', bytes) as WorkflowDef & {
    [registrationMember]?: Registration;
  };
  const { [registrationMember]: registration, ...def } = stored;
  if (registration === undefined) return stored;
  const first = firstRegistration(registrations.get(def.name), registration);
  if (first !== undefined) registrations.set(def.name, first);
  return def;
}

function workflowField(def: WorkflowDef, registration: Registration | undefined): [string, string] {
  const json = toWorkflowDefJson(def);
  const text =
    registration === undefined
      ? json
      : `${json.slice(0, -1)},"${registrationMember}":${toJsonText(registration as unknown as Json)}}`;
  return [workflowFieldName(def.name, def.version), packText(text)];
}

function workflowFieldName(name: string, version: number): string {
  return `${encodeName(name)}:${version}`;
}

function taskField(def: TaskDef): [string, string] {
  return [encodeName(def.name), packText(toJsonText(def as unknown as Json))];
}
