// Webhook definitions (contract-admin 12.1, 12.2): stored with their secrets encrypted, shown with
// them masked.
import type { SecretBox } from '../../access/secret-box.js';
import { requireRight } from '../../access/access-rules.js';
import { endpoint, one, type Endpoint } from '../../api/endpoint.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { resolveSecrets, secretNamesIn } from '../../engine/expression/secrets.js';
import type { JsonMap } from '../../model/json.js';
import { changedFields, checkKeptSecrets, maskedSecret } from '../../model/kept-secrets.js';
import { ownedBy, ownerIdOf } from '../../model/owner-of-record.js';
import { present } from '../../model/record-reader.js';
import {
  headerKeyReaders,
  sealOwnerOf,
  webhook as noun,
  type ShownWebhook,
  type VerifierConfig,
  type Webhook,
  type WebhookFields,
  type WebhookHistoryEntry,
} from './webhook.js';
import type { WebhookEventStore } from './event-store.js';
import { checkStoredScript } from '../../operation/check-script.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import { CreatedResource } from '../created-resource.js';
import type { Ports } from '../ports.js';
import type { MadeFrom } from '../resource.js';

export interface WebhooksParts extends Pick<
  Ports,
  'clock' | 'access' | 'ownership' | 'tags' | 'secretsFor'
> {
  readonly table: RecordTable<Webhook>;
  readonly events: WebhookEventStore;
  readonly box: SecretBox;
  readonly randomId: () => string;
  /** Webhooks that there may be. */
  readonly webhooksMax: number;
}

/** The encrypted part of a webhook. */
type Secrets = Pick<WebhookFields, 'headers' | 'secretKey' | 'secretValue'>;

/** The sealed secrets come with the check, because sealing takes time. */
export class Webhooks extends CreatedResource<
  WebhookFields,
  Webhook,
  Promise<ShownWebhook>,
  string
> {
  constructor(private readonly parts: WebhooksParts) {
    super(
      {
        type: 'WEBHOOK',
        called: 'Webhook',
        path: '/api/metadata/webhook',
        variable: 'id',
        noun,
        columns: ['name', 'sourcePlatform', 'verifier', 'urlVerified', 'id'],
        limit: { max: parts.webhooksMax, setting: 'webhooksMax' },
        named: (id) => `Webhook with id ${id.slice(0, 200)} not found`,
        taken: (id) => `Webhook with id ${id} already exists`,
        newId: ({ id }) => id ?? parts.randomId(),
        check: (caller, fields, of) => this.#checked(caller, fields, of),
        make: stored,
        show: (webhook) => this.#shownWithHistory(webhook),
        showCreated: ({ secretValue: _masked, ...shown }, { fields: { secretValue } }) => ({
          ...shown,
          ...present({ secretValue }),
        }),
        routes: {
          create: { summary: 'Creates a webhook. Only this answer shows its secret.' },
          replace: { summary: 'Replaces a webhook; a masked secret keeps the stored one.' },
          list: { audit: 'secret-reads' },
          show: { summary: 'Shows a webhook with its newest calls.', audit: 'secret-reads' },
          delete: { summary: 'Deletes a webhook.' },
        },
      },
      parts,
    );
  }

  override endpoints(): Endpoint[] {
    return [...super.endpoints(), this.#replacingByBody()];
  }

  override async delete(id: string): Promise<void> {
    await super.delete(id);
    await this.parts.events.forget(id);
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
    await this.changeKnown(id, (known) => ({ ...known, urlVerified: true }));
  }

  #replacingByBody(): Endpoint {
    return endpoint({
      method: 'PUT',
      pattern: this.declared.path,
      name: 'updateWebhookOfBody',
      summary: 'Replaces the webhook whose id the body names.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'UPDATE' },
      body: noun.request,
      reply: one<ShownWebhook>(noun.shown),
      errors: ['not-found'],
      handle: (request, fields) => {
        if (fields.id === undefined) throw new AppError('bad-request', 'id is required');
        request.noteObject(fields.id);
        return this.replace(request.caller, fields.id, fields);
      },
    });
  }

  /**
   * The secrets, sealed. It acts with the rights of the caller from now on; a masked secret keeps
   * the stored one, while calls are verified as before.
   */
  async #checked(
    caller: Caller,
    fields: WebhookFields,
    { id, known }: { readonly id: string; readonly known: Webhook | undefined },
  ): Promise<string> {
    checkStoredScript('expression', fields.expression);
    this.#requireTargets(caller, fields);
    const { headers, secretKey } = fields;
    const secretValue = await this.#secretValueOf(fields, known);
    const secrets = present({ headers, secretKey, secretValue });
    this.#requireSecrets(caller, secrets);
    return await this.parts.box.seal(JSON.stringify(secrets), sealOwnerOf(id));
  }

  async #secretValueOf(
    fields: WebhookFields,
    known: Webhook | undefined,
  ): Promise<string | undefined> {
    if (known === undefined) return fields.secretValue;
    const before = await this.#secretsOf(known);
    if (fields.secretValue !== maskedSecret) return fields.secretValue;
    checkKeptSecret({ ...known, ...before }, fields);
    return before.secretValue;
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
  #requireSecrets(caller: Caller, secrets: Secrets): void {
    for (const name of secretNamesIn(JSON.stringify(secrets))) {
      requireRight(this.parts.access, caller, 'READ', { type: 'SECRET_NAME', id: name });
    }
  }

  async #secretsOf({ id, sealed }: Webhook): Promise<Secrets> {
    return JSON.parse(await this.parts.box.open(sealed, sealOwnerOf(id))) as Secrets;
  }

  /** Their calls are read at once. */
  protected override async shownAll(found: readonly Webhook[]): Promise<ShownWebhook[]> {
    if (found.length === 0) return [];
    const histories = await this.parts.events.histories(found.map(({ id }) => id));
    return await Promise.all(found.map((each, i) => this.#shown(each, histories[i] ?? [])));
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
  // Clients send a headerKey with every verifier; where none reads it, it decides nothing.
  const isRead = headerKeyReaders.includes(after.verifier);
  const decides = changed.filter((name) => isRead || name !== 'headerKey');
  checkKeptSecrets({ kept: ['secretValue'], changed: decides });
}

/** Of `VerifierConfig`, which is all that the verification of a call is given. */
function verifyingFields({ verifier, headers, headerKey, secretKey }: VerifierConfig): JsonMap {
  return present({ verifier, headers, headerKey, secretKey }) as JsonMap;
}

function stored(
  { id: _id, headers: _headers, secretKey: _key, secretValue: _value, ...open }: WebhookFields,
  { caller, id, known, now, checked: sealed }: MadeFrom<Webhook, string>,
): Webhook {
  return {
    ...{ ...open, id },
    urlVerified: known?.urlVerified ?? false,
    ...ownedBy(caller.id, known?.createdBy),
    ...{ createdAt: known?.createdAt ?? now, sealed },
  };
}
