// The kinds of administrative records, one line each: what a record is and what its id is.

export const recordKinds = [
  'schedule', // a workflow schedule; its name
] as const;

export type RecordKind = (typeof recordKinds)[number];
