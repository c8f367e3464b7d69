// The listeners to changes of status on this server: the sinks of its settings and the outgoing
// webhooks. They are asked in the middle of a transition, so they answer from memory. The webhooks
// of a workflow definition are found once and kept for `keptMs`, because tags of the definition and
// rights of the webhook's owner count too.
import type { AccessRules } from '../../access/access-rules.js';
import { mayOnExecution } from '../../access/execution-rights.js';
import type { OwnedExecution } from '../../access/owned-execution.js';
import type { Receiver, StatusListeners, Told } from '../../engine/context.js';
import type { Caller } from '../../model/caller.js';
import type { Task } from '../../model/execution.js';
import { ownerIdOf } from '../../model/owner-of-record.js';
import type { OutgoingWebhook } from './outgoing-webhook.js';
import type { ChangeEvent } from '../../model/status-event.js';
import { isSameTag, type Tag } from '../../model/tag.js';
import type { WorkflowDef } from '../../model/workflow-def.js';
import type { Clock } from '../../std/clock.js';
import { Lru } from '../../std/lru.js';
import { ownedOf } from '../../operation/access.js';
import type { RecordTable } from '../../operation/records/record-table.js';

export interface ListenersParts {
  readonly table: Pick<RecordTable<OutgoingWebhook>, 'values' | 'onChange'>;
  readonly access: AccessRules;
  /** Whose rights a webhook has; undefined: its owner is gone. */
  readonly callerOf: (id: string) => Caller | undefined;
  readonly tagsOf: (workflowName: string) => readonly Tag[];
  readonly clock: Clock;
  /** Sinks of definitions whose listener is on; '' for none. */
  readonly workflowSink: string;
  readonly taskSink: string;
}

interface Listening {
  readonly receiver: Receiver;
  /** Empty: all tasks. */
  readonly taskNames: ReadonlySet<string>;
}

type ByEvent = ReadonlyMap<ChangeEvent, readonly Listening[]>;

/** How long a change of tags or rights takes to be in force, ms. */
const keptMs = 2000;
const definitionsKeptMax = 5000;
const nobody: readonly Receiver[] = [];

export class Listeners implements StatusListeners {
  readonly #byName = new Lru<string, { readonly events: ByEvent; readonly until: number }>(
    definitionsKeptMax,
  );
  #active: readonly OutgoingWebhook[] = [];
  isEmpty: boolean;

  constructor(private readonly parts: ListenersParts) {
    this.isEmpty = this.#hasNobody();
    parts.table.onChange(() => {
      this.#active = [...parts.table.values()].filter(({ active }) => active);
      this.isEmpty = this.#hasNobody();
      this.#byName.clear();
    });
  }

  of(event: ChangeEvent, execution: Told, task: Task | undefined): readonly Receiver[] {
    const sink = this.#sinkOf(event, execution.snapshot.def, task);
    const webhooks = this.#webhooksOf(event, execution, task);
    return sink === '' ? webhooks : [{ sink }, ...webhooks];
  }

  #hasNobody(): boolean {
    const { workflowSink, taskSink } = this.parts;
    return this.#active.length === 0 && workflowSink === '' && taskSink === '';
  }

  /** The sink of the settings; '' when it is not told. */
  #sinkOf(event: ChangeEvent, def: WorkflowDef, task: Task | undefined): string {
    const { workflowSink, taskSink } = this.parts;
    if (event.startsWith('WORKFLOW_')) {
      const hasOwn = (def.workflowStatusListenerSink ?? '') !== '';
      return def.workflowStatusListenerEnabled && !hasOwn ? workflowSink : '';
    }
    if (taskSink === '' || !event.startsWith('TASK_')) return '';
    const isOff = task?.config.taskDefinition?.taskStatusListenerEnabled === false;
    // The hand-out is told in any case (semantics 2.14.2).
    return isOff && event !== 'TASK_IN_PROGRESS' ? '' : taskSink;
  }

  #webhooksOf(event: ChangeEvent, execution: Told, task: Task | undefined): readonly Receiver[] {
    if (this.#active.length === 0) return nobody;
    const listening = this.#eventsOf(ownedOf(execution)).get(event);
    if (listening === undefined) return nobody;
    return listening
      .filter(({ taskNames }) => taskNames.size === 0 || taskNames.has(task?.defName ?? ''))
      .map(({ receiver }) => receiver);
  }

  #eventsOf(owned: OwnedExecution): ByEvent {
    const now = this.parts.clock.monotonic();
    const key = this.#keyOf(owned);
    const known = this.#byName.get(key);
    if (known !== undefined && known.until > now) return known.events;
    const events = new Map<ChangeEvent, Listening[]>();
    for (const webhook of this.#active.filter((each) => this.#wants(each, owned))) {
      const receiver = { sink: '', webhookId: webhook.id };
      const listening = { receiver, taskNames: new Set(webhook.taskNames) };
      for (const event of webhook.events) {
        const others = events.get(event);
        if (others === undefined) events.set(event, [listening]);
        else others.push(listening);
      }
    }
    this.#byName.set(key, { events, until: now + keptMs });
    return events;
  }

  /** The name alone says who listens while rights by name count and nobody else's do. */
  #keyOf(owned: OwnedExecution): string {
    const { name, nameOwner, createdBy } = owned;
    const isByName = nameOwner?.isInline !== true && this.parts.access.isNameHeld(owned);
    return isByName ? name : JSON.stringify([name, nameOwner, createdBy]);
  }

  #wants(webhook: OutgoingWebhook, owned: OwnedExecution): boolean {
    const { name } = owned;
    const { workflowNames, workflowTags } = webhook;
    if (workflowNames.length > 0 && !workflowNames.includes(name)) return false;
    if (workflowTags.length > 0) {
      const tags = this.parts.tagsOf(name);
      if (!workflowTags.some((wanted) => tags.some((tag) => isSameTag(tag, wanted)))) return false;
    }
    const caller = this.parts.callerOf(ownerIdOf(webhook));
    return caller !== undefined && mayOnExecution(this.parts.access, caller, 'READ', owned);
  }
}
