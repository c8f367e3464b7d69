// Operations on event handlers (contract-core 18.2, contract-admin 17.2). A handler is a record:
// the node that is asked writes it, and the node that deals with messages follows.
import { requireRight, type AccessRules, type Right } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { EventHandler, EventHandlerFields } from './event-handler.js';
import { ownedBy } from '../../model/owner-of-record.js';
import { textFrom } from '../../model/json-text.js';
import type { DeadLetterStore } from './store/dead-letter-store.js';
import type { EventRecordStore } from './store/event-record-store.js';
import { writesMax } from '../../store/record-store.js';
import { checkStoredScript } from '../../operation/check-script.js';
import type { Ownership } from '../../operation/ownership.js';
import { lackedToListen, requireListenRight, type ListenParts } from './listen-right.js';
import { changeRecord } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Tags } from '../../operation/tags/tags.js';

export interface EventHandlersParts {
  readonly table: RecordTable<EventHandler>;
  readonly records: EventRecordStore;
  readonly deadLetters: DeadLetterStore;
  readonly access: AccessRules;
  readonly definitions: ListenParts['definitions'];
  readonly ownership: Ownership;
  readonly tags: Tags;
  readonly integrationOf: ListenParts['integrationOf'];
  /** Event handlers that there may be. */
  readonly eventHandlersMax: number;
}

export class EventHandlers {
  /** Active handlers by event; built when it is asked for after a change. */
  #active: ReadonlyMap<string, readonly EventHandler[]> | undefined;

  constructor(private readonly parts: EventHandlersParts) {
    parts.table.onChange(() => (this.#active = undefined));
  }

  find(name: string): EventHandler | undefined {
    return this.parts.table.get(name);
  }

  /** Throws AppError 'not-found'. */
  get(name: string): EventHandler {
    const handler = this.find(name);
    if (handler === undefined) throw unknownHandler(name);
    return handler;
  }

  /** Those that the caller may read, by name; of one event where one is named. */
  list(caller: Caller, event?: string): EventHandler[] {
    const found: EventHandler[] = [];
    for (const handler of this.parts.table.values()) {
      if (event !== undefined && handler.event !== event) continue;
      if (this.may(caller, 'READ', handler.name)) found.push(handler);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  may(caller: Caller, right: Right, name: string): boolean {
    return this.parts.access.may(caller, right, { type: 'EVENT_HANDLER', id: name });
  }

  /** Whether the caller may see messages of the event. */
  mayListen(caller: Caller, event: string): boolean {
    return lackedToListen(this.parts, caller, event) === undefined;
  }

  /** Active handlers of exactly this event. */
  activeOf(event: string): readonly EventHandler[] {
    return this.activeByEvent.get(event) ?? [];
  }

  get activeByEvent(): ReadonlyMap<string, readonly EventHandler[]> {
    if (this.#active !== undefined) return this.#active;
    const active = new Map<string, EventHandler[]>();
    for (const handler of this.parts.table.values()) {
      if (!handler.active) continue;
      const others = active.get(handler.event);
      if (others === undefined) active.set(handler.event, [handler]);
      else others.push(handler);
    }
    this.#active = active;
    return active;
  }

  /**
   * Stores new handlers, all or none. Throws AppError 'conflict' for a name that is taken and
   * beyond the number of handlers, 'forbidden'.
   */
  async create(caller: Caller, handlers: readonly EventHandlerFields[]): Promise<void> {
    const { table, access, eventHandlersMax, ownership } = this.parts;
    requireRight(access, caller, 'CREATE', { type: 'EVENT_HANDLER', id: undefined });
    if (handlers.length > writesMax) {
      throw new AppError('bad-request', `The body may have ${writesMax} event handlers at most`);
    }
    const names = new Set<string>();
    for (const handler of handlers) {
      const { name } = handler;
      this.#checkFields(caller, handler);
      if (names.has(name) || this.find(name) !== undefined) throw taken(name);
      names.add(name);
    }
    if (table.size + names.size > eventHandlersMax) {
      const message = `There are ${table.size} event handlers already (eventHandlersMax)`;
      throw new AppError('conflict', message);
    }
    const writes = handlers.map(({ tags: _beside, ...fields }) =>
      table.writeOf({ ...fields, ...ownedBy(caller.id, undefined) }, 'absent'),
    );
    if (writes.length === 0) return;
    const owned = handlers.map(({ name }) => ownership.creating(caller, 'EVENT_HANDLER', name));
    const all = [...writes, ...owned.flatMap((besides) => besides.writes)];
    if (all.length > writesMax) {
      const message = `The body may have so many event handlers that they and who may use them are ${writesMax} records at most, not ${all.length}`;
      throw new AppError('bad-request', message);
    }
    const tables = [...new Set(owned.flatMap((besides) => besides.tables))];
    if (!(await table.write(all, tables))) throw taken([...names].join(', '));
    for (const handler of handlers) await this.#replaceTags(caller, handler);
  }

  /**
   * Replaces a handler, which acts with the rights of the caller from now on. Throws AppError
   * 'not-found', 'forbidden'.
   */
  async update(caller: Caller, handler: EventHandlerFields): Promise<void> {
    const { tags: _beside, ...fields } = handler;
    const { name } = fields;
    this.get(name);
    requireRight(this.parts.access, caller, 'UPDATE', { type: 'EVENT_HANDLER', id: name });
    this.#checkFields(caller, handler);
    await changeRecord(this.parts.table, name, (known) => {
      if (known === undefined) throw unknownHandler(name);
      return { ...fields, ...ownedBy(caller.id, known.createdBy) };
    });
    await this.#replaceTags(caller, handler);
  }

  async #replaceTags(caller: Caller, { name, tags }: EventHandlerFields): Promise<void> {
    if (tags === undefined) return;
    await this.parts.tags.replace(caller, { type: 'EVENT_HANDLER', id: name }, tags);
  }

  /** Removes a handler and its records. Throws AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    if (!(await this.parts.table.remove(name))) throw unknownHandler(name);
    await this.parts.ownership.removed('EVENT_HANDLER', name);
    await this.parts.records.forget(name);
    await this.parts.deadLetters.forget(name);
  }

  /**
   * Throws what saving the handler would throw: AppError 'bad-request' for a condition that does
   * not parse, 'forbidden' without a right.
   */
  requireSavable(caller: Caller, handler: EventHandlerFields): void {
    const known = this.find(handler.name) !== undefined;
    requireRight(this.parts.access, caller, known ? 'UPDATE' : 'CREATE', {
      type: 'EVENT_HANDLER',
      id: known ? handler.name : undefined,
    });
    this.#checkFields(caller, handler);
  }

  /**
   * The workflows need not exist, but who names them needs the right to start them. Messages of an
   * integration are for those who may use it, events of executions for those who may read these.
   */
  #checkFields(caller: Caller, { event, condition, actions }: EventHandlerFields): void {
    checkStoredScript('condition', condition);
    requireListenRight(this.parts, caller, event);
    for (const { action, parameters } of actions) {
      if (action !== 'start_workflow') continue;
      const id = textFrom(parameters['name']);
      requireRight(this.parts.access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
    }
  }
}

function taken(name: string): AppError {
  return new AppError('conflict', `EventHandler with name ${name} already exists!`);
}

function unknownHandler(name: string): AppError {
  return new AppError('not-found', `EventHandler with name ${name.slice(0, 1000)} not found!`);
}
