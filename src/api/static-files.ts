// Files that a build left in a folder, held in memory with their compressed forms, and answers with
// them: the page and the handbook.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ApiRequest, ApiResponse } from './http-server.js';

export interface StaticFile {
  readonly contentType: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** 304 where the client has it already. `cacheControl` and `more` go with either answer. */
export function fileAnswer(
  file: StaticFile,
  http: ApiRequest,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): ApiResponse {
  const headers = {
    ETag: file.etag,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': cacheControl,
    ...more,
  };
  if (http.header('if-none-match').includes(file.etag)) return { status: 304, headers };
  const accepted = http.header('accept-encoding');
  const answer = { status: 200, contentType: file.contentType };
  if (file.brotli !== undefined && /\bbr\b/.test(accepted)) {
    return { ...answer, headers: { ...headers, 'Content-Encoding': 'br' }, body: file.brotli };
  }
  if (file.gzip !== undefined && /\bgzip\b/.test(accepted)) {
    return { ...answer, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: file.gzip };
  }
  return { ...answer, headers, body: file.plain };
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html;charset=UTF-8',
  '.js': 'text/javascript;charset=UTF-8',
  '.css': 'text/css;charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.md': 'text/markdown;charset=UTF-8',
  '.png': 'image/png',
  '.txt': 'text/plain;charset=UTF-8',
  '.webp': 'image/webp',
};

/** Files of the kinds above by their path in the folder, with a slash before it. */
export function readFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!fs.existsSync(folder)) return files;
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    const contentType = contentTypes[path.extname(name)];
    if (contentType === undefined || !fs.statSync(file).isFile()) continue;
    const plain = fs.readFileSync(file);
    files.set(`/${name.split(path.sep).join('/')}`, {
      contentType,
      etag: etagOf(plain),
      plain,
      brotli: readIfAny(`${file}.br`),
      gzip: readIfAny(`${file}.gz`),
    });
  }
  return files;
}

/**
 * Files of a folder that are read when they are first asked for, as few people ask; so is the list
 * of them. A text lies there as NAME or, packed, as NAME.gz alone.
 */
export class LazyFiles {
  /** Path on the disk by path in the folder, with a slash before it. */
  #places: ReadonlyMap<string, string> | undefined;
  readonly #read = new Map<string, StaticFile>();

  constructor(private readonly folder: string) {}

  get isEmpty(): boolean {
    return this.#listed().size === 0;
  }

  get(asked: string): StaticFile | undefined {
    const known = this.#read.get(asked);
    const place = this.#listed().get(asked);
    if (known !== undefined || place === undefined) return known;
    const bytes = fs.readFileSync(place);
    const gzip = place.endsWith('.gz') ? bytes : undefined;
    const plain = gzip === undefined ? bytes : gunzipSync(gzip);
    const contentType = contentTypes[path.extname(asked)] ?? '';
    const file = { contentType, etag: etagOf(plain), plain, brotli: undefined, gzip };
    this.#read.set(asked, file);
    return file;
  }

  #listed(): ReadonlyMap<string, string> {
    return (this.#places ??= placesIn(this.folder));
  }
}

function placesIn(folder: string): Map<string, string> {
  const places = new Map<string, string>();
  if (!fs.existsSync(folder)) return places;
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const asked = `/${name.split(path.sep).join('/').replace(/\.gz$/, '')}`;
    if (contentTypes[path.extname(asked)] === undefined) continue;
    places.set(asked, path.join(folder, name));
  }
  return places;
}

function etagOf(plain: Buffer): string {
  return `"${createHash('sha256').update(plain).digest('hex').slice(0, 20)}"`;
}

function readIfAny(file: string): Buffer | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
}
