// Finished executions of the other server as files, one each: what callers saw of them there, to
// read and never to change; bring-history.ts brings them into this server instead. `downbeat proxy
// --history` answers reads from the files, under the old ids.
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ApiClient } from '../shared/api-client.js';
import { isObject, numberOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { makeFolder } from '../shared/make-folder.js';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

const pageSize = 100;
/** Some servers show no more rows behind one query. */
const rowsOfQueryMax = 5000;
const atOnce = 4;

export interface HistoryScope {
  /** Names of their definitions begin so. */
  readonly prefix: string;
  /** Those that started since then, epoch ms; absent: all. */
  readonly since?: number | undefined;
  readonly say: (sentence: string) => void;
}

export interface HistoryResult {
  readonly written: number;
  /** Files that an earlier run has written. */
  readonly known: number;
}

/** A file name that cannot leave the folder; undefined for what is no id. */
export function historyFile(folder: string, id: string): string | undefined {
  if (!/^[\w-]{8,100}$/.test(id)) return undefined;
  return path.join(folder, id.slice(0, 2), `${id}.json.gz`);
}

/** JSON of an execution; undefined when there is no such file. */
export async function readHistory(folder: string, id: string): Promise<JsonObject | undefined> {
  const file = historyFile(folder, id);
  if (file === undefined || !fs.existsSync(file)) return undefined;
  const read: unknown = JSON.parse((await unzip(fs.readFileSync(file))).toString());
  return isObject(read) ? read : undefined;
}

/** May be run again: what is there stays. */
export async function writeHistory(
  source: ApiClient,
  folder: string,
  { prefix, since, say }: HistoryScope,
): Promise<HistoryResult> {
  makeFolder(folder);
  const count = { written: 0, known: 0 };
  for await (const wanted of finishedThere(source, { prefix, since, say })) {
    for (let at = 0; at < wanted.length; at += atOnce) {
      const outcomes = await Promise.all(
        wanted.slice(at, at + atOnce).map((row) => writeOne(source, folder, row)),
      );
      for (const outcome of outcomes) if (outcome !== 'gone') count[outcome]++;
    }
    say(`${count.written} executions written, ${count.known} were there`);
  }
  return count;
}

/** Rows of finished executions, oldest first; a row may come twice. */
export async function* finishedThere(
  source: ApiClient,
  { prefix, since = 0, say }: HistoryScope,
): AsyncGenerator<JsonObject[]> {
  for await (const rows of pages(source, Math.max(0, since - 1), say))
    yield rows.filter((row) => textOf(row['workflowType']).startsWith(prefix));
}

async function* pages(
  source: ApiClient,
  since: number,
  say: HistoryScope['say'],
): AsyncGenerator<JsonObject[]> {
  let after = since;
  let start = 0;
  for (;;) {
    const query = {
      ...{ start, size: pageSize, sort: 'startTime:ASC', freeText: '*' },
      query: `status IN (COMPLETED,FAILED,TIMED_OUT,TERMINATED) AND startTime>${after}`,
    };
    const answer = await source.patiently(() => source.get('/api/workflow/search', { query }), say);
    const rows = objectsOf(isObject(answer) ? answer['results'] : []);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    start += pageSize;
    const last = startOf(rows.at(-1) ?? {});
    if (start >= rowsOfQueryMax && last - 1 > after) {
      after = last - 1;
      start = 0;
    }
  }
}

function startOf(row: JsonObject): number {
  const { startTime } = row;
  return numberOf(startTime) || Date.parse(textOf(startTime)) || 0;
}

async function writeOne(
  source: ApiClient,
  folder: string,
  row: JsonObject,
): Promise<'written' | 'known' | 'gone'> {
  const id = textOf(row['workflowId']);
  const file = historyFile(folder, id);
  if (file === undefined) return 'gone';
  if (fs.existsSync(file)) return 'known';
  const execution = await source.find(`/api/workflow/${encodeURIComponent(id)}`);
  // Removed there in the meantime.
  if (!isObject(execution)) return 'gone';
  makeFolder(path.dirname(file));
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, await zip(JSON.stringify(execution)));
  fs.renameSync(draft, file);
  const { workflowName, workflowVersion, status, createTime, endTime, correlationId } = execution;
  const cells = [id, workflowName ?? row['workflowType'], workflowVersion, status];
  const line = [...cells, createTime, endTime, correlationId].map(textOf).join('\t');
  fs.appendFileSync(path.join(folder, 'index.tsv'), `${line}\n`);
  return 'written';
}
