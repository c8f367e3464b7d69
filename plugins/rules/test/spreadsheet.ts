// Makes small spreadsheets for tests.
import { zipSync } from 'fflate';

type Cell = string | number | boolean | null;

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const documents = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** An xlsx file with one sheet of these rows. */
export function spreadsheet(rows: readonly (readonly Cell[])[]): Buffer {
  const link = (type: string, target: string): string =>
    `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${documents}/${type}" Target="${target}"/></Relationships>`;
  const files = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': link('officeDocument', 'xl/workbook.xml'),
    'xl/_rels/workbook.xml.rels': link('worksheet', 'worksheets/sheet1.xml'),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${documents}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${rows.map(toRow).join('')}</sheetData></worksheet>`,
  };
  const bytes = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const);
  return Buffer.from(zipSync(Object.fromEntries(bytes)));
}

function toRow(cells: readonly Cell[], index: number): string {
  const row = index + 1;
  const shown = cells.map((cell, column) =>
    toCell(cell, `${String.fromCharCode(65 + column)}${row}`),
  );
  return `<row r="${row}">${shown.join('')}</row>`;
}

function toCell(cell: Cell, place: string): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  const text = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
}
