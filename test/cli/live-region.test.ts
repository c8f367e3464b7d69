// Lines drawn in place never grow beyond the terminal, where they could not be drawn again.
import { expect, it } from 'vitest';
import { LiveRegion } from '../../cli/shared/live-region.js';

function terminal(rows: number, columns: number): { written: string[]; region: LiveRegion } {
  const written: string[] = [];
  const region = new LiveRegion({ rows, columns, write: (text) => written.push(text) });
  return { written, region };
}

it('draws again over what it drew, and nothing when nothing changed', () => {
  const { written, region } = terminal(10, 40);
  region.draw(['a', 'b']);
  region.draw(['a', 'b']);
  region.draw(['a', 'c']);
  region.end();
  expect(written).toEqual([
    'a\u001b[K\nb\u001b[K\u001b[J',
    '\r\u001b[1Aa\u001b[K\nc\u001b[K\u001b[J',
    '\n',
  ]);
});

it('keeps the last lines where there are too many, and cuts long ones but no colour', () => {
  const { written, region } = terminal(4, 10);
  region.draw(['1', '2', '3', '\u001b[32mvery long line\u001b[0m']);
  const [text = ''] = written;
  expect(text.replaceAll('\u001b[K', '').replace('\u001b[J', '')).toBe(
    '... 2 more\n3\n\u001b[32mvery lon\u001b[0m…'.replace('... 2 more', '... 2 mo…'),
  );
});

it('draws a line with ends of lines and controls in it as one', () => {
  const { written, region } = terminal(10, 40);
  region.draw(['a\nb\u001b[2J\u001b]0;t\u0007']);
  expect(written).toEqual(['a b[2J]0;t\u001b[K\u001b[J']);
});
