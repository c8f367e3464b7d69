// The kinds of administrative records, one line each: what a record is and what its id is.

export const recordKinds = [
  'protection', // what protects the keyspace; the only one is called keyspace
  'schedule', // a workflow schedule; its name
  'event-handler', // what happens with the messages of an event; its name
  'event-queue', // how a queue of a broker is reached, sealed; `type:name`
  'user-form', // a version of a user form; its name and version
  'webhook', // a webhook definition with its secrets sealed; its id
  'outgoing-webhook', // an address that is told of changes, with its secrets sealed; its id
  'user', // a person; its id in lower case
  'former-user', // how often persons of an id were deleted; the id in lower case
  'group', // its id
  'role', // a custom role; its name
  'application', // its id
  'access-key', // its id
  'grant', // what a subject has on a target; subject and target
  'pending-owner', // who is about to create a resource that is stored elsewhere; drawn
  'ended-session', // a token that its person has ended before its time; the token's id
  'session', // a token that was issued to a person; the token's id
  'second-factor', // what makes a person's one-time codes, sealed; the person's id
  'invitation', // an account that somebody may make with its token; its id
  'key-use', // when an access key was used; the key's id
  'administrator-turn', // who may take an administrator away right now; the only one is called administrators
  'provider-link', // which identity of the provider signs in as a person; the person's id
  'secret', // a secret with its value sealed; its name
  'environment', // an environment variable; its name
  'schema', // a version of a schema; version and name
  'prompt', // a version of a prompt; version and name
  'integration-provider', // a provider with its secrets sealed; its name
  'integration-api', // a model or other interface of a provider; both names
  'integration-definition', // what a registered kind of provider asks for; its name
  'token-usage', // tokens that a model used in one day; provider, model and day
  'token-limit', // tokens that a model may use; provider and model
  'remote-service', // a remote service with its methods; its name
  'service-proto', // a proto file of a remote service; service and file name
  'service-breaker', // what somebody has set a service's circuit breaker to; the service
  'tags', // the tags of a resource; its type and id
  'bulk-job', // one operation on many executions and how far it is; its id
  'queue-depth', // how many tasks waited in each queue during an hour; its begin
  'plugin-record', // what a plug-in keeps; its name and an id of its own
  'execution-limit', // how many executions of a workflow may run; the workflow's name
] as const;

export type RecordKind = (typeof recordKinds)[number];
