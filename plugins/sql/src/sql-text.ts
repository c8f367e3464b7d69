// Statements of JDBC tasks: which placeholder stands where, and what kind of database an address
// names (semantics 4.23).
import { FinalFailure } from '@downbeat/plugin';

export interface DatabaseAddress {
  readonly kind: 'postgresql' | 'mysql' | 'sqlite';
  readonly host: string;
  readonly port: number;
  /** Of SQLite: the path of its file. */
  readonly database: string;
  readonly usesTls: boolean;
}

const ports = { postgresql: 5432, mysql: 3306 } as const;

/** `jdbc:postgresql://host:port/name?ssl=true` and its like. Throws FinalFailure. */
export function parseDatabaseAddress(address: string): DatabaseAddress {
  const [, scheme = '', rest = ''] = /^jdbc:(\w+):(.*)$/s.exec(address.trim()) ?? [];
  const kind = scheme === 'mariadb' ? 'mysql' : scheme;
  if (kind === 'sqlite') {
    return { kind, host: '', port: 0, database: rest.replace(/\?.*$/s, ''), usesTls: false };
  }
  if (kind !== 'postgresql' && kind !== 'mysql') {
    throw new FinalFailure(
      'The datasourceURL must begin with jdbc:postgresql:, jdbc:mysql:, jdbc:mariadb: or jdbc:sqlite:',
    );
  }
  if (!URL.canParse(`http:${rest}`)) throw new FinalFailure('The datasourceURL is not valid');
  const url = new URL(`http:${rest}`);
  const port = Number(/^\/\/[^/]*?:(\d+)(?:[/?]|$)/.exec(rest)?.[1] ?? ports[kind]);
  return {
    kind,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    database: decodeURIComponent(url.pathname.slice(1)),
    usesTls: isTls(url.searchParams),
  };
}

function isTls(parameters: URLSearchParams): boolean {
  if (['ssl', 'useSSL', 'requireSSL'].some((name) => parameters.get(name) === 'true')) return true;
  const mode = (parameters.get('sslmode') ?? parameters.get('sslMode') ?? '').toLowerCase();
  return [
    'require',
    'required',
    'trust',
    'verify-ca',
    'verify_ca',
    'verify-full',
    'verify_identity',
  ].includes(mode);
}

/** Texts, quoted names and comments, in which a question mark is no placeholder. */
const quoted =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|(\?)/g;

/** The statement with `$1`, `$2` … in place of each `?`. */
export function numberedPlaceholders(statement: string): string {
  let count = 0;
  return statement.replace(quoted, (part: string, _tag: unknown, mark: string | undefined) =>
    mark === undefined ? part : `$${++count}`,
  );
}
