// The failure of the execution that a task started, with a link to it, in place of the reason of
// the task itself, which only repeats it.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { PageLink } from '../../design/page-link';
import { firstLine } from '../../design/reason';
import { causeOf } from '../../state/causes';
import { sentence } from '../../state/format';
import { isFailed, readOutline } from './outline';

interface ChildFailureProps {
  readonly id: string;
  /** Where the child is gone, or of those that the caller may not read. */
  readonly otherwise: ReactNode;
}

export function ChildFailure({ id, otherwise }: ChildFailureProps): ReactElement {
  const child = useQuery({
    queryKey: ['outline', id],
    queryFn: ({ signal }) => readOutline(id, signal),
    retry: false,
  });
  const failed = child.data?.tasks.find(isFailed);
  if (child.data === undefined || failed === undefined) return <>{otherwise}</>;
  const { head } = child.data;
  const reason = causeOf(failed.reasonForIncompletion ?? head.reasonForIncompletion);
  return (
    <div className="cause" data-kind="failed">
      <p>
        <PageLink to={`/executions/${id}`} view={{ task: failed.taskId }} title={id}>
          {failed.referenceTaskName}
        </PageLink>{' '}
        failed in the child {head.workflowName}
        {reason === '' ? '.' : ': '}
        {reason !== '' && <span className="reason">{sentence(firstLine(reason))}</span>}
      </p>
    </div>
  );
}
