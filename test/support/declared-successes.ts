// Which test file sends every success that an area describes. Each operation
// belongs to one file, which asks at its end what it has not seen.
import type { ApiSchemas, DescribedOperation } from '../../testkit/api-schemas.js';

const controlling = 'test/server/routes.test.ts';
const contents = 'test/server/storage/files.test.ts';
const brokers = 'test/server/events/brokers.test.ts';
const setAside = 'test/torture/quarantine.test.ts';
const imported = 'test/server/imported-executions.test.ts';
const others = 'test/server/replies.test.ts';

export type SuccessFile =
  | (typeof controlling | typeof contents | typeof brokers)
  | (typeof setAside | typeof imported | typeof others);

const paths: readonly (readonly [RegExp, SuccessFile])[] = [
  [/^\/api\/(files|external-payload)(\/|$)/, contents],
  [/^\/api\/(workflow|tasks|queue)(\/|$)/, controlling],
  [/^\/api\/admin\/(config|consistency|sweep|task)(\/|$)/, controlling],
];

/** Operations that do not follow their path. */
const names: readonly (readonly [RegExp, SuccessFile])[] = [
  [/^releaseQuarantined$/, setAside],
  [/^importExecution$/, imported],
  [/^(listEventSources|(list|redeliver|discard)DeadLetters)$/, brokers],
  [/^(search|countWorkflows$|groupFailures$|outlineWorkflow$|listWorkflowAudit)/, others],
];

function fileOf({ name, path }: DescribedOperation): SuccessFile {
  const [, byName] = names.find(([pattern]) => pattern.test(name)) ?? [];
  const [, byPath] = paths.find(([pattern]) => pattern.test(path)) ?? [];
  return byName ?? byPath ?? others;
}

/** Successes that the file has to send and has not seen, as `operationId status`. */
export function unseenSuccesses(file: SuccessFile, forms: ApiSchemas): string[] {
  const mine = new Set(
    forms.operations.filter((each) => fileOf(each) === file).map(({ name }) => name),
  );
  if (mine.size === 0) throw new Error(`No operation belongs to ${file}`);
  return forms.successes.filter(
    (reply) => mine.has(reply.split(' ')[0] as string) && !forms.filled.has(reply),
  );
}
