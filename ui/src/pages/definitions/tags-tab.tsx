// The tags of a definition: shown, added and removed. They belong to its name, not to a version.
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { ask, type Method } from '../../api/client';
import type { Tag } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { ErrorNote, Loaded } from '../../design/notes';
import { useRefusal } from '../../state/rights';

const tagsPath = (name: string): string =>
  `/api/metadata/workflow/${encodeURIComponent(name)}/tags`;

export function useTags(name: string): UseQueryResult<readonly Tag[]> {
  return useQuery({
    queryKey: ['definition-tags', name],
    queryFn: ({ signal }) => ask<readonly Tag[]>(tagsPath(name), { signal }),
  });
}

export function TagsTab({ name }: { readonly name: string }): ReactElement {
  const tags = useTags(name);
  const client = useQueryClient();
  const refused = useRefusal('WORKFLOW_DEF', name)('UPDATE');
  const [error, setError] = useState<unknown>();
  const send = async (method: Method, tag: Tag): Promise<void> => {
    setError(undefined);
    await ask(tagsPath(name), { method, body: tag });
    await client.invalidateQueries({ queryKey: ['definition-tags', name] });
  };
  return (
    <Loaded query={tags}>
      {(all) => (
        <div className="stack narrow">
          {all.length === 0 && <p className="quiet">It has no tags.</p>}
          <ul className="plain" aria-label="Tags">
            {all.map((tag) => (
              <li key={tag.key + String(tag.value)} className="row">
                <code>
                  {tag.key}:{String(tag.value)}
                </code>
                <Button
                  label={`Remove ${tag.key}:${String(tag.value)}`}
                  refused={refused}
                  onClick={() => void send('DELETE', tag).catch(setError)}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
          {error !== undefined && <ErrorNote error={error} />}
          <NewTag refused={refused} add={(tag) => send('POST', tag).catch(setError)} />
        </div>
      )}
    </Loaded>
  );
}

interface NewTagProps {
  readonly refused: string | undefined;
  readonly add: (tag: Tag) => Promise<void>;
}

function NewTag({ refused, add }: NewTagProps): ReactElement {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refused !== undefined) return;
    void add({ key, value }).then(() => {
      setKey('');
      setValue('');
    });
  };
  return (
    <form onSubmit={submit} className="stack" aria-label="New tag">
      <Field label="Key" value={key} required onChange={setKey} />
      <Field label="Value" value={value} onChange={setValue} />
      <div className="row">
        <Button type="submit" refused={refused}>
          Add tag
        </Button>
      </div>
    </form>
  );
}
