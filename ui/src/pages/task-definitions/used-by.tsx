// The definitions that have a task of a type.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { WorkflowDef } from '../../api/types';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { visitTasks } from '../../editor/definition-text';

export function UsedBy({ name }: { readonly name: string }): ReactElement {
  const definitions = useQuery({
    queryKey: ['definitions'],
    queryFn: ({ signal }) =>
      ask<WorkflowDef[]>('/api/metadata/workflow/latest-versions', { signal }),
  });
  return (
    <section className="panel" aria-label="Used by">
      <h2>Used by</h2>
      <Loaded query={definitions}>
        {(all) => {
          const users = all.filter((definition) => {
            let isUser = false;
            visitTasks(definition.tasks, (task) => (isUser ||= task.name === name));
            return isUser;
          });
          if (users.length === 0) return <p className="quiet">No definition.</p>;
          return (
            <ul className="plain">
              {users.map((user) => (
                <li key={user.name}>
                  <PageLink to={`/definitions/${encodeURIComponent(user.name)}`}>
                    {user.name}
                  </PageLink>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}
