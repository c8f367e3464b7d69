// A new bulk job takes the place of one that rests, and of none that another node has just started.
import { expect, it } from 'vitest';
import { everythingAllowed } from '../../../src/access/access-rules.js';
import type { BulkJobStore } from '../../../src/areas/bulk-jobs/job-store.js';
import { bulkJobCodec, BulkJobs } from '../../../src/areas/bulk-jobs/bulk-jobs.js';
import { parseBulkJob } from '../../../src/areas/bulk-jobs/bulk-job-request.js';
import type { BulkJob } from '../../../src/areas/bulk-jobs/bulk-job.js';
import { systemCaller } from '../../../src/model/caller.js';
import { changeRecord } from '../../../src/operation/records/change-record.js';
import { RecordTable } from '../../../src/operation/records/record-table.js';
import type { SearchContext } from '../../../src/operation/search/request.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { MemoryRecordStore } from '../../operation/records/memory-record-store.js';

const signal = new AbortController().signal;

it('a job that another node has just started is not removed for a new one', async () => {
  const records = new MemoryRecordStore();
  const [here, there] = [1, 2].map(() => new RecordTable(records, bulkJobCodec)) as [
    RecordTable<BulkJob>,
    RecordTable<BulkJob>,
  ];
  const forgotten: string[] = [];
  const store: BulkJobStore = {
    create: () => Promise.resolve(),
    ids: () => Promise.resolve([]),
    refuse: () => Promise.resolve(),
    refusals: () => Promise.resolve([]),
    forget: (id) => Promise.resolve(void forgotten.push(id)),
  };
  const context = { access: everythingAllowed };
  const search = { context, store: { headers: () => Promise.resolve([]) } };
  let drawn = 0;
  const jobs = new BulkJobs({
    ...{ table: here, store, search: search as unknown as SearchContext },
    ...{
      clock: new VirtualClock(),
      randomId: () => `job${++drawn}`,
      jobsMax: 2,
      executionsMax: 10,
    },
  });
  const request = parseBulkJob({ action: 'retry', ids: ['gone'] }, 10);
  const create = (): Promise<BulkJob> => jobs.create(systemCaller, request, signal);
  await create();
  await create();
  const run = async (id: string): Promise<void> => {
    await there.refresh();
    await changeRecord<BulkJob>(there, id, (job) => ({ ...(job as BulkJob), state: 'RUNNING' }));
  };
  await run('job1');
  // The oldest one runs, which this node has not heard of: the other one goes.
  expect((await create()).id).toBe('job3');
  expect(forgotten).toEqual(['job2']);
  await run('job3');
  await expect(create()).rejects.toMatchObject({ kind: 'conflict' });
  await there.refresh();
  expect([...there.values()].map(({ id }) => id).sort()).toEqual(['job1', 'job3']);
});
