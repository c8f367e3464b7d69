// Who gets or has rights: one of the users and applications, groups or roles that there are.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject } from '../../api/types';
import { Field } from '../../design/controls';

interface SubjectFieldProps {
  readonly label: string;
  /** USER, GROUP or ROLE; applications are users with an id that begins with `app:`. */
  readonly type: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const paths: Readonly<Record<string, readonly [path: string, member: string]>> = {
  USER: ['/api/users?apps=true', 'id'],
  GROUP: ['/api/groups', 'id'],
  ROLE: ['/api/roles', 'name'],
};

export function SubjectField({ label, type, value, onChange }: SubjectFieldProps): ReactElement {
  const [path, member] = paths[type] ?? ['', ''];
  const known = useQuery({
    queryKey: ['pick', path],
    queryFn: ({ signal }) => ask<readonly JsonObject[]>(path, { signal }),
  });
  const all = (known.data ?? []).map((each) => ({
    id: String(each[member]),
    name: typeof each['name'] === 'string' ? each['name'] : String(each[member]),
  }));
  const words = all.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const);
  return (
    <Field
      label={label}
      kind="select"
      required
      value={value}
      options={['', ...all.map(({ id }) => id).sort((a, b) => a.localeCompare(b))]}
      words={{ '': 'Choose', ...Object.fromEntries(words) }}
      onChange={onChange}
    />
  );
}
