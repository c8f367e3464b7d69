// Definitions of outgoing webhooks: stored with secret and headers sealed, shown with them masked.
// Rights are those on webhooks (target type WEBHOOK); the ids of both kinds are different because
// the server draws those of outgoing ones.
import { randomBytes } from 'node:crypto';
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import type { SecretBox } from '../../access/secret-box.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { checkKeptSecrets, isBareSecret, maskedSecret } from '../../model/kept-secrets.js';
import { ownedBy, ownerIdOf, type OwnedRecord } from '../../model/owner-of-record.js';
import {
  outgoingWebhook,
  secretKeyOf,
  sealOwnerOf,
  type OutgoingWebhook,
  type OutgoingWebhookFields,
  type ShownOutgoingWebhook,
} from './outgoing-webhook.js';
import type { Clock } from '../../std/clock.js';
import type { OutgoingStore } from './outgoing-store.js';
import type { Ownership } from '../../operation/ownership.js';
import { changeRecord } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';

export interface OutgoingWebhooksParts {
  readonly table: RecordTable<OutgoingWebhook>;
  readonly store: Pick<OutgoingStore, 'forget'>;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly ownership: Ownership;
  readonly randomId: () => string;
  /** Outgoing webhooks that there may be. */
  readonly webhooksMax: number;
}

interface Secrets {
  readonly headers: { readonly [name: string]: string };
  readonly secretValue: string;
}

const drawnSecretBytes = 32;

export class OutgoingWebhooks {
  constructor(private readonly parts: OutgoingWebhooksParts) {}

  get size(): number {
    return this.parts.table.size;
  }

  find(id: string): OutgoingWebhook | undefined {
    return this.parts.table.get(id);
  }

  /** Throws AppError 'not-found'. */
  get(id: string): OutgoingWebhook {
    const webhook = this.find(id);
    if (webhook === undefined) throw unknownWebhook(id);
    return webhook;
  }

  /** The answer shows the secret: nothing else does. */
  async create(caller: Caller, fields: OutgoingWebhookFields): Promise<ShownOutgoingWebhook> {
    const { table, access, clock, ownership, randomId, webhooksMax } = this.parts;
    requireRight(access, caller, 'CREATE', { type: 'WEBHOOK', id: undefined });
    if (table.size >= webhooksMax) {
      const text = `There are ${table.size} outgoing webhooks already (outgoingWebhooksMax)`;
      throw new AppError('conflict', text);
    }
    const id = randomId();
    const { secretValue: given, headers } = fields;
    const secretValue = isLeft(given) ? drawSecret() : given;
    const kept = { id, ...ownedBy(caller.id, undefined), createdAt: clock.now() };
    const webhook = await this.#toStored(fields, { headers, secretValue }, kept);
    await table.put(webhook, 'absent', ownership.creating(caller, 'WEBHOOK', id));
    return { ...shown(webhook), secretValue };
  }

  /**
   * Replaces a webhook, which hears from now on of what the caller may read. A masked or absent
   * secret, and masked headers, keep the stored ones (`checkKept`). A delivery that waits for
   * another owner is not sent to another address either.
   */
  async update(
    caller: Caller,
    id: string,
    fields: OutgoingWebhookFields,
  ): Promise<ShownOutgoingWebhook> {
    const known = this.get(id);
    const before = await this.secretsOf(known);
    const { secretValue: given } = fields;
    const secretValue = isLeft(given) ? before.secretValue : given;
    const isMoved = fields.url !== known.url;
    checkKept(fields, known);
    const kept = new Map(Object.entries(before.headers));
    const headers = Object.fromEntries(
      Object.entries(fields.headers).map(([name, value]) => [
        name,
        value === maskedSecret ? (kept.get(name) ?? value) : value,
      ]),
    );
    const owner = ownedBy(caller.id, known.createdBy);
    const { createdAt } = known;
    const webhook = await this.#toStored(
      fields,
      { headers, secretValue },
      { id, createdAt, ...owner },
    );
    const isTaken = ownerIdOf(owner) !== ownerIdOf(known) && !isAdministrator(caller);
    if (isMoved && isTaken) await this.parts.store.forget(id);
    const stored = await changeRecord(this.parts.table, id, (newest) => {
      if (newest === undefined) throw unknownWebhook(id);
      return webhook;
    });
    return shown(stored);
  }

  /** Deliveries that wait for it are not sent any more. Throws AppError 'not-found'. */
  async delete(id: string): Promise<void> {
    if (!(await this.parts.table.remove(id))) throw unknownWebhook(id);
    await this.parts.ownership.removed('WEBHOOK', id);
    await this.parts.store.forget(id);
  }

  /** Throws AppError 'not-found'. */
  show(id: string): ShownOutgoingWebhook {
    return shown(this.get(id));
  }

  /** Those that the caller may read, by name. */
  list(caller: Caller): ShownOutgoingWebhook[] {
    const { table, access } = this.parts;
    return [...table.values()]
      .filter(({ id }) => access.may(caller, 'READ', { type: 'WEBHOOK', id }))
      .sort((a, b) => compare(a.name, b.name) || compare(a.id, b.id))
      .map(shown);
  }

  /** Rejects with AppError 'unavailable' without the key that sealed them. */
  async secretsOf({ id, sealed }: OutgoingWebhook): Promise<Secrets> {
    return JSON.parse(await this.parts.box.open(sealed, sealOwnerOf(id))) as Secrets;
  }

  async #toStored(
    { headers: _headers, secretValue: _secretValue, ...open }: OutgoingWebhookFields,
    secrets: Secrets,
    kept: Pick<OutgoingWebhook, 'id' | 'createdAt'> & OwnedRecord,
  ): Promise<OutgoingWebhook> {
    const sealed = await this.parts.box.seal(JSON.stringify(secrets), sealOwnerOf(kept.id));
    const headerNames = Object.keys(secrets.headers);
    return { ...open, ...kept, headerNames, sealed };
  }
}

/** The key that signs. */
export function signingKeyOf({ secretValue }: Secrets): Buffer {
  return secretKeyOf(secretValue);
}

/**
 * Kept headers stay with the address and with headers that hold more than a secret, the key of the
 * signatures with the address (docs/access.md, Kept secrets). Throws AppError 'bad-request'.
 */
function checkKept(fields: OutgoingWebhookFields, known: OutgoingWebhook): void {
  const { headers, secretValue } = fields;
  const isStored = (name: string): boolean => known.headerNames.includes(name);
  const isKept = (name: string): boolean => headers[name] === maskedSecret && isStored(name);
  const names = [...new Set([...known.headerNames, ...Object.keys(headers)])].sort();
  const moved = fields.url === known.url ? [] : ['url'];
  const kept = names.filter(isKept).map((name) => `headers.${name}`);
  const keptKey = moved.length > 0 && isLeft(secretValue) ? ['secretValue'] : [];
  const others = names.filter((name) => !isKept(name) && !isBareSecret(name));
  checkKeptSecrets({
    kept: [...kept, ...keptKey],
    changed: [...moved, ...others.map((name) => `headers.${name}`)],
  });
}

function shown(webhook: OutgoingWebhook): ShownOutgoingWebhook {
  const headers = Object.fromEntries(webhook.headerNames.map((name) => [name, maskedSecret]));
  return outgoingWebhook.toJson(webhook, { headers, secretValue: maskedSecret });
}

/** Whether a secret is absent or masked, so that the stored one stays. */
function isLeft(secret: string | undefined): secret is '' | typeof maskedSecret | undefined {
  return secret === undefined || secret === '' || secret === maskedSecret;
}

function drawSecret(): string {
  return `whsec_${randomBytes(drawnSecretBytes).toString('base64')}`;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function unknownWebhook(id: string): AppError {
  return new AppError('not-found', `Outgoing webhook with id ${id.slice(0, 200)} not found`);
}
