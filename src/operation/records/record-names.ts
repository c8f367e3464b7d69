// Which fields of a record callers name it by, for every kind: a new record is refused when such a
// name would read as more than one resource in a grant (access/resource-names.ts). A kind without
// an entry does not compile.
import type { TargetType } from '../../access/access-rules.js';
import { checkResourceName, everyId } from '../../access/resource-names.js';
import type { RecordKind } from '../../store/record-kinds.js';

interface Named {
  /** The first one holds what grants on the target name it by. */
  readonly fields: readonly string[];
  readonly target?: TargetType;
}

type Unnamed = 'its id is drawn' | 'it belongs to another' | 'no grant names it';

const drawn = 'its id is drawn';
const belongs = 'it belongs to another';
const ungranted = 'no grant names it';

function named(target: TargetType, ...fields: string[]): Named {
  return { target, fields };
}

export const recordNames: Readonly<Record<RecordKind, Named | Unnamed>> = {
  schedule: named('WORKFLOW_SCHEDULE', 'name'),
  'event-handler': named('EVENT_HANDLER', 'name'),
  'event-queue': ungranted,
  'user-form': named('USER_FORM_TEMPLATE', 'name'),
  webhook: named('WEBHOOK', 'id', 'name'),
  'outgoing-webhook': named('WEBHOOK', 'id', 'name'),
  user: named('USER', 'id'),
  'former-user': belongs,
  group: named('GROUP', 'id'),
  role: named('ROLE', 'name'),
  application: named('APPLICATION', 'id', 'name'),
  'access-key': drawn,
  grant: belongs,
  'pending-owner': drawn,
  'ended-session': drawn,
  protection: ungranted,
  session: drawn,
  'second-factor': belongs,
  invitation: drawn,
  'key-use': belongs,
  'administrator-turn': ungranted,
  'provider-link': belongs,
  secret: named('SECRET_NAME', 'name'),
  environment: named('ENV_VARIABLE', 'name'),
  schema: named('SCHEMA', 'name'),
  prompt: named('PROMPT', 'name'),
  'integration-provider': named('INTEGRATION_PROVIDER', 'name'),
  'integration-api': { fields: ['api'] },
  'integration-definition': { fields: ['name'] },
  'token-usage': belongs,
  'token-limit': belongs,
  'remote-service': named('SERVICE_REGISTRY', 'name'),
  'service-proto': belongs,
  'service-breaker': belongs,
  tags: belongs,
  'bulk-job': drawn,
  'queue-depth': drawn,
  'plugin-record': ungranted,
  'execution-limit': belongs,
};

/** Of a record that is not there yet. Throws AppError 'bad-request'. */
export function checkRecordNames(kind: RecordKind, record: unknown): void {
  const names = recordNames[kind];
  if (typeof names === 'string') return;
  for (const field of names.fields) {
    const name = fieldOf(record, field);
    if (typeof name !== 'string') continue;
    // The ids of users rest in lower case: they may not be one of the forms in another case either.
    checkResourceName(field, kind === 'user' ? name.toUpperCase() : name);
  }
}

/** The type by which grants name records of the kind, where they do. */
export function targetTypeOf(kind: RecordKind): TargetType | undefined {
  const names = recordNames[kind];
  return typeof names === 'string' ? undefined : names.target;
}

/** Whether a record that an earlier version took has the name that means all of its type. */
export function isNamedEvery(kind: RecordKind, record: unknown): boolean {
  const names = recordNames[kind];
  if (typeof names === 'string' || names.target === undefined) return false;
  const [field = ''] = names.fields;
  return fieldOf(record, field) === everyId;
}

function fieldOf(record: unknown, field: string): unknown {
  return (record as Readonly<Record<string, unknown>>)[field];
}
