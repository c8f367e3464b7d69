// The failure of the execution that a task started, with a link to it.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { PageLink } from '../../design/page-link';
import { causeOf } from '../../state/causes';
import { sentence } from '../../state/format';
import { isFailed, readOutline } from './outline';

export function ChildFailure({ id }: { readonly id: string }): ReactElement | null {
  const child = useQuery({
    queryKey: ['outline', id],
    queryFn: ({ signal }) => readOutline(id, signal),
    retry: false,
  });
  // It may be gone, or of those that the caller may not read.
  if (child.data === undefined) return null;
  const { head, tasks } = child.data;
  const failed = tasks.find(isFailed);
  if (failed === undefined) return null;
  const reason = causeOf(failed.reasonForIncompletion ?? head.reasonForIncompletion);
  return (
    <div className="cause" data-kind="failed">
      <p>
        <PageLink to={`/executions/${id}`} view={{ task: failed.taskId }} title={id}>
          {failed.referenceTaskName}
        </PageLink>{' '}
        failed in the child {head.workflowName}
        {reason === '' ? '.' : ': '}
        {reason !== '' && <span className="reason">{sentence(reason)}</span>}
      </p>
    </div>
  );
}
