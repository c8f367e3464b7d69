// Documents that are small and take much time or memory to read: each ends in a refusal within its
// limits, and the loop of the server turns meanwhile.
import { constants, deflateRawSync } from 'node:zlib';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/std/clock.js';
import { IsolatedJobs } from '../../../src/system-task/isolated/isolated-jobs.js';
import type { ReadOrder } from '../../../plugins/documents/src/read-program.js';
import { spreadsheet } from '../../../plugins/rules/test/spreadsheet.js';
import { type BuiltWorker, buildWorker } from '../../sandbox/built-worker.js';

const mebibyte = 1024 * 1024;
const resultBytesMax = mebibyte;
const outOfBounds =
  /needed more than \d+ MB of memory|took longer than \d+ ms|longer than \d+ bytes|Invalid string length|more than \d+ cells/;

/** A program of a plug-in, and what it is told to do. */
type Job = readonly [program: () => BuiltWorker, order: unknown];

let worker: BuiltWorker;
let reader: BuiltWorker;
let tables: BuiltWorker;
const never = new AbortController().signal;
beforeAll(() => {
  worker = buildWorker('src/system-task/isolated/worker');
  reader = buildWorker('plugins/documents/src/read-program');
  tables = buildWorker('plugins/rules/src/table-program');
});
afterAll(() => {
  for (const each of [worker, reader, tables]) each.remove();
});

function isolatedJobs(timeMsMax: number): IsolatedJobs {
  const limits = { timeMsMax, processesMax: 2, resultBytesMax };
  return new IsolatedJobs({ ...limits, clock: systemClock, workerUrl: worker.url });
}

const reading = (form: ReadOrder['form'], text: string | Buffer): Job => [
  () => reader,
  { form, bytes: Buffer.from(text), charset: '' },
];
const rules = (format: 'csv' | 'xlsx', bytes: Buffer): Job => [() => tables, { bytes, format }];

function runs(timeMsMax: number, [program, order]: Job): Promise<unknown> {
  return isolatedJobs(timeMsMax).run(program().url, order, never);
}

/** A PDF of one page whose content is so many MiB of blanks once it is unpacked. */
function pdfBomb(mebibytes: number): Buffer {
  const blanks = Buffer.alloc(mebibyte, ' ');
  const block = deflateRawSync(blanks, { finishFlush: constants.Z_FULL_FLUSH });
  const blocks = new Array<Buffer>(mebibytes).fill(block);
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks]);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>',
  ].map((text, i) => Buffer.from(`${i + 1} 0 obj${text}endobj\n`));
  const head = Buffer.from(`4 0 obj<</Filter/FlateDecode/Length ${packed.length}>>stream\n`);
  const tail = Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n');
  return Buffer.concat([Buffer.from('%PDF-1.4\n'), ...objects, head, packed, tail]);
}

/** A spreadsheet whose text is one entity that names others, ten times each. */
function entityBomb(): Buffer {
  const entities = Array.from({ length: 12 }, (_, i) => {
    const value = i === 0 ? 'ha' : `&e${i - 1};`.repeat(10);
    return `<!ENTITY e${i} "${value}">`;
  });
  const sheet = `<!DOCTYPE x [${entities.join('')}]><worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&e11;</t></is></c></row></sheetData></worksheet>`;
  return withSheet(sheet);
}

/** One cell far from the first: a table of a billion empty cells. */
function farCell(): Buffer {
  const far = '<c r="XFD1048576"><v>1</v></c>';
  return withSheet(`<worksheet><sheetData><row r="1048576">${far}</row></sheetData></worksheet>`);
}

function withSheet(xml: string): Buffer {
  const small = spreadsheet([['a']]);
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const sheet = xml.replace('<worksheet>', `<worksheet xmlns="${main}">`);
  const entries = { ...unzipSync(small), 'xl/worksheets/sheet1.xml': Buffer.from(sheet) };
  return Buffer.from(zipSync(entries, { level: 9 }));
}

describe('a document that', { timeout: 60_000 }, () => {
  it.each([
    ['unpacks to 3 GiB (PDF)', reading('pdf', pdfBomb(3000))],
    ['has lines of 4 MB for each record (CSV)', reading('csv', longColumn())],
    ['is deep and so indented (JSON)', reading('json', deepJson())],
    ['takes time that grows with its square (HTML)', reading('html', blankRuns())],
    ['gives more than a result may have (HTML)', reading('html', 'a'.repeat(2 * mebibyte))],
    ['has one cell far away (XLSX)', rules('xlsx', farCell())],
    ['has more cells than a table may (CSV)', rules('csv', Buffer.alloc(mebibyte, ','))],
  ])('%s is refused', async (_what, job) => {
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);
    try {
      await expect(runs(1500, job)).rejects.toThrow(outOfBounds);
      expect(turns).toBeGreaterThan(5);
    } finally {
      clearInterval(turning);
    }
  });
});

it('an entity of a spreadsheet is not replaced by what it names', async () => {
  const table = await runs(30_000, rules('xlsx', entityBomb()));
  expect(table).toEqual({ columns: new Map([['&e11;', 0]]), rows: [] });
});

function longColumn(): string {
  return `${'c'.repeat(2 * mebibyte)}\n${'1\n'.repeat(mebibyte)}`;
}

function deepJson(): string {
  const depth = 3000;
  return '['.repeat(depth) + '1,'.repeat(mebibyte) + '1' + ']'.repeat(depth);
}

function blankRuns(): string {
  return `<pre>${' '.repeat(4 * mebibyte)}x</pre>`;
}
