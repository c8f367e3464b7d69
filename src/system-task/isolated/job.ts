// Work that would hold up the event loop for long, or that a hostile document could make so: it is
// carried out by a process of its own (isolated-jobs.ts), which is ended when it takes too long.

/** The order that a process receives. */
export interface JobOrder {
  /** Module that exports a function `run`. */
  readonly program: string;
  /** Given to `run`. */
  readonly order: unknown;
  readonly resultBytesMax: number;
}

export type JobAnswer =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly reason: string };
