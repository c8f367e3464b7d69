// Samples of queues as they are shown: the most of each step, nothing where no sample was taken,
// and only queues that the caller may see.
import { describe, expect, it } from 'vitest';
import { localAdministrator } from '../../../src/model/caller.js';
import {
  queueDepthCodec,
  queueDepths,
  type QueueDepthSample,
} from '../../../src/areas/statistics/queue-depths.js';
import { RecordTable } from '../../../src/operation/records/record-table.js';
import type { RecordStore } from '../../../src/store/record-store.js';

const hourAt = 7_200_000;
const at = (minute: number): number => hourAt + minute * 60_000;
const times = [at(0), at(10), at(20), at(30)];

function shown(samples: readonly QueueDepthSample[], visible: readonly string[]): unknown {
  const table = new RecordTable({} as RecordStore, queueDepthCodec);
  table.applied([table.writeOf({ hourAt, samples })], 1);
  const access = {
    may: (_caller: unknown, _right: unknown, { id }: { id?: string }) =>
      visible.includes(String(id)),
  };
  const asked = { caller: localAdministrator, times, untilAt: at(40) };
  return queueDepths(table, { access } as never, asked);
}

describe('queue depths', () => {
  const samples: readonly QueueDepthSample[] = [
    { at: at(1), waiting: [['a', '', 3]] },
    { at: at(2), waiting: [['a', '', 7]] },
    {
      at: at(11),
      waiting: [
        ['a', '', 1],
        ['b', 'eu', 9],
      ],
    },
    { at: at(31), waiting: [] },
  ];

  it('are the most of each step, fullest queue first, and unknown without a sample', () => {
    expect(shown(samples, ['a', 'b'])).toEqual([
      { taskType: 'b', domain: 'eu', waiting: [0, 9, null, 0] },
      { taskType: 'a', domain: '', waiting: [7, 1, null, 0] },
    ]);
  });

  it('are shown of what the caller may see', () => {
    expect(shown(samples, ['b'])).toEqual([
      { taskType: 'b', domain: 'eu', waiting: [0, 9, null, 0] },
    ]);
  });

  it('of other times are left out', () => {
    expect(shown([{ at: at(55), waiting: [['a', '', 3]] }], ['a'])).toEqual([]);
  });
});
