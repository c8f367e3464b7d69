// Documents as plug-ins read them. A part of the contract with plug-ins (docs/plugins.md).

/** Reads documents of a media type as text. */
export interface DocumentReader {
  /** Lower case, without parameters. */
  readonly mediaType: string;
  /** Throws FinalFailure for a document that is not of this type. */
  read(isolatedJobs: PluginJobs, document: LoadedDocument, signal: AbortSignal): Promise<string>;
}

export interface PluginJobs {
  /**
   * Runs the function `run` of a module with `order` in a process of its own, with bounded time,
   * memory and result. Order and result are cloned as between threads. Rejects with an Error that
   * is fit to be shown.
   */
  run(program: URL, order: unknown, signal: AbortSignal): Promise<unknown>;
}

export interface LoadedDocument {
  readonly bytes: Buffer;
  /** Lower case, without parameters. */
  readonly mediaType: string;
  /** Empty when nothing names it. */
  readonly charset: string;
}

/** The document that a task wants to read. */
export interface DocumentAddress {
  readonly url: string;
  /** Empty: as the document's source says. */
  readonly mediaType: string;
}
