// A change waits for its turn. Rights, and what a change keeps of a record, are asked when the turn
// has come: the name may be another caller's by then (invariants S26).
import { beforeEach, describe, expect, it } from 'vitest';
import type { SecretBox } from '../../src/access/secret-box.js';
import { Grants } from '../../src/areas/identity/grants/grants.js';
import {
  buildRights,
  rightsRecords,
  type Rights,
} from '../../src/areas/identity/rights/build-rights.js';
import { grantId } from '../../src/areas/identity/rights/grant-index.js';
import { userForm, type UserForm } from '../../src/areas/human/user-form.js';
import { UserForms, type UserFormsParts } from '../../src/areas/human/user-forms.js';
import { schedule, type WorkflowSchedule } from '../../src/areas/schedules/schedule.js';
import { Schedules } from '../../src/areas/schedules/schedules.js';
import { webhook, type Webhook, type WebhookFields } from '../../src/areas/webhooks/webhook.js';
import { Webhooks, type WebhooksParts } from '../../src/areas/webhooks/webhooks.js';
import type { Caller } from '../../src/model/caller.js';
import { maskedSecret } from '../../src/model/kept-secrets.js';
import { DefinitionTable } from '../../src/operation/definitions/definition-table.js';
import type { RecordTable } from '../../src/operation/records/record-table.js';
import { RecordTables } from '../../src/operation/records/record-tables.js';
import type { KeyedChain } from '../../src/std/keyed-chain.js';
import type { RecordStore } from '../../src/store/record-store.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { MemoryRecordStore } from '../operation/records/memory-record-store.js';

const roles = ['USER', 'WORKFLOW_MANAGER'];
const person = (id: string): Caller => ({ kind: 'user', id, roles, groups: [] });
const [ann, bob] = [person('ann@x.test'), person('bob@x.test')];
const clock = new VirtualClock();
const forbidden = { kind: 'forbidden' };

/** What a node has of the areas of this test. */
interface Node {
  readonly rights: Rights;
  readonly schedules: Schedules;
  readonly forms: UserForms;
  readonly webhooks: Webhooks;
  readonly scheduleTable: RecordTable<WorkflowSchedule>;
  readonly formTable: RecordTable<UserForm>;
  readonly webhookTable: RecordTable<Webhook>;
}

async function nodeOn(store: RecordStore): Promise<Node> {
  const tables = new RecordTables(store, clock, (error) => {
    throw error;
  });
  const parts = { clock, definitionTable: () => new DefinitionTable(), hasNamedEvery: () => false };
  const rights = buildRights(parts, tables.openAll(rightsRecords), true);
  const { access, ownership, tags } = rights;
  const ports = { clock, access, ownership, tags };
  const scheduleTable = tables.open(schedule.record);
  const formTable = tables.open(userForm.record);
  const webhookTable = tables.open(webhook.record);
  const box: SecretBox = {
    seal: (plain) => Promise.resolve(plain),
    open: (sealed) => Promise.resolve(sealed),
    openNow: (sealed) => sealed,
  };
  const events = { histories: () => Promise.resolve([]), forget: () => Promise.resolve() };
  const node = {
    ...{ rights, scheduleTable, formTable, webhookTable },
    schedules: new Schedules({
      ...{ ...ports, table: scheduleTable, schedulesMax: 10, intervalSecondsMin: 1 },
      definitionRules: {} as never,
    }),
    forms: new UserForms({
      ...{ ...ports, table: formTable, formsMax: 10 },
      validation: { checkSchema: () => Promise.resolve() },
    } as unknown as UserFormsParts),
    webhooks: new Webhooks({
      ...{ ...ports, table: webhookTable, webhooksMax: 10, box, events },
      ...{ randomId: () => 'drawn', secretsFor: () => () => undefined },
    } as unknown as WebhooksParts),
  };
  await tables.start();
  return node;
}

let store: MemoryRecordStore;
/** Where the late calls wait. */
let here: Node;
/** Where the name passes on. */
let there: Node;

beforeEach(async () => {
  store = new MemoryRecordStore();
  here = await nodeOn(store);
  there = await nodeOn(store);
});

/** Holds the turns of a key until the function that it returns is called. */
function held({ turns }: { readonly turns: KeyedChain }, key: string): () => void {
  let go = (): void => undefined;
  void turns.run(key, () => new Promise<void>((resolve) => (go = resolve)));
  return () => go();
}

const daily = schedule.request.parse({
  ...{ name: 'x', cronExpression: '0 0 0 * * *', startWorkflowRequest: { name: 'w' } },
});
const form = userForm.request.parse({ name: 'x', jsonSchema: {}, templateUI: {} });
const signed = (over: object): WebhookFields =>
  webhook.request.parse({
    ...{ id: 'x', name: 'hook', sourcePlatform: 's', verifier: 'HMAC_BASED', headerKey: 'h' },
    ...{ secretValue: 'first', expression: 'null', ...over },
  });
const target = { type: 'WEBHOOK', id: 'x' } as const;

/** Ann's webhook goes, and Bob makes one of its id, at the other node. */
async function passOn(): Promise<void> {
  await there.webhookTable.refresh();
  await there.webhooks.delete('x');
  await there.webhooks.create(bob, signed({ name: 'of bob' }));
}

describe('a change that waits for its turn while its name becomes that of another caller', () => {
  it('of a schedule pauses nothing', async () => {
    await here.schedules.save(ann, daily);
    const go = held(here.scheduleTable, 'x');
    const late = here.schedules.pause(ann, 'x');
    await there.scheduleTable.refresh();
    await there.schedules.delete('x');
    await there.schedules.save(bob, daily);
    go();
    await expect(late).rejects.toMatchObject(forbidden);
    expect(here.schedules.get('x')).toMatchObject({ paused: false, createdBy: bob.id });
  });

  it.each(['next', 1, 2] as const)('of a form stores no version (%s)', async (version) => {
    await here.forms.save(ann, form, 1);
    const gos = ['versions of x', '1:x'].map((key) => held(here.formTable, key));
    const late = here.forms.save(ann, form, version);
    await there.formTable.refresh();
    await there.forms.delete('x');
    await there.forms.save(bob, form, 1);
    for (const go of gos) go();
    await expect(late).rejects.toMatchObject(forbidden);
    const authors = here.forms.versions('x').map(({ updatedBy }) => updatedBy);
    expect(authors).toEqual([`USER:${bob.id}`]);
  });

  it('of a webhook replaces nothing', async () => {
    await here.webhooks.create(ann, signed({}));
    const go = held(here.webhookTable, 'x');
    const late = here.webhooks.replace(ann, 'x', signed({ name: 'of ann' }));
    await passOn();
    go();
    await expect(late).rejects.toMatchObject(forbidden);
    expect(here.webhooks.get('x')).toMatchObject({ name: 'of bob', createdBy: bob.id });
  });

  it('of a grant gives nothing', async () => {
    const { identities, tags, access } = here.rights;
    const grants = new Grants(identities, tags, access);
    const subject = { type: 'USER', id: ann.id } as const;
    await here.webhooks.create(ann, signed({}));
    const go = held(identities.grants, grantId(subject, target));
    const late = grants.grant(ann, { subject, target, access: ['READ'] });
    await passOn();
    go();
    await expect(late).rejects.toMatchObject(forbidden);
    expect(access.may(ann, 'READ', target)).toBe(false);
  });

  it('of a tag adds none', async () => {
    const { tags } = here.rights;
    await here.webhooks.create(ann, signed({ tags: [{ key: 'of', value: 'ann' }] }));
    const go = held(tags.table, 'WEBHOOK:x');
    const late = tags.add(ann, target, [{ key: 'late', value: '1' }]);
    await passOn();
    go();
    await expect(late).rejects.toMatchObject(forbidden);
    expect(tags.of('WEBHOOK', 'x')).toEqual([]);
  });
});

it('a kept secret is the newest one: one that was stored meanwhile stays', async () => {
  await here.webhooks.create(ann, signed({}));
  await Promise.all([
    here.webhooks.replace(ann, 'x', signed({ secretValue: 'second' })),
    here.webhooks.replace(ann, 'x', signed({ secretValue: maskedSecret, name: 'renamed' })),
  ]);
  const stored = here.webhooks.get('x');
  expect(stored.name).toBe('renamed');
  expect((await here.webhooks.verifierOf(stored)).secretValue).toBe('second');
});

it('a record leaves together with its grants: who makes the next of its name keeps his', async () => {
  const { identities, tags, access } = here.rights;
  const grants = new Grants(identities, tags, access);
  await here.webhooks.create(ann, signed({}));
  const subject = { type: 'USER', id: bob.id } as const;
  await grants.grant(ann, { subject, target, access: ['READ'] });
  const written = store.write.bind(store);
  // Bob makes his at the other node as soon as Ann's is gone.
  store.write = async (...asked) => {
    const result = await written(...asked);
    store.write = written;
    await there.webhookTable.refresh();
    await there.webhooks.create(bob, signed({ name: 'of bob' }));
    return result;
  };
  await here.webhooks.delete('x');
  await here.webhookTable.refresh();
  expect(here.webhooks.get('x').name).toBe('of bob');
  expect(access.may(bob, 'UPDATE', target)).toBe(true);
});
