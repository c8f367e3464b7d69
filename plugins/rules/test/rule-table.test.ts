// Rule files as they are read: CSV, spreadsheets, and files that are none or too large.
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readRuleTable, ruleFormatOf, type RuleTable } from '../src/rule-table.js';
import { spreadsheet } from './spreadsheet.js';

const csv = (text: string): Promise<RuleTable> => readRuleTable(Buffer.from(text), 'csv');

describe('a CSV file', () => {
  it('has columns, quotes, blank lines and line breaks of any kind', async () => {
    const table = await csv('\uFEFFkind, price ,"a ""b"""\r\nx,<= 5,"1,\n2"\n\ny,,3');
    expect([...table.columns]).toEqual([
      ['kind', 0],
      ['price', 1],
      ['a "b"', 2],
    ]);
    expect(table.rows).toEqual([
      ['x', '<= 5', '1,\n2'],
      ['y', '', '3'],
    ]);
  });

  it('has a row of names at least', async () => {
    await expect(csv('\n')).rejects.toThrow('no row with the names of columns');
  });

  it('may not be larger than the limit', async () => {
    await expect(csv('a,b\n'.repeat(600_000))).rejects.toThrow('more than 2097152 bytes');
  });
});

describe('a spreadsheet', () => {
  it('gives texts, numbers and truth values of its first sheet', async () => {
    const table = await readRuleTable(
      spreadsheet([
        ['kind', 'price', 'on'],
        ['<=5', 12.5, true],
        ['a & b', null, 'x'],
      ]),
      'xlsx',
    );
    expect([...table.columns.keys()]).toEqual(['kind', 'price', 'on']);
    expect(table.rows).toEqual([
      ['<=5', 12.5, true],
      ['a & b', null, 'x'],
    ]);
  });

  it.each([
    ['no archive', Buffer.from('kind,price'), 'no archive that can be read'],
    ['cut off', spreadsheet([['a']]).subarray(0, 400), 'no archive that can be read'],
    ['too large unpacked', bomb(), 'too large once it is unpacked'],
    ['another archive', Buffer.from(zipSync({ a: Buffer.from('x') })), /./],
  ])('that is %s is refused', async (_what, content, why) => {
    await expect(readRuleTable(content, 'xlsx')).rejects.toThrow(why);
  });
});

/** Claims to be small and is not. */
function bomb(): Buffer {
  const archive = Buffer.from(zipSync({ 'xl/workbook.xml': Buffer.alloc(32 * 1024 * 1024, 32) }));
  const directory = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  archive.writeUInt32LE(10, directory + 24);
  return archive;
}

it('knows the format by the name, else by the content type', () => {
  const url = (path: string): URL => new URL(path, 'http://x');
  expect(ruleFormatOf(url('/a.CSV?x=.xlsx'), '')).toBe('csv');
  expect(ruleFormatOf(url('/a'), 'text/csv; charset=utf-8')).toBe('csv');
  expect(ruleFormatOf(url('/a'), 'text/html')).toBeUndefined();
  expect(() => ruleFormatOf(url('/a.xls'), '')).toThrow('use xlsx');
});
