// Definitions of outgoing webhooks: stored with secret and headers sealed, shown with them masked.
// Rights are those on webhooks (target type WEBHOOK); the ids of both kinds are different because
// the server draws those of outgoing ones.
import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../access/secret-box.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
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
import type { OutgoingStore } from './outgoing-store.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import { CreatedResource } from '../created-resource.js';
import type { Ports } from '../ports.js';
import type { MadeFrom } from '../resource.js';

export interface OutgoingWebhooksParts extends Pick<
  Ports,
  'clock' | 'access' | 'ownership' | 'tags'
> {
  readonly table: RecordTable<OutgoingWebhook>;
  readonly store: Pick<OutgoingStore, 'forget'>;
  readonly box: SecretBox;
  readonly randomId: () => string;
  /** Outgoing webhooks that there may be. */
  readonly webhooksMax: number;
}

interface Secrets {
  readonly headers: { readonly [name: string]: string };
  readonly secretValue: string;
}

/** The secrets of a webhook, which its check collects and seals. */
interface Checked {
  readonly secrets: Secrets;
  readonly sealed: string;
}

const drawnSecretBytes = 32;

export class OutgoingWebhooks extends CreatedResource<
  OutgoingWebhookFields,
  OutgoingWebhook,
  ShownOutgoingWebhook,
  Checked
> {
  constructor(private readonly parts: OutgoingWebhooksParts) {
    super(
      {
        type: 'WEBHOOK',
        called: 'Outgoing webhook',
        path: '/api/metadata/outgoing-webhook',
        variable: 'id',
        noun: outgoingWebhook,
        columns: ['name', 'url', 'events', 'active', 'id'],
        limit: { max: parts.webhooksMax, setting: 'outgoingWebhooksMax' },
        named: (id) => `Outgoing webhook with id ${id.slice(0, 200)} not found`,
        taken: (id) => `Outgoing webhook with id ${id} already exists`,
        newId: () => parts.randomId(),
        check: (caller, fields, of) => this.#checked(caller, fields, of),
        make: stored,
        show: shown,
        showCreated: (shownToAll, { checked: { secrets } }) => ({
          ...shownToAll,
          secretValue: secrets.secretValue,
        }),
        isTagged: false,
        routes: {
          create: { summary: 'Creates an outgoing webhook. Only this answer shows its secret.' },
          replace: {
            summary: 'Replaces an outgoing webhook; what is masked or absent keeps its secret.',
          },
          show: { summary: 'Shows an outgoing webhook.' },
          delete: { summary: 'Deletes an outgoing webhook; what waits for it is not sent.' },
        },
      },
      parts,
    );
  }

  get size(): number {
    return this.parts.table.size;
  }

  /** Deliveries that wait for it are not sent any more. Throws AppError 'not-found'. */
  override async delete(id: string): Promise<void> {
    await super.delete(id);
    await this.parts.store.forget(id);
  }

  /** Rejects with AppError 'unavailable' without the key that sealed them. */
  async secretsOf({ id, sealed }: OutgoingWebhook): Promise<Secrets> {
    return JSON.parse(await this.parts.box.open(sealed, sealOwnerOf(id))) as Secrets;
  }

  /**
   * The webhook hears from now on of what the caller may read. A masked or absent secret, and
   * masked headers, keep the stored ones (`checkKept`). A delivery that waits for another owner is
   * not sent to another address.
   */
  async #checked(
    caller: Caller,
    fields: OutgoingWebhookFields,
    { id, known }: { readonly id: string; readonly known: OutgoingWebhook | undefined },
  ): Promise<Checked> {
    const secrets = await this.#secretsOfSent(fields, known);
    const sealed = await this.parts.box.seal(JSON.stringify(secrets), sealOwnerOf(id));
    if (known !== undefined) {
      const isMoved = fields.url !== known.url;
      const isTaken = ownerIdOf(newOwner(caller, known)) !== ownerIdOf(known);
      if (isMoved && isTaken && !isAdministrator(caller)) await this.parts.store.forget(id);
    }
    return { secrets, sealed };
  }

  async #secretsOfSent(
    fields: OutgoingWebhookFields,
    known: OutgoingWebhook | undefined,
  ): Promise<Secrets> {
    const { headers, secretValue: given } = fields;
    if (known === undefined) {
      return { headers, secretValue: isLeft(given) ? drawSecret() : given };
    }
    const before = await this.secretsOf(known);
    checkKept(fields, known);
    const kept = new Map(Object.entries(before.headers));
    return {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          value === maskedSecret ? (kept.get(name) ?? value) : value,
        ]),
      ),
      secretValue: isLeft(given) ? before.secretValue : given,
    };
  }
}

function stored(
  { headers: _headers, secretValue: _secretValue, ...open }: OutgoingWebhookFields,
  { caller, id, known, now, checked }: MadeFrom<OutgoingWebhook, Checked>,
): OutgoingWebhook {
  return {
    ...{ ...open, id, ...newOwner(caller, known), createdAt: known?.createdAt ?? now },
    headerNames: Object.keys(checked.secrets.headers),
    sealed: checked.sealed,
  };
}

function newOwner(caller: Caller, known: OutgoingWebhook | undefined): OwnedRecord {
  return ownedBy(caller.id, known?.createdBy);
}

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
