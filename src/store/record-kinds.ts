// The kinds of administrative records, one line each: what a record is and what its id is.

export const recordKinds = [
  'schedule', // a workflow schedule; its name
  'user-form', // a version of a user form; its name and version
  'webhook', // a webhook definition with its secrets sealed; its id
  'user', // a person; its id in lower case
  'group', // its id
  'role', // a custom role; its name
  'application', // its id
  'access-key', // its id
  'grant', // what a subject has on a target; subject and target
  'ended-session', // a token that its person has ended before its time; the token's id
  'secret', // a secret with its value sealed; its name
  'environment', // an environment variable; its name
  'tags', // the tags of a resource; its type and id
  'execution-limit', // how many executions of a workflow may run; the workflow's name
] as const;

export type RecordKind = (typeof recordKinds)[number];
