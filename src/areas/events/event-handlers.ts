// Operations on event handlers (contract-core 18.2, contract-admin 17.2). A handler is a record:
// the node that is asked writes it, and the node that deals with messages follows.
import { requireRight } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import {
  eventHandler,
  toEventHandlerJson,
  type EventHandler,
  type EventHandlerFields,
  type ShownEventHandler,
  valueParam,
} from './event-handler.js';
import { ownedBy } from '../../model/owner-of-record.js';
import { textFrom } from '../../model/json-text.js';
import type { DeadLetterStore } from './store/dead-letter-store.js';
import type { EventRecordStore } from './store/event-record-store.js';
import { checkStoredScript } from '../../operation/check-script.js';
import { lackedToListen, requireListenRight, type ListenParts } from './listen-right.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import { CreatedResource } from '../created-resource.js';
import type { Ports } from '../ports.js';

export interface EventHandlersParts extends Pick<Ports, 'clock' | 'access' | 'ownership' | 'tags'> {
  readonly table: RecordTable<EventHandler>;
  readonly records: EventRecordStore;
  readonly deadLetters: DeadLetterStore;
  readonly definitions: ListenParts['definitions'];
  readonly integrationOf: ListenParts['integrationOf'];
  /** Event handlers that there may be. */
  readonly eventHandlersMax: number;
}

export class EventHandlers extends CreatedResource<
  EventHandlerFields,
  EventHandler,
  ShownEventHandler
> {
  /** Active handlers by event; built when it is asked for after a change. */
  #active: ReadonlyMap<string, readonly EventHandler[]> | undefined;

  constructor(private readonly parts: EventHandlersParts) {
    super(
      {
        type: 'EVENT_HANDLER',
        called: 'Event handler',
        path: '/api/event',
        variable: 'name',
        noun: eventHandler,
        columns: ['name', 'event', 'condition', 'actions', 'active'],
        limit: { max: parts.eventHandlersMax, setting: 'eventHandlersMax' },
        named: (name) => `EventHandler with name ${name.slice(0, 1000)} not found!`,
        taken: (name) => `EventHandler with name ${name} already exists!`,
        newId: ({ name }) => name,
        check: (caller, fields) => this.#checkFields(caller, fields),
        // It acts with the rights of the caller from now on.
        make: (fields, { caller, known }) => ({
          ...fields,
          ...ownedBy(caller.id, known?.createdBy),
        }),
        show: toEventHandlerJson,
        routes: {
          show: {
            pattern: '/api/event/handler/:name',
            summary: 'Shows an event handler; an unknown one has no body.',
            unknown: 'nothing',
          },
          delete: { summary: 'Deletes an event handler and its records.' },
        },
      },
      parts,
    );
    parts.table.onChange(() => (this.#active = undefined));
  }

  /** Those of one event that the caller may read, by name. */
  listOfEvent(caller: Caller, event: string): EventHandler[] {
    return this.list(caller).filter((handler) => handler.event === event);
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

  /** Removes a handler and its records. Throws AppError 'not-found'. */
  override async delete(name: string): Promise<void> {
    await super.delete(name);
    await this.parts.records.forget(name);
    await this.parts.deadLetters.forget(name);
  }

  /**
   * Throws what saving the handler would throw: AppError 'bad-request' for a condition that does
   * not parse, 'forbidden' without a right.
   */
  requireSavable(caller: Caller, handler: EventHandlerFields): void {
    if (this.find(handler.name) === undefined) this.requireCreate(caller);
    else this.requireUpdate(caller, handler.name);
    this.#checkFields(caller, handler);
  }

  /**
   * The workflows need not exist, but who names them needs the right to start them. Messages of an
   * integration are for those who may use it, events of executions for those who may read these.
   */
  #checkFields(
    caller: Caller,
    { event, condition, evaluatorType, actions }: Omit<EventHandlerFields, 'tags'>,
  ): void {
    if (evaluatorType !== valueParam) checkStoredScript('condition', condition);
    requireListenRight(this.parts, caller, event);
    for (const { action, parameters } of actions) {
      if (action !== 'start_workflow') continue;
      const id = textFrom(parameters['name']);
      requireRight(this.parts.access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
    }
  }
}
