// Checks payloads of executions against the schemas that definitions name (semantics 3.9,
// contract-admin 16.3): the registered one of the name, in the version that is named or the newest;
// else the one that the definition brings along, which counts too where the registered one may not
// be read. Only JSON schemas are checked.
import type { SchemaRules } from '../../engine/context.js';
import type { Readers } from '../../engine/readers.js';
import type { SchemaDef } from '../../model/audit-fields.js';
import type { DefinitionSnapshot } from '../../model/execution.js';
import type { JsonMap } from '../../model/json.js';
import { forEachTask } from '../../model/nested-tasks.js';
import type { WorkflowDef } from '../../model/workflow-def.js';
import type { JsonSchemas } from '../../operation/schemas/json-schema.js';
import { readRefusal, type ReadRefusalParts } from '../../operation/read-refusal.js';
import type { RegisteredSchema } from './schema.js';
import type { Schemas } from './schemas.js';

export class EnforcedSchemas implements SchemaRules {
  constructor(
    private readonly registered: Pick<Schemas, 'find'>,
    private readonly checks: JsonSchemas,
    private readonly rights: ReadRefusalParts,
  ) {}

  refusal(schema: SchemaDef, readers: Readers): string | undefined {
    return schema.data === undefined ? this.#refusal(schema, readers) : undefined;
  }

  partOfStep(schema: SchemaDef, readers: Readers): number {
    const { data } = this.#counting(schema, readers);
    if (data === undefined) return 0;
    const chars = this.checks.charsRead(data);
    return chars === undefined ? 1 : Math.min(1, chars / charsPerStep);
  }

  violation(schema: SchemaDef, text: string, readers: Readers): string | undefined {
    const { type, data } = this.#counting(schema, readers);
    if ((type ?? 'JSON') !== 'JSON') return undefined;
    if (data === undefined) return notRegistered(schema);
    return this.checks.violation(data, JSON.parse(text) as JsonMap);
  }

  /** The registered one where there is one that may be read. */
  #counting(schema: SchemaDef, readers: Readers): Pick<SchemaDef, 'type' | 'data'> {
    const isReadable = this.#refusal(schema, readers) === undefined;
    return (isReadable ? this.#registered(schema) : undefined) ?? schema;
  }

  prepare({ def }: DefinitionSnapshot, startedBy: string): Promise<void> | undefined {
    const unread = schemasIn(def)
      .flatMap((schema) => [this.#registered(schema)?.data, schema.data])
      .filter(
        (data): data is JsonMap => data !== undefined && this.checks.charsRead(data) === undefined,
      );
    return unread.length === 0 ? undefined : this.#read(unread, startedBy);
  }

  /** One after the other: each waits for its turn. */
  async #read(unread: readonly JsonMap[], startedBy: string): Promise<void> {
    for (const data of unread) await this.checks.read({ id: startedBy }, data);
  }

  #registered({ name, version }: SchemaDef): RegisteredSchema | undefined {
    return name === undefined ? undefined : this.registered.find(name, version);
  }

  /** Why the registered one may not be read; undefined: it may, or there is none. */
  #refusal(schema: SchemaDef, readers: Readers): string | undefined {
    const found = this.#registered(schema);
    if (found === undefined) return undefined;
    return readRefusal(this.rights, { type: 'SCHEMA', id: found.name }, readers);
  }
}

/** Of schemas that are read: the first check by 30,000 takes some 30 ms. */
const charsPerStep = 50_000;

const known = new WeakMap<WorkflowDef, readonly SchemaDef[]>();

/** Those that are enforced; found once for each definition object. */
function schemasIn(def: WorkflowDef): readonly SchemaDef[] {
  let found = known.get(def);
  if (found === undefined) {
    const schemas: SchemaDef[] = [];
    const add = (of: Enforcing | undefined): void => {
      if (of?.enforceSchema !== true) return;
      for (const each of [of.inputSchema, of.outputSchema]) if (each) schemas.push(each);
    };
    add(def);
    forEachTask(def.tasks, ({ taskDefinition }) => add(taskDefinition));
    known.set(def, (found = schemas));
  }
  return found;
}

type Enforcing = Partial<Pick<WorkflowDef, 'enforceSchema' | 'inputSchema' | 'outputSchema'>>;

function notRegistered({ name, version }: SchemaDef): string {
  const which = version === undefined ? '' : ` in version ${version}`;
  return name === undefined ? 'it is not given' : `it is not registered${which}`;
}
