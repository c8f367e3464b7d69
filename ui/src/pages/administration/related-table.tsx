// A further answer about a record, as a table: runs of a schedule, calls of a webhook, what an
// event handler did. Fields that do not fit into a row stand below it on demand.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject } from '../../api/types';
import { JsonView } from '../../design/json-view';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Reason } from '../../design/reason';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { duration, moment, shortId } from '../../state/format';
import { shownText } from './resource';

/** How a member is shown; `text` by default. */
type CellKind = 'text' | 'time' | 'duration' | 'execution' | 'status';

interface RelatedColumn {
  readonly title: string;
  readonly member: string;
  readonly kind?: CellKind;
}

export interface Related {
  readonly title: string;
  readonly path: string;
  readonly columns: readonly RelatedColumn[];
  /** Makes rows of the answer; by default it is a list of them, or has them as `results`. */
  readonly rows?: (answer: unknown) => readonly JsonObject[];
  /** Adds to the rows what another answer knows of them. */
  readonly fill?: (
    rows: readonly JsonObject[],
    signal: AbortSignal,
  ) => Promise<readonly JsonObject[]>;
  /** Members that a row shows below it. */
  readonly more?: readonly string[];
  readonly empty: string;
}

export function RelatedTable({ related }: { readonly related: Related }): ReactElement {
  const { title, path, rows = rowsOf, fill, empty } = related;
  const query = useQuery({
    queryKey: ['related', path],
    queryFn: async ({ signal }) => {
      const listed = rows(await ask<unknown>(path, { signal }));
      return fill === undefined ? listed : await fill(listed, signal);
    },
  });
  return (
    <section className="stack" aria-label={title}>
      <h3>{title}</h3>
      <Loaded query={query}>
        {(listed) => <RecordTable related={{ ...related, empty }} rows={listed} />}
      </Loaded>
    </section>
  );
}

type RecordTableProps = {
  readonly related: Pick<Related, 'title' | 'columns' | 'more' | 'empty'>;
  readonly rows: readonly JsonObject[];
};

export function RecordTable({ related, rows }: RecordTableProps): ReactElement {
  const { title, columns, more = [], empty } = related;
  const keys = new Map(rows.map((row, index) => [row, String(index)]));
  return (
    <SmallTable
      label={title}
      rows={rows}
      columns={columns.map(smallColumn)}
      keyOf={(row) => keys.get(row) ?? ''}
      empty={empty}
      {...(more.length === 0 ? {} : { more: (row: JsonObject) => <More row={row} names={more} /> })}
    />
  );
}

function More(props: {
  readonly row: JsonObject;
  readonly names: readonly string[];
}): ReactElement {
  const shown = props.names.filter((name) => props.row[name] !== undefined);
  if (shown.length === 0) return <p className="quiet">There is nothing more.</p>;
  return (
    <>
      {shown.map((name) => (
        <JsonView key={name} value={readable(props.row[name])} label={name} />
      ))}
    </>
  );
}

/** Texts that are JSON as what they say, the body of a call too. */
function readable(value: unknown): unknown {
  const read = parsed(value);
  if (read === null || typeof read !== 'object' || Array.isArray(read)) return read;
  const { body } = read as JsonObject;
  return typeof body === 'string' ? { ...read, body: parsed(body) } : read;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function rowsOf(answer: unknown): readonly JsonObject[] {
  if (Array.isArray(answer)) return answer as readonly JsonObject[];
  return ((answer as { readonly results?: readonly JsonObject[] }).results ?? []).slice();
}

function smallColumn({ title, member, kind = 'text' }: RelatedColumn): SmallColumn<JsonObject> {
  const isNumber = kind === 'time' || kind === 'duration';
  const value = (row: JsonObject): string | number | undefined => {
    const known = row[member];
    if (known === undefined || known === null || known === '') return undefined;
    return typeof known === 'number' ? known : shownText(row, [title, member]);
  };
  return { title, isNumber, value, cell: (row) => <Cell row={row} {...{ title, member, kind }} /> };
}

interface CellProps extends Required<RelatedColumn> {
  readonly row: JsonObject;
}

const badStates = new Set(['FAILED', 'TIMED_OUT', 'DEAD', 'nothing waited']);

function Cell({ row, title, member, kind }: CellProps): ReactElement | string {
  const known = row[member];
  if (known === undefined || known === null || known === '') return '';
  if (kind === 'time') return moment(known as number);
  if (kind === 'duration') return duration(known as number);
  if (kind === 'execution') return <Executions ids={known} />;
  const text = shownText(row, [title, member]);
  if (kind === 'status') {
    const word = text.toLowerCase().replaceAll('_', ' ');
    return badStates.has(text) ? (
      <b className="error-text whole">{word}</b>
    ) : (
      <span className="whole">{word}</span>
    );
  }
  return text.length > cutChars ? <Reason text={text} /> : text;
}

const cutChars = 100;

function Executions({ ids }: { readonly ids: unknown }): ReactElement {
  const all = (Array.isArray(ids) ? ids : [ids]).map(String);
  return (
    <>
      {all.map((id) => (
        <PageLink key={id} to={`/executions/${id}`} className="mono whole">
          {shortId(id)}
        </PageLink>
      ))}
    </>
  );
}
