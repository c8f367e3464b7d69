// Work on what users send that holds the thread waits in one line, whatever it is: a caller who
// sends some of each kind has one share.
import { expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { remoteServices } from '../../src/areas/remote-services/area.js';
import { schemas } from '../../src/areas/schemas/area.js';
import { systemCaller } from '../../src/model/caller.js';
import { RecordTables } from '../../src/operation/records/record-tables.js';
import { ThreadTurns } from '../../src/std/thread-turns.js';
import { MemoryRecordStore } from '../operation/records/memory-record-store.js';
import { VirtualClock } from '../support/virtual-clock.js';

const clock = new VirtualClock();

/** What the two areas provide and lend when they begin. */
function begun(threadTurns: ThreadTurns) {
  const tables = new RecordTables(new MemoryRecordStore(), clock, (error) => {
    throw error;
  });
  const around = { access: everythingAllowed, ownership: {}, tags: {}, secretBox: {} };
  const ports = { clock, threadTurns, ...around, starterOf: () => systemCaller };
  const outside = { outbound: {}, describeServer: {}, registerSchemas: {} };
  const room = { tables, redis: {}, facts: {}, metrics: { of: () => ({}) } };
  const settings = { schemaTimeMsMax: 1000, schemasMax: 1 };
  return [schemas, remoteServices].map((area) =>
    area.open({ ...room, settings, ports: { ...ports, ...outside } } as never),
  );
}

/** Time goes on by a millisecond in each turn of the event loop until all is done. */
async function done(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  void work.finally(() => (isOver = true));
  while (!isOver) {
    await new Promise(setImmediate);
    clock.advance(1);
  }
}

it('schemas and proto files are read in the same line', async () => {
  const turns = new ThreadTurns(clock);
  const [ofSchemas, ofServices] = begun(turns);
  const source = { filename: 'a.proto', content: Buffer.from('syntax = "proto3";') };
  const readProto = () => ofServices?.lent.remoteCalls?.readProtos([source]);
  const read: string[] = [];
  // The library is there from now on.
  await done(Promise.all([readProto()]));
  void turns.take('a', () => clock.advance(100));
  const schema = ofSchemas?.ports.schemaReader?.inTurn(systemCaller, () => read.push('schema'));
  const proto = readProto()?.then(() => read.push('proto'));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(read).toEqual([]);
  await done(Promise.all([schema, proto]));
  expect(read.sort()).toEqual(['proto', 'schema']);
});
