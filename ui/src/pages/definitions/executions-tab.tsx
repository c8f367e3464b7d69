// The newest executions of a definition.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { listMs } from '../../live/polling';
import { useLiveChanges } from '../../live/queries';
import { counted } from '../../state/format';
import '../executions/executions.css';
import { columnsOf } from '../executions/columns';
import { searchExecutions } from '../../state/search';

const shownMax = 50;

export function ExecutionsTab({ name }: { readonly name: string }): ReactElement {
  const navigate = useNavigate();
  const view = { type: name };
  const found = useQuery({
    queryKey: ['executions-of', name],
    queryFn: ({ signal }) => searchExecutions(view, signal),
    refetchInterval: useLiveChanges('executions', ['executions-of'], listMs),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={found}>
      {({ totalHits, results }) =>
        totalHits === 0 ? (
          <Empty
            action={
              <PageLink to="/run" view={{ name }} className="button plain">
                Run it
              </PageLink>
            }
          >
            It has not run yet, or its executions are past their retention.
          </Empty>
        ) : (
          <div className="stack">
            <PageLink to="/executions" view={view}>
              All {counted(totalHits, 'execution')}
            </PageLink>
            <ListTable
              label="Executions"
              rows={results.slice(0, shownMax)}
              columns={columnsOf({})}
              hasTwoLines
              keyOf={({ workflowId }) => workflowId}
              open={({ workflowId }) => void navigate({ to: `/executions/${workflowId}` })}
            />
          </div>
        )
      }
    </Loaded>
  );
}
