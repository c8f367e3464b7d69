// A definition store in memory, shared by the nodes of a test: keeps texts like a real one, so that
// nobody shares objects, and can be held up or made to fail.
import { parseJson } from '../../../src/model/json-text.js';
import { parseTaskDef } from '../../../src/model/parse-task-def.js';
import { toTaskDefJson } from '../../../src/model/task-def-json.js';
import type { TaskDef } from '../../../src/model/task-def.js';
import type { WorkflowDef } from '../../../src/model/workflow-def.js';
import { toWorkflowDefJson } from '../../../src/model/workflow-def-json.js';
import type { NamedSince, Registration } from '../../../src/model/name-registration.js';
import type {
  DefinitionStore,
  LoadedDefinitions,
  StoredWorkflow,
  UnchangedNames,
} from '../../../src/store/definition-store.js';
import { parseWorkflowDef } from '../../support/parse-workflow-def.js';

export class MemoryDefinitionStore implements DefinitionStore {
  readonly #workflows = new Map<string, string>();
  /** By name; a real store keeps them with each version. */
  readonly #registrations = new Map<string, Registration>();
  readonly #named = new Map<string, NamedSince>();
  readonly #tasks = new Map<string, string>();
  readonly #listeners: (() => void)[] = [];
  /** Revisions of the newest change, by kind and name. */
  readonly #changedAt = new Map<string, number>();
  #revision = 0;
  loads = 0;
  /** Notices get lost while false. */
  notices = true;
  failure: Error | undefined;
  /** Awaited between reading everything and answering `loadAll`. */
  loadGate: Promise<void> = Promise.resolve();

  async loadAll(): Promise<LoadedDefinitions> {
    this.#fail();
    this.loads++;
    const named = new Map<WorkflowDef, NamedSince>();
    const workflows = [...this.#workflows].map(([key, text]) => {
      const def = parseWorkflowDef(parseJson(text), '');
      const since = this.#named.get(key);
      if (since !== undefined) named.set(def, since);
      return def;
    });
    const loaded = {
      ...{ workflows, named },
      registrations: new Map(this.#registrations),
      tasks: [...this.#tasks.values()].map((text) => parseTaskDef(parseJson(text), '')),
      revision: this.#revision,
    };
    await this.loadGate;
    return loaded;
  }

  /** It keeps no names: everything is loaded again. */
  changes(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async revision(): Promise<number> {
    this.#fail();
    return Promise.resolve(this.#revision);
  }

  async putWorkflows(defs: readonly StoredWorkflow[], unchanged?: UnchangedNames): Promise<number> {
    this.#fail();
    if (this.#hasChanged('w', unchanged)) return 0;
    for (const { def, registration, named } of defs) {
      const key = keyOf(def.name, def.version);
      this.#workflows.set(key, toWorkflowDefJson(def));
      if (registration !== undefined) this.#registrations.set(def.name, registration);
      if (named !== undefined) this.#named.set(key, named);
    }
    await this.#changed(defs.map(({ def }) => `w:${def.name}`));
    return defs.length;
  }

  async deleteWorkflow(
    name: string,
    version: number,
    unchanged?: UnchangedNames,
  ): Promise<boolean> {
    this.#fail();
    if (this.#hasChanged('w', unchanged)) return false;
    if (!this.#workflows.delete(keyOf(name, version))) return false;
    this.#named.delete(keyOf(name, version));
    if (![...this.#workflows.keys()].some((key) => key.endsWith(` ${name}`))) {
      this.#registrations.delete(name);
    }
    await this.#changed([`w:${name}`]);
    return true;
  }

  async putTasks(defs: readonly TaskDef[], unchanged?: UnchangedNames): Promise<number> {
    this.#fail();
    if (this.#hasChanged('t', unchanged)) return 0;
    for (const def of defs) this.#tasks.set(def.name, toTaskDefJson(def));
    await this.#changed(defs.map(({ name }) => `t:${name}`));
    return defs.length;
  }

  async deleteTask(name: string, unchanged?: UnchangedNames): Promise<boolean> {
    this.#fail();
    if (this.#hasChanged('t', unchanged)) return false;
    if (!this.#tasks.delete(name)) return false;
    await this.#changed([`t:${name}`]);
    return true;
  }

  async onChange(listener: () => void): Promise<void> {
    this.#listeners.push(listener);
    return Promise.resolve();
  }

  process(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #hasChanged(kind: string, unchanged?: UnchangedNames): boolean {
    const { since = this.#revision, names = [] } = unchanged ?? {};
    return names.some((name) => (this.#changedAt.get(`${kind}:${name}`) ?? 0) > since);
  }

  #changed(names: readonly string[]): Promise<void> {
    this.#revision++;
    for (const name of names) this.#changedAt.set(name, this.#revision);
    if (this.notices) for (const listener of this.#listeners) listener();
    return Promise.resolve();
  }

  #fail(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

function keyOf(name: string, version: number): string {
  return `${version} ${name}`;
}
