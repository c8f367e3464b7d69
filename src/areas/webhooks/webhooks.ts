// Webhook definitions (contract-admin 12.1, 12.2): stored with their secrets encrypted, shown with
// them masked.
import type { SecretBox } from '../../access/secret-box.js';
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import {
  resolveSecrets,
  secretNamesIn,
  type SecretLookup,
} from '../../engine/expression/secrets.js';
import type { JsonMap } from '../../model/json.js';
import { changedFields, checkKeptSecrets, maskedSecret } from '../../model/kept-secrets.js';
import { ownedBy, ownerIdOf, type OwnedRecord } from '../../model/owner-of-record.js';
import { present } from '../../model/record-reader.js';
import {
  sealOwnerOf,
  webhook as noun,
  type ShownWebhook,
  type VerifierConfig,
  type Webhook,
  type WebhookFields,
  type WebhookHistoryEntry,
} from './webhook.js';
import type { Clock } from '../../std/clock.js';
import type { WebhookEventStore } from './event-store.js';
import { checkStoredScript } from '../../operation/check-script.js';
import type { Ownership } from '../../operation/ownership.js';
import { changeRecord } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Tags } from '../../operation/tags/tags.js';

export interface WebhooksParts {
  readonly table: RecordTable<Webhook>;
  readonly events: WebhookEventStore;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly ownership: Ownership;
  readonly tags: Tags;
  readonly randomId: () => string;
  /** Secrets that a subject may read, by name (semantics 3.7). */
  readonly secretsFor: (ownerId: string) => SecretLookup;
  /** Webhooks that there may be. */
  readonly webhooksMax: number;
}

/** The encrypted part of a webhook. */
type Secrets = Pick<WebhookFields, 'headers' | 'secretKey' | 'secretValue'>;

export class Webhooks {
  constructor(private readonly parts: WebhooksParts) {}

  find(id: string): Webhook | undefined {
    return this.parts.table.get(id);
  }

  /** Throws AppError 'not-found'. */
  get(id: string): Webhook {
    const webhook = this.find(id);
    if (webhook === undefined) throw unknownWebhook(id);
    return webhook;
  }

  /** Stores a new webhook. The answer shows its secret as it was sent. */
  async create(caller: Caller, fields: WebhookFields): Promise<ShownWebhook> {
    const { table, access, clock, ownership, tags, randomId, webhooksMax } = this.parts;
    requireRight(access, caller, 'CREATE', { type: 'WEBHOOK', id: undefined });
    checkStoredScript('expression', fields.expression);
    this.#requireTargets(caller, fields);
    this.#requireSecrets(caller, fields);
    if (table.size >= webhooksMax) {
      throw new AppError('conflict', `There are ${table.size} webhooks already (webhooksMax)`);
    }
    const id = fields.id ?? randomId();
    const webhook = await this.#toStored(fields, {
      id,
      urlVerified: false,
      ...ownedBy(caller.id, undefined),
      createdAt: clock.now(),
    });
    if (!(await table.put(webhook, 'absent', ownership.creating(caller, 'WEBHOOK', id)))) {
      throw new AppError('conflict', `Webhook with id ${id} already exists`);
    }
    if (fields.tags !== undefined) {
      await tags.replace(caller, { type: 'WEBHOOK', id }, fields.tags);
    }
    const { secretValue: _masked, ...answer } = await this.#shown(webhook, []);
    return { ...answer, ...present({ secretValue: fields.secretValue }) };
  }

  /**
   * Replaces a webhook, which acts with the rights of the caller from now on; a masked secret keeps
   * the stored one, while calls are verified as before. Throws AppError 'not-found', 'forbidden',
   * 'bad-request'.
   */
  async update(caller: Caller, id: string, fields: WebhookFields): Promise<ShownWebhook> {
    const known = this.get(id);
    requireRight(this.parts.access, caller, 'UPDATE', { type: 'WEBHOOK', id });
    checkStoredScript('expression', fields.expression);
    this.#requireTargets(caller, fields);
    const before = await this.#secretsOf(known);
    const { secretValue: sent, ...others } = fields;
    const secretValue = sent === maskedSecret ? before.secretValue : sent;
    if (sent === maskedSecret) checkKeptSecret({ ...known, ...before }, fields);
    const kept = { ...others, ...present({ secretValue }) };
    this.#requireSecrets(caller, kept);
    const owner = ownedBy(caller.id, known.createdBy);
    const { urlVerified, createdAt } = known;
    const changed = await this.#toStored(kept, { id, urlVerified, createdAt, ...owner });
    const stored = await changeRecord(this.parts.table, id, (newest) => {
      if (newest === undefined) throw unknownWebhook(id);
      return { ...changed, urlVerified: newest.urlVerified };
    });
    if (fields.tags !== undefined) {
      await this.parts.tags.replace(caller, { type: 'WEBHOOK', id }, fields.tags);
    }
    return await this.#shownWithHistory(stored);
  }

  /** Throws AppError 'not-found'. */
  async delete(id: string): Promise<void> {
    if (!(await this.parts.table.remove(id))) throw unknownWebhook(id);
    await this.parts.ownership.removed('WEBHOOK', id);
    await this.parts.events.forget(id);
  }

  /** With its secret masked and its newest calls. Throws AppError 'not-found'. */
  async show(id: string): Promise<ShownWebhook> {
    return await this.#shownWithHistory(this.get(id));
  }

  /** Those that the caller may read, by name. */
  async list(caller: Caller): Promise<ShownWebhook[]> {
    const { table, access, events } = this.parts;
    const readable = [...table.values()]
      .filter(({ id }) => access.may(caller, 'READ', { type: 'WEBHOOK', id }))
      .sort((a, b) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1));
    if (readable.length === 0) return [];
    const histories = await events.histories(readable.map(({ id }) => id));
    return await Promise.all(readable.map((each, i) => this.#shown(each, histories[i] ?? [])));
  }

  /** The facts that verify calls: expressions that name secrets are replaced by their values. */
  async verifierOf(webhook: Webhook): Promise<VerifierConfig> {
    const { verifier, headerKey } = webhook;
    const lookup = this.parts.secretsFor(ownerIdOf(webhook));
    let isKnown = true;
    const secrets = resolveSecrets((await this.#secretsOf(webhook)) as JsonMap, (name) => {
      const value = lookup(name);
      isKnown &&= value !== undefined;
      return value;
    });
    // A webhook that names an unknown secret, or one that may not be read, verifies nothing.
    return { verifier, ...present({ headerKey }), ...(isKnown ? (secrets as Secrets) : {}) };
  }

  /** A first call was verified. */
  async urlVerified(id: string): Promise<void> {
    await changeRecord(this.parts.table, id, (known) => {
      if (known === undefined) throw unknownWebhook(id);
      return { ...known, urlVerified: true };
    });
  }

  /** A caller that names workflows needs the right to start them; they need not exist. */
  #requireTargets(caller: Caller, fields: WebhookFields): void {
    const {
      idempotencyKey: _key,
      idempotencyStrategy: _strategy,
      ...starts
    } = fields.workflowsToStart ?? {};
    const receivers = fields.receiverWorkflowNamesToVersions ?? {};
    for (const id of [...Object.keys(starts), ...Object.keys(receivers)]) {
      requireRight(this.parts.access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
    }
  }

  /** Calls are verified with secrets that the owner of record may read; the author becomes that. */
  #requireSecrets(caller: Caller, { headers, secretKey, secretValue }: WebhookFields): void {
    for (const name of secretNamesIn(JSON.stringify({ headers, secretKey, secretValue }))) {
      requireRight(this.parts.access, caller, 'READ', { type: 'SECRET_NAME', id: name });
    }
  }

  async #toStored(
    fields: WebhookFields,
    kept: Pick<Webhook, 'id' | 'urlVerified' | 'createdAt'> & OwnedRecord,
  ): Promise<Webhook> {
    const { id: _id, tags: _tags, headers, secretKey, secretValue, ...open } = fields;
    const secrets = present({ headers, secretKey, secretValue });
    const sealed = await this.parts.box.seal(JSON.stringify(secrets), sealOwnerOf(kept.id));
    return { ...open, ...kept, sealed };
  }

  async #secretsOf({ id, sealed }: Webhook): Promise<Secrets> {
    return JSON.parse(await this.parts.box.open(sealed, sealOwnerOf(id))) as Secrets;
  }

  async #shownWithHistory(webhook: Webhook): Promise<ShownWebhook> {
    const [history = []] = await this.parts.events.histories([webhook.id]);
    return await this.#shown(webhook, history);
  }

  async #shown(webhook: Webhook, history: readonly WebhookHistoryEntry[]): Promise<ShownWebhook> {
    const { headers, secretKey } = await this.#secretsOf(webhook);
    const tags = this.parts.tags.of('WEBHOOK', webhook.id);
    return noun.toJson(webhook, {
      ...present({ headers, secretKey }),
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
      secretValue: maskedSecret,
      webhookExecutionHistory: history,
    });
  }
}

/** A kept secret verifies what it did before (docs/access.md, Kept secrets). */
function checkKeptSecret(before: VerifierConfig, after: VerifierConfig): void {
  if (before.secretValue === undefined) return;
  const changed = changedFields(verifyingFields(before), verifyingFields(after));
  checkKeptSecrets({ kept: ['secretValue'], changed });
}

/** Of `VerifierConfig`, which is all that the verification of a call is given. */
function verifyingFields({ verifier, headers, headerKey, secretKey }: VerifierConfig): JsonMap {
  return present({ verifier, headers, headerKey, secretKey }) as JsonMap;
}

function unknownWebhook(id: string): AppError {
  return new AppError('not-found', `Webhook with id ${id.slice(0, 200)} not found`);
}
