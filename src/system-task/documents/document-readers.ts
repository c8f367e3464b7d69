// The readers of documents that plug-ins bring.
import type { DocumentReader } from './document-reader.js';

export class DocumentReaders {
  constructor(
    private readonly readers: readonly DocumentReader[],
    /** Why a media type that is known is not read here; undefined: it is not known. */
    readonly absence: (mediaType: string) => string | undefined = () => undefined,
  ) {}

  find(mediaType: string): DocumentReader | undefined {
    return this.readers.find((reader) => reader.mediaType === mediaType);
  }
}
