// The check of a form takes its time; who may save the name is asked again behind it.
import { expect, it } from 'vitest';
import { userForm, type UserForm } from '../../../src/areas/human/user-form.js';
import { UserForms, type UserFormsParts } from '../../../src/areas/human/user-forms.js';
import { systemCaller } from '../../../src/model/caller.js';
import { nothingBesides, RecordTable } from '../../../src/operation/records/record-table.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { MemoryRecordStore } from '../../operation/records/memory-record-store.js';

it('a form that another caller has saved meanwhile is not overwritten', async () => {
  const table = new RecordTable<UserForm>(new MemoryRecordStore(), userForm.record);
  const sent = { name: 'form', jsonSchema: {}, templateUI: {} };
  const others: UserForm = {
    ...{ ...sent, version: 1, createTime: 0, updateTime: 0 },
    ...{ createdBy: 'USER:other', updatedBy: 'USER:other' },
  };
  const parts = {
    ...{ table, clock: new VirtualClock(), formsMax: 10 },
    access: { may: (_caller: unknown, right: string) => right === 'CREATE' },
    ownership: { creating: () => nothingBesides },
    tags: { of: () => [] },
    validation: { checkSchema: () => table.put(others) },
  };
  const forms = new UserForms(parts as unknown as UserFormsParts);
  await expect(forms.save(systemCaller, sent, 1)).rejects.toMatchObject({ kind: 'forbidden' });
  expect(table.get('1:form')).toMatchObject({ createdBy: 'USER:other', updatedBy: 'USER:other' });
});
