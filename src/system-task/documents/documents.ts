// Documents that tasks name by address: reading them as text and keeping what was made. Addresses
// are http, https, and `file:` inside the folders of the setting documentFolders. Storage behind an
// integration (S3 and the like) is not spoken here, so a task that names one fails and says so.
import { charsetOf, decodedText } from '../decoded-text.js';
import { documentPath } from '../../std/document-path.js';
import type { IsolatedJobs } from '../isolated/isolated-jobs.js';
import { FinalFailure } from '../final-failure.js';
import { headerOf, type OutboundResponse } from '../outbound-request.js';
import type { OutboundClient } from '../outbound-client.js';
import type { Lookup } from '../../std/lookup.js';
import type { DocumentAddress, DocumentReader, LoadedDocument } from './document-reader.js';
import type { DocumentFolders } from './folders.js';
import { extensionOf, mediaTypeOfName } from './media-types.js';

export interface DocumentParts {
  readonly client: OutboundClient;
  readonly isolatedJobs: IsolatedJobs;
  readonly folders: DocumentFolders;
  readonly readers: Lookup<DocumentReader>;
}

const connectTimeMsMax = 10_000;
const silenceMsMax = 60_000;
const plainTypes =
  /^(?:text\/(?!html).*|application\/(?:(?:[\w.+-]+\+)?(?:json|xml)|x?-?ndjson|yaml|x-yaml|csv|sql|javascript))$/;

export class Documents {
  constructor(private readonly parts: DocumentParts) {}

  get folders(): DocumentFolders {
    return this.parts.folders;
  }

  /** The text of a document. Rejects with FinalFailure, or an Error that tells why. */
  async read(run: { readonly signal: AbortSignal }, address: DocumentAddress): Promise<string> {
    return await this.textOf(await this.load(run, address), run.signal);
  }

  async load(
    { signal }: { readonly signal: AbortSignal },
    { url, mediaType }: DocumentAddress,
  ): Promise<LoadedDocument> {
    const given = mediaType.trim().toLowerCase();
    const file = documentPath(url);
    if (file !== undefined) {
      const bytes = await this.parts.folders.read(file);
      return { bytes, mediaType: given || mediaTypeOfName(file), charset: '' };
    }
    const response = await this.#fetch(webAddress(url), signal);
    const contentType = headerOf(response, 'content-type');
    const [sent = ''] = contentType.split(';');
    const isVague = sent.trim() === '' || /octet-stream/.test(sent);
    const named = isVague ? mediaTypeOfName(new URL(url).pathname) : sent.trim().toLowerCase();
    const charset = charsetOf(contentType);
    return { bytes: response.body, mediaType: given || named, charset };
  }

  /** Throws FinalFailure for a type that is not read here. */
  async textOf(document: LoadedDocument, signal: AbortSignal): Promise<string> {
    const { bytes, mediaType, charset } = document;
    const { isolatedJobs, readers } = this.parts;
    const reader = readers.find(mediaType);
    if (reader !== undefined) return await reader.read(isolatedJobs, document, signal);
    if (plainTypes.test(mediaType)) return decodedText(bytes, charset);
    throw new FinalFailure(
      readers.absence(mediaType) ??
        `Documents of the type ${mediaType || '(unknown)'} are not read here`,
    );
  }

  /**
   * Keeps what a task has made: as a file where `location` says, else as a `data:` address that the
   * output carries. `name` without an ending is used when `location` is a folder.
   */
  async keep(
    made: { readonly bytes: Buffer; readonly mimeType: string },
    { location, name }: { readonly location: string; readonly name: string },
  ): Promise<string> {
    const { bytes, mimeType } = made;
    if (location === '') return `data:${mimeType};base64,${bytes.toString('base64')}`;
    const file = documentPath(location);
    if (file === undefined) {
      throw new FinalFailure(
        `inputParameters.outputLocation must be a file: address, not ${location}`,
      );
    }
    const isFolder = file.endsWith('/');
    const target = isFolder ? `${file}${name}${extensionOf(mimeType)}` : file;
    return await this.parts.folders.write(target, bytes);
  }

  async #fetch(url: URL, signal: AbortSignal): Promise<OutboundResponse> {
    const response = await this.parts.client.request({
      url,
      method: 'GET',
      headers: new Map([['accept', '*/*']]),
      body: undefined,
      connectTimeoutMs: connectTimeMsMax,
      readTimeoutMs: silenceMsMax,
      followRedirects: true,
      signal,
    });
    const { statusCode, reasonPhrase } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    const message = `${url.origin}${url.pathname} answered ${statusCode} ${reasonPhrase}`;
    const mayPass = statusCode >= 500 || statusCode === 429 || statusCode === 408;
    throw mayPass ? new Error(message) : new FinalFailure(message);
  }
}

function webAddress(url: string): URL {
  if (URL.canParse(url)) {
    const parsed = new URL(url);
    if (parsed.protocol === 'http:' || parsed.protocol === 'https:') return parsed;
  }
  throw new FinalFailure(`Documents are read from http, https and file addresses, not ${url}`);
}
