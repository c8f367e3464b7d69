// Tells which things have changed in what a search looks at, removed ones too (text-index.ts).
export interface ChangeFeed<Id> {
  /** From now on. */
  begin(): Promise<void>;
  /**
   * Those that changed since `begin` or the call before, each once; undefined when that was too
   * long ago to tell. One call at a time.
   */
  next(): Promise<ReadonlySet<Id> | undefined>;
}
