// JDBC (semantics 4.23): one SQL statement on a database that an integration names, in a
// transaction of its own: when it fails, or changes another number of rows than expected, nothing
// has changed.
import {
  type Json,
  textFrom,
  toJsonText,
  FinalFailure,
  isFinalFailure,
  documentPath,
  configured,
  required,
  completed,
  failed,
  type PluginServices,
  type TaskRun,
  integerFrom,
  list,
  requiredText,
  parameterTask,
  type TaskInput,
  text,
} from '@downbeat/plugin';
import type { DatabaseTarget, SqlLimits, SqlResult, SqlStatement, SqlValue } from './database.js';
import { parseDatabaseAddress } from './sql-text.js';
import type { SqliteOrder } from './sqlite-program.js';

/** Runs in a process of its own. */
const sqliteProgram = new URL('./sqlite-program.js', import.meta.url);

const parameters = {
  integrationName: text,
  connectionId: text,
  type: { kind: 'text', oneOf: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
  statement: requiredText,
  parameters: list,
  expectedUpdateCount: integerFrom(0),
  expectedOutputCount: integerFrom(0),
} as const;
type JdbcServices = Pick<
  PluginServices,
  'integrations' | 'folders' | 'isolatedJobs' | 'sockets' | 'sqlRowsMax' | 'requestTimeMsMax'
>;

export const jdbcTask = parameterTask({
  name: 'JDBC',
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`integrationName`' }],
  parameters,
  lane: ({ integrationName, connectionId }) => textFrom(integrationName ?? connectionId),
  async run(services, run, input) {
    const target = await targetOf(services, run, input);
    const statement = statementOf(input);
    try {
      const result = await carryOut(services, target, statement, run.signal);
      if ('rows' in result) return completed(run, { result: [...result.rows] });
      return completed(run, { update_count: result.count, result: result.count });
    } catch (error) {
      if (isFinalFailure(error)) throw error;
      return failed(`The statement failed: ${reasonOf(error)}`);
    }
  },
});

async function targetOf(
  { integrations }: JdbcServices,
  run: TaskRun,
  input: TaskInput,
): Promise<DatabaseTarget> {
  const name = input.text('integrationName') || input.text('connectionId');
  if (name === '') {
    throw new FinalFailure('inputParameters.integrationName or connectionId is required');
  }
  const integration = await integrations.provider(run, name, ['RELATIONAL_DB']);
  const address = parseDatabaseAddress(required(integration, 'datasourceURL'));
  const user = configured(integration, 'user');
  return { ...address, user, password: configured(integration, 'password') };
}

function statementOf(input: TaskInput): SqlStatement {
  const given = input.text('statement');
  const type = input.text('type').toUpperCase();
  return {
    text: given.trim().replace(/;\s*$/, ''),
    parameters: input.list('parameters').map(toSqlValue),
    isQuery: type === '' ? /^\s*(?:select|with|values|show)\b/i.test(given) : type === 'SELECT',
    expectedCount: input.number('expectedUpdateCount') ?? input.number('expectedOutputCount'),
  };
}

/** Objects and lists go as their JSON text. */
function toSqlValue(value: Json): SqlValue {
  return typeof value === 'object' && value !== null ? toJsonText(value) : value;
}

async function carryOut(
  services: JdbcServices,
  target: DatabaseTarget,
  statement: SqlStatement,
  signal: AbortSignal,
): Promise<SqlResult> {
  const { sockets, sqlRowsMax: rowsMax, requestTimeMsMax: timeMsMax } = services;
  const limits: SqlLimits = { rowsMax, timeMsMax, signal };
  const open = (): ReturnType<typeof sockets.open> => sockets.open(target.host, target.port);
  switch (target.kind) {
    case 'postgresql':
      return await (await import('./postgresql.js')).runPostgresql(target, statement, limits, open);
    case 'mysql':
      return await (await import('./mysql.js')).runMysql(target, statement, limits, open);
    case 'sqlite':
      return await runSqlite(services, target, statement, limits);
  }
}

async function runSqlite(
  { folders, isolatedJobs }: JdbcServices,
  { database }: DatabaseTarget,
  { text: statement, parameters: values, isQuery, expectedCount }: SqlStatement,
  { rowsMax, signal }: SqlLimits,
): Promise<SqlResult> {
  const path = documentPath(database);
  if (path === undefined) {
    throw new FinalFailure('The datasourceURL of SQLite must name a file by its absolute path');
  }
  const file = await folders.existing(path);
  const bound = values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const order: SqliteOrder = {
    ...{ file, statement, isQuery, rowsMax, expectedCount },
    parameters: bound,
  };
  return (await isolatedJobs.run(sqliteProgram, order, signal)) as SqlResult;
}

function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const message = inner instanceof Error ? inner.message || inner.name : String(inner);
  return message.slice(0, 2000);
}
