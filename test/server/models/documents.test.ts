// The tasks of documents and of what models draw, speak and film, against servers on loopback and a
// folder of this machine.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DocumentServer } from '../../support/document-server.js';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import { answerJson, onePixel } from '../../support/model-server.js';
import { TaskBench } from './task-bench.js';

const model = { llmProvider: 'ai', model: 'm' };
const page = `<html><head><title>t</title><style>p{}</style></head><body><h1>Big  News</h1>
  <script>alert(1)</script><p>One &amp; <b>two</b>.</p><ul><li>a</li><li>b</li></ul></body></html>`;
const pageText = 'Big News\n\nOne & two.\n\n- a\n- b';

let bench: TaskBench;
let folder: string;
const web = new DocumentServer();
const fileUrl = (name: string): string => pathToFileURL(path.join(folder, name)).href;
beforeAll(async () => {
  folder = createFolder();
  bench = await TaskBench.start([`--document-folders=${folder}`, '--isolated-job-processes-max=4']);
  await web.start();
});
afterAll(async () => {
  await bench?.stop();
  await web.stop();
  removeFolder(folder);
});

describe('GET_DOCUMENT', () => {
  it.each([
    ['a page', '/page', 'text/html; charset=utf-8', page, pageText],
    ['a text of another charset', '/latin', 'text/plain; charset=latin1', Buffer.from([0xe9]), 'é'],
    ['JSON', '/a.json', 'application/json', '{"a":1}', '{"a":1}'],
    ['what only its name tells', '/notes.md', 'application/octet-stream', '# Hi', '# Hi'],
  ])('reads %s', async (_what, route, type, body, result) => {
    const url = web.serve(route, type, body);
    expect(await bench.output('GET_DOCUMENT', { url })).toEqual({ result });
  });

  it('reads files of the folders that it may, and of no others', async () => {
    fs.writeFileSync(path.join(folder, 'a.txt'), 'from a file');
    expect(await bench.output('GET_DOCUMENT', { url: fileUrl('a.txt') })).toEqual({
      result: 'from a file',
    });
    fs.symlinkSync('/etc/hostname', path.join(folder, 'link.txt'));
    for (const url of [
      'file:///etc/hostname',
      '/etc/hostname',
      fileUrl('link.txt'),
      `${folder}/../x`,
    ]) {
      expect(await bench.refusal('GET_DOCUMENT', { url })).toMatch(
        /is in no folder that the setting documentFolders names/,
      );
    }
    expect(await bench.refusal('GET_DOCUMENT', { url: fileUrl('none') })).toMatch(
      /There is no file/,
    );
  });

  it.each([
    ['ftp://x/y', /read from http, https and file addresses/],
    ['/gone', /\/gone answered 404 Not Found/],
    ['/pixel', /Documents of the type image\/png are not read here/],
    ['/broken.pdf', /The document could not be read: .*PDF/],
  ])('fails without a retry for %s', async (route, reason) => {
    web.serve('/pixel', 'image/png', Buffer.from(onePixel, 'base64'));
    web.serve('/broken.pdf', 'application/pdf', 'no such thing');
    const url = route.startsWith('/') ? web.urlOf(route) : route;
    expect(await bench.refusal('GET_DOCUMENT', { url })).toMatch(reason);
  });
});

describe('PARSE_DOCUMENT', () => {
  it.each([
    [
      '/t.csv',
      'text/csv',
      'name,age\nAda,36\n"Bo, B",7\n',
      'name: Ada, age: 36\nname: Bo, B, age: 7',
    ],
    ['/o.json', 'application/json', '{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'],
    ['/x.md', 'text/markdown', '# Hi', '# Hi'],
  ])('shows %s so that its parts can be read alone', async (route, type, body, whole) => {
    const url = web.serve(route, type, body);
    expect(await bench.output('PARSE_DOCUMENT', { url })).toEqual({ result: [whole] });
  });

  it('cuts a document into chunks', async () => {
    const url = web.serve('/page', 'text/html', page);
    const output = await bench.output('PARSE_DOCUMENT', { url, chunkSize: 12 });
    expect(output['result']).toEqual(['Big News', 'One & two.', '- a\n- b']);
  });

  it('names the storage that it does not speak, and JSON that is none', async () => {
    const url = web.serve('/bad.json', 'application/json', '{');
    expect(await bench.refusal('PARSE_DOCUMENT', { url })).toMatch(/it is not JSON/);
    expect(await bench.refusal('PARSE_DOCUMENT', { url, integrationName: 's3' })).toMatch(
      /not through the integration s3/,
    );
  });
});

describe('CHUNK_TEXT and LIST_FILES', () => {
  it('cut a text, and list files by their endings', async () => {
    const sentence = 'This is a sentence of forty characters. ';
    const output = await bench.output('CHUNK_TEXT', { text: sentence.repeat(5), chunkSize: 100 });
    expect(output['text']).toEqual([
      ...[sentence.repeat(2).trim(), sentence.repeat(2).trim(), sentence.trim()],
    ]);
    fs.mkdirSync(path.join(folder, 'tree/deep'), { recursive: true });
    for (const name of ['tree/b.md', 'tree/a.PDF', 'tree/deep/c.md', 'tree/d']) {
      fs.writeFileSync(path.join(folder, name), '');
    }
    const inputLocation = fileUrl('tree');
    const all = ['tree/a.PDF', 'tree/b.md', 'tree/d', 'tree/deep/c.md'].map(fileUrl);
    expect(await bench.output('LIST_FILES', { inputLocation })).toEqual({ files: all });
    const outputLocation = fileUrl('listed.json');
    const some = { inputLocation, fileTypes: ['md', '.pdf'], outputLocation };
    const files = all.filter((name) => !name.endsWith('/d'));
    expect(await bench.output('LIST_FILES', some)).toEqual({ files, outputLocation });
    expect(JSON.parse(fs.readFileSync(path.join(folder, 'listed.json'), 'utf8'))).toEqual(files);
    expect(await bench.refusal('LIST_FILES', { inputLocation: 's3://bucket' })).toMatch(/file:/);
  });
});

describe('GENERATE_PDF', () => {
  const markdown = [
    '# Report *2026*\n\nSome **bold**, `code`, ~~gone~~ and [a link](http://x.org).\n',
    '- one\n- [x] two\n  1. deep\n\n> quoted – “so”\n\n```\nlet x\n```\n\n---\n',
    '| a | b |\n|---|---|\n| 1 | **2** |\n\n![pic](http://x/y.png) 漢',
  ].join('\n');

  it('sets Markdown as a PDF that can be read again', async () => {
    const outputLocation = fileUrl('report.pdf');
    const pdfMetadata = { title: 'The report', author: 'Ada' };
    const input = { markdown, outputLocation, pdfMetadata, pageSize: 'letter', theme: 'compact' };
    const output = await bench.output('GENERATE_PDF', input);
    const bytes = fs.readFileSync(path.join(folder, 'report.pdf'));
    expect(output).toEqual({
      result: { location: outputLocation, sizeBytes: bytes.length },
      media: [{ location: outputLocation, mimeType: 'application/pdf' }],
      finishReason: 'COMPLETED',
    });
    const { result } = await bench.output('GET_DOCUMENT', { url: outputLocation });
    for (const words of ['Report 2026', 'bold', 'code', 'a link', '[x] two', '1. deep', 'let x']) {
      expect(result).toContain(words);
    }
    expect(result).toContain('quoted – “so”');
    expect(result).toContain('pic ?');
  });

  it('carries it in the output where no place is named', async () => {
    const output = await bench.output('GENERATE_PDF', { markdown: 'short' });
    const [{ location }] = output['media'] as [{ location: string }];
    const bytes = Buffer.from(location.replace('data:application/pdf;base64,', ''), 'base64');
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(
      await bench.refusal('GENERATE_PDF', { markdown: 'x', outputLocation: 'file:///etc/x.pdf' }),
    ).toMatch(/documentFolders/);
  });
});

describe('a model', () => {
  it('draws', async () => {
    const input = { ...model, prompt: 'a cat', width: 512, n: 1 };
    const png = `data:image/png;base64,${onePixel}`;
    const output = await bench.output('GENERATE_IMAGE', input);
    expect(output).toEqual({ media: [{ location: png, mimeType: 'image/png' }] });
    expect(bench.provider.last.body).toEqual({
      ...{ model: 'm', prompt: 'a cat', n: 1, size: '512x1024' },
    });
    bench.provider.next.push(answerJson({ data: [{ url: 'http://p/1' }, { b64_json: onePixel }] }));
    const two = { ...input, n: 2, outputLocation: `${folder}/`, outputFormat: 'webp' };
    const { media } = await bench.output('GENERATE_IMAGE', two);
    expect(media).toEqual([
      { location: 'http://p/1', mimeType: 'image/webp' },
      { location: fileUrl('t_1.webp'), mimeType: 'image/webp' },
    ]);
  });

  it('speaks', async () => {
    const outputLocation = fileUrl('said.mp3');
    const input = { ...model, text: 'hello', voice: 'nova', outputLocation };
    const { media } = await bench.output('GENERATE_AUDIO', input);
    expect(media).toEqual([{ location: outputLocation, mimeType: 'audio/mpeg' }]);
    expect(fs.readFileSync(path.join(folder, 'said.mp3'), 'utf8')).toBe('spoken: hello');
    expect(bench.provider.last.body).toMatchObject({ voice: 'nova', response_format: 'mp3' });
    expect(await bench.refusal('GENERATE_AUDIO', model)).toMatch(/text or prompt is required/);
  });

  it('films in its own time', async () => {
    bench.provider.next.push(
      answerJson({ id: 'v 0', status: 'queued' }),
      answerJson({ id: 'v 0', status: 'completed' }),
      (response) => {
        response.writeHead(200, { 'Content-Type': 'video/mp4' }).end('film');
      },
    );
    const outputLocation = fileUrl('film.mp4');
    const output = await bench.output('GENERATE_VIDEO', { ...model, prompt: 'x', outputLocation });
    const media = [{ location: outputLocation, mimeType: 'video/mp4' }];
    expect(output).toMatchObject({ media, jobId: 'v 0', status: 'COMPLETED' });
    expect(fs.readFileSync(path.join(folder, 'film.mp4'), 'utf8')).toBe('film');
    expect(bench.provider.last.path).toBe('/v1/videos/v%200/content');
  });

  it('says why a film was not made', async () => {
    bench.provider.next.push(
      answerJson({ id: 'v1', status: 'queued' }),
      answerJson({ id: 'v1', status: 'failed', error: { message: 'too dark' } }),
    );
    const input = { ...model, prompt: 'a cat', duration: 8, maxDurationSeconds: 4, size: '1x1' };
    const task = await bench.run('GENERATE_VIDEO', input);
    expect(task).toMatchObject({
      status: 'FAILED',
      reasonForIncompletion: 'The video was not made: too dark',
      outputData: { jobId: 'v1', status: 'FAILED' },
    });
    const started = bench.provider.asked.filter(({ path: called }) => called === '/v1/videos');
    expect(started.at(-1)?.body).toEqual({
      model: 'm',
      prompt: 'a cat',
      seconds: '4',
      size: '1x1',
    });
  });
});

describe('LLM_INDEX_DOCUMENT', () => {
  it('indexes a document by its address', async () => {
    await bench.saveProvider('kept', { type: 'redis' });
    const url = web.serve('/page', 'text/html', page);
    const space = { vectorDB: 'kept', index: 'i' };
    const embedding = { embeddingModelProvider: 'ai', embeddingModel: 'm' };
    const input = { ...space, ...embedding, url };
    expect(await bench.output('LLM_INDEX_DOCUMENT', input)).toEqual({ docId: url, chunks: 1 });
    const found = await bench.output('LLM_SEARCH_INDEX', { ...space, ...embedding, query: 'two' });
    expect(found['result']).toMatchObject([{ docId: url, text: pageText }]);
  });
});
