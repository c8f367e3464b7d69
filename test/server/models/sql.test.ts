// JDBC against SQLite files, and against PostgreSQL and MariaDB where their programs are found.
import fs from 'node:fs';
import path from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programNamed, startMariadb, startPostgresql } from '../../support/databases.js';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import type { JsonObject } from '../../../testkit/wire.js';
import { TaskBench } from './task-bench.js';

let bench: TaskBench;
let folder: string;
beforeAll(async () => {
  folder = createFolder();
  bench = await TaskBench.start([
    ...[`--document-folders=${folder}`, '--sql-rows-max=3', '--isolated-job-processes-max=4'],
  ]);
});
afterAll(async () => {
  await bench?.stop();
  removeFolder(folder);
});

function startSqlite(): { url: string; user: string; password: string; stop(): Promise<void> } {
  const file = path.join(folder, 'shop.db');
  new sqlite.Database(file).close();
  fs.appendFileSync(file, '');
  return { url: `jdbc:sqlite:${file}`, user: '', password: '', stop: () => Promise.resolve() };
}

const kinds = [
  { kind: 'SQLite', program: undefined, start: startSqlite, bigint: 'INTEGER' },
  { kind: 'PostgreSQL', program: 'initdb', start: startPostgresql, bigint: 'BIGINT' },
  { kind: 'MariaDB', program: 'mariadbd', start: startMariadb, bigint: 'BIGINT' },
];

for (const { kind, program, start, bigint } of kinds) {
  const isHere = program === undefined || programNamed(program) !== undefined;
  const title = isHere ? `a ${kind} database` : `skipped: ${kind} is not installed here`;
  describe.skipIf(!isHere)(title, () => {
    let database: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      database = await start();
      const { url: datasourceURL, user, password } = database;
      const configuration = { datasourceURL, user, password, jdbcDriver: 'given' };
      await bench.saveProvider(kind, { type: 'relational_db', configuration });
    });
    afterAll(async () => database?.stop());

    const run = (statement: string, more: JsonObject = {}): Promise<JsonObject> =>
      bench.output('JDBC', { integrationName: kind, statement, ...more });
    const reason = async (statement: string, more: JsonObject = {}): Promise<string> => {
      const input = { integrationName: kind, statement, ...more };
      const { status, reasonForIncompletion = '' } = await bench.run('JDBC', input);
      return `${status}: ${reasonForIncompletion}`;
    };

    it('is changed and read, with parameters in their places', async () => {
      await run(`CREATE TABLE item (id INT, name VARCHAR(50), price ${bigint})`, {
        type: 'UPDATE',
      });
      const statement = "INSERT INTO item VALUES (?, '?', ?), (?, ?, 9007199254740993)";
      const parameters = [1, 5, 2, null];
      expect(await run(statement, { type: 'INSERT', parameters })).toMatchObject({
        update_count: 2,
      });
      const select = { type: 'SELECT', parameters: [0] };
      const output = await run('SELECT * FROM item WHERE id > ? ORDER BY id;', select);
      expect(output).toEqual({
        result: [
          { id: 1, name: '?', price: 5 },
          // The client reads the digits as a double.
          { id: 2, name: null, price: Number('9007199254740993') },
        ],
      });
    });

    it('takes a statement back that changes other rows than expected, or fails', async () => {
      const update = 'UPDATE item SET price = 7';
      expect(await reason(update, { type: 'UPDATE', expectedUpdateCount: 1 })).toBe(
        'FAILED: The statement failed: The statement changed 2 rows, 1 were expected',
      );
      expect(await reason('UPDATE none SET a = 1', { type: 'UPDATE' })).toMatch(
        /FAILED: The statement failed: .*none/,
      );
      const seven = { type: 'SELECT', parameters: [7] };
      expect(await run('SELECT id FROM item WHERE price = ?', seven)).toEqual({ result: [] });
      expect(await run(update, { type: 'UPDATE', expectedOutputCount: 2 })).toMatchObject({
        update_count: 2,
      });
    });

    it('gives as many rows as the setting says', async () => {
      const four = [1, 2, 3, 4].map((n) => `SELECT ${n} AS n`).join(' UNION ALL ');
      expect(await reason(four, { type: 'SELECT' })).toMatch(/more than 3 rows \(sqlRowsMax\)/);
      const three = [1, 2, 3].map((n) => `SELECT ${n} AS n`).join(' UNION ALL ');
      expect(await run(three)).toEqual({ result: [{ n: 1 }, { n: 2 }, { n: 3 }] });
    });

    it('gives no more bytes than an answer from outside may have', async () => {
      const long = kind === 'SQLite' ? 'HEX(ZEROBLOB(8000000))' : "REPEAT('x', 16000000)";
      // When the connection ends before its bytes are counted, the output is too large to store.
      expect(await reason(`SELECT ${long} AS n`, { type: 'SELECT' })).toMatch(
        /FAILED.* (longer|larger) than \d+ bytes/,
      );
    });

    it.skipIf(kind === 'SQLite')('keeps its password to itself', async () => {
      const parameters = [database.password];
      const { result } = await run('SELECT LOWER(?) AS p', { type: 'SELECT', parameters });
      expect(result).toEqual([{ p: '***' }]);
      const configuration = { datasourceURL: database.url, user: 'tester', password: 'wrong-one' };
      await bench.saveProvider('wrong', { type: 'relational_db', configuration });
      expect(await reason('SELECT 1', { integrationName: 'wrong' })).toMatch(
        /^FAILED: .*denied|password/,
      );
    });
  });
}

describe('JDBC', () => {
  it.each([
    [{}, /integrationName or connectionId is required/],
    [{ connectionId: 'none' }, /No such integration provider: none/],
    [{ connectionId: 'ai' }, /AI_MODEL, not RELATIONAL_DB/],
    [{ connectionId: 'oracle' }, /datasourceURL must begin with jdbc:postgresql:/],
    [{ connectionId: 'outside' }, /no folder that the setting documentFolders names/],
    [{ connectionId: 'empty' }, /has no datasourceURL/],
  ])('fails without a retry for %j', async (input, reason) => {
    const save = (name: string, configuration: JsonObject): Promise<void> =>
      bench.saveProvider(name, { type: 'relational_db', configuration });
    await save('oracle', { datasourceURL: 'jdbc:oracle:thin:@x' });
    await save('outside', { datasourceURL: 'jdbc:sqlite:/etc/shop.db' });
    await save('empty', {});
    expect(await bench.refusal('JDBC', { statement: 'SELECT 1', ...input })).toMatch(reason);
  });

  it('is checked when it is registered', async () => {
    const inputParameters = { type: 'DROP', statement: 'x' };
    const task = { name: 't', taskReferenceName: 't', type: 'JDBC', inputParameters };
    const answer = await bench.api.request('PUT', '/api/metadata/workflow', [
      { name: 'sql', tasks: [task] },
    ]);
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(/type must be one of SELECT, INSERT, UPDATE, DELETE/),
    ]);
  });
});
