// The tasks of documents on texts, without a server.
import { describe, expect, it } from 'vitest';
import { htmlText } from '../src/html-text.js';
import { tableText } from '../src/table-text.js';
import { chunksOf } from '@downbeat/plugin';

describe('chunks of a text', () => {
  it('end between paragraphs, else sentences, else words, else anywhere', () => {
    const size = { size: 12, overlap: 0 };
    expect(chunksOf('one two\n\nthree four', size)).toEqual(['one two', 'three four']);
    expect(chunksOf('One two. Three four', size)).toEqual(['One two.', 'Three four']);
    expect(chunksOf('alpha beta gamma', size)).toEqual(['alpha beta', 'gamma']);
    expect(chunksOf('abcdefghijklmnop', size)).toEqual(['abcdefghijkl', 'mnop']);
    expect(chunksOf('  ', size)).toEqual([]);
  });

  it('repeat as much as they are asked to, and always come to an end', () => {
    expect(chunksOf('abcdefghij', { size: 4, overlap: 2 })).toEqual([
      ...['abcd', 'cdef', 'efgh', 'ghij'],
    ]);
    expect(chunksOf('abc', { size: 1, overlap: 9 })).toEqual(['a', 'b', 'c']);
    expect(chunksOf('🙂🙂🙂', { size: 3, overlap: 0 }).join('')).toBe('🙂🙂🙂');
  });
});

describe('the text of a page', () => {
  const read = (page: string): string => htmlText(Buffer.from(page), '');

  it.each([
    ['a<br>b<br><br><br>c', 'a\nb\n\nc'],
    ['<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>', '1 2\n3'],
    ['<pre>x\n  y</pre> z', 'x\n  y\n\nz'],
    ['<div>a</div><div>b <i>c</i></div>', 'a\nb c'],
    ['<p>a<script>if (1 < 2) x()</script></p><!-- no --><p>&lt;b&gt;', 'a\n\n<b>'],
    ['<head><title>no</title></head>x', 'x'],
  ])('of %s is %j', (page, text) => {
    expect(read(page)).toBe(text);
  });
});

describe('the text of a table', () => {
  it('names the columns in each line', () => {
    const table = '\ufeffa,b\n1,"x\ny"\n\n2\n';
    expect(tableText(Buffer.from(table), ',')).toBe('a: 1, b: x\ny\na: 2');
    expect(tableText(Buffer.from('a\tb\n1\t2'), '\t')).toBe('a: 1, b: 2');
  });
});
