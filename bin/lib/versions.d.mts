/** Each file with the texts in it that hold the version; `VERSION` stands for it. */
export declare const versionPlaces: Readonly<Record<string, readonly string[]>>;

/** The text of a file with the next version; throws an Error for a place that is not there. */
export declare function withVersion(
  name: string,
  text: string,
  version: string,
  next: string,
): string;
