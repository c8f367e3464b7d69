// Which resource a grant is for: one of those that there are, or `*` for every one.
import { useQueries, useQuery, type QueryFunctionContext } from '@tanstack/react-query';
import { useCallback, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject } from '../../api/types';
import { NameField, type KnownName } from '../../forms/name-field';
import { describedQuery } from '../../state/resources';
import { memberText } from './resource';
import { typeWord } from './words';

interface TargetFieldProps {
  readonly label: string;
  /** As grants call it, such as WORKFLOW_DEF. */
  readonly type: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
  /** Whether `*` may be chosen. */
  readonly takesAll?: boolean;
}

/** Types whose names are no administrator's records. */
const lists: Readonly<Record<string, readonly [path: string, member: string]>> = {
  WORKFLOW_DEF: ['/api/metadata/workflow/names', ''],
  TASK_DEF: ['/api/metadata/taskdefs', 'name'],
};

/** Types of which there are too many to list, or that are only used. */
const typed = ['WORKFLOW', 'DOMAIN'];

export function TargetField(props: TargetFieldProps): ReactElement {
  const { label, type, value, onChange, takesAll = false } = props;
  const known = useQuery({
    queryKey: ['targets', type],
    queryFn: (asking) => namesOf(type, asking),
    enabled: !typed.includes(type),
  });
  const every = { value: '*', about: `every ${typeWord(type)}` };
  const hint = hintOf(type);
  return (
    <NameField
      label={label}
      value={value}
      known={[...(takesAll && type !== 'TAG' ? [every] : []), ...(known.data ?? [])]}
      required
      {...(hint === undefined ? {} : { hint })}
      noneFits={
        known.data === undefined ? (hint ?? '') : `There is no ${typeWord(type)} of this name yet.`
      }
      onChange={onChange}
    />
  );
}

/** Where what is granted has an id that nobody knows by heart. */
const byId = ['APPLICATION', 'WEBHOOK'];

/** The name that people use for a resource of grants; its id until that is known. */
export function useTargetNames(types: readonly string[]): (type: string, id: string) => string {
  const asked = byId.filter((type) => types.includes(type));
  const found = useQueries({
    queries: asked.map((type) => ({
      queryKey: ['targets', type],
      queryFn: (asking: Asking) => namesOf(type, asking),
    })),
    combine: dataOf,
  });
  const order = asked.join(' ');
  return useCallback(
    (type: string, id: string) => {
      const known = found[order.split(' ').indexOf(type)];
      return known?.find(({ value }) => value === id)?.about ?? id;
    },
    [found, order],
  );
}

/** The names that have come so far: the same list while none of it changes. */
function dataOf<Data>(results: readonly { readonly data?: Data }[]): readonly (Data | undefined)[] {
  return results.map(({ data }) => data);
}

function hintOf(type: string): string | undefined {
  if (type === 'TAG') return 'As key:value';
  return type === 'WORKFLOW' ? 'The id of the execution' : undefined;
}

type Asking = Pick<QueryFunctionContext, 'signal' | 'client'>;

async function namesOf(type: string, asking: Asking): Promise<readonly KnownName[]> {
  const list = lists[type];
  let names: readonly KnownName[];
  if (type === 'TAG') names = await tagsOf(asking.signal);
  else if (list !== undefined) names = await listed(list, asking.signal);
  else names = await recordNames(type, asking);
  const byValue = new Map(names.map((each) => [each.value, each]));
  return [...byValue.values()].sort((a, b) => a.value.localeCompare(b.value));
}

async function tagsOf(signal: AbortSignal): Promise<readonly KnownName[]> {
  const tags = await ask<readonly JsonObject[]>('/api/metadata/tags/grouped', { signal });
  return tags.map(({ tagKey, tagValue }) => ({ value: `${String(tagKey)}:${String(tagValue)}` }));
}

async function listed(
  [path, member]: readonly [string, string],
  signal: AbortSignal,
): Promise<readonly KnownName[]> {
  const answer = await ask<readonly (string | JsonObject)[]>(path, { signal });
  return answer.map((each) =>
    typeof each === 'string' ? { value: each } : named(each, String(each[member])),
  );
}

/** Of the pages of administration that have records of the type. */
async function recordNames(
  type: string,
  { signal, client }: Asking,
): Promise<readonly KnownName[]> {
  // These pages show grants themselves.
  const [{ additions }, { resourceOf }, described] = await Promise.all([
    import('./resources'),
    import('./described'),
    client.fetchQuery(describedQuery),
  ]);
  const all = described.map((each) => resourceOf(each, additions[each.name] ?? {}));
  const names: KnownName[] = [];
  for (const { target, list, records, key, targetId } of all) {
    if (target !== type) continue;
    const answer = await ask<unknown>(list.path, { method: list.method, signal });
    const rows = records === undefined ? (answer as readonly JsonObject[]) : records(answer);
    for (const row of rows) names.push(named(row, targetId?.(row) ?? memberText(row, key)));
  }
  return names;
}

function named(record: JsonObject, value: string): KnownName {
  const name = record['name'];
  return typeof name === 'string' && name !== value ? { value, about: name } : { value };
}
