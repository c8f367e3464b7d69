// Where a definition stands in the page.
export const definitionAddress = (name: string): string =>
  `/definitions/${encodeURIComponent(name)}`;
