// Parts of a group of failures that its row and its page share: its name, how it went over time,
// and the button that fixes its executions as a bulk job and shows it; it is started there.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob, FailureGroup } from '../../api/types';
import { Button } from '../../design/controls';
import { ErrorNote } from '../../design/notes';
import { Trend } from '../../design/plot';
import { spanWord } from '../../design/window-choice';
import { useServed } from '../../state/features';
import { count } from '../../state/format';
import { useClosed } from '../../state/rights';

export interface GroupProps {
  readonly group: FailureGroup;
  /** The window that is shown. */
  readonly span: string;
}

interface RetryProps extends GroupProps {
  /** Nothing else is shown: it is the action of the page. */
  readonly isAlone?: boolean;
  /** Shows why it cannot be prepared; by default that stands below the button. */
  readonly onError?: (error: unknown) => void;
}

export function titleOf({ workflowType, ref }: FailureGroup): string {
  return ref === '' ? workflowType : `${workflowType} at ${ref}`;
}

export function GroupTrend({ group, span }: GroupProps): ReactElement {
  const parts = group.trend.join(', ');
  return (
    <Trend
      label={`Over the last ${spanWord(span)}, in twelve parts: ${parts}`}
      values={group.trend}
    />
  );
}

export function RetryGroup(props: RetryProps): ReactElement | null {
  const { group, span, isAlone = false, onError } = props;
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const served = useServed();
  const refused = useClosed()({ method: 'POST', path: '/api/bulk-jobs' });
  if (!served('bulk-jobs')) return null;
  const prepare = async (): Promise<void> => {
    setError(undefined);
    const failureGroup = { fingerprint: group.fingerprint, window: span };
    const body = { action: 'retry', failureGroup, reason: `Retry of failures: ${titleOf(group)}` };
    const { jobId } = await ask<BulkJob>('/api/bulk-jobs', { method: 'POST', body });
    await navigate({ to: `/bulk-jobs/${jobId}` });
  };
  return (
    <>
      <Button
        look={isAlone ? 'main' : 'plain'}
        refused={refused}
        onClick={() => void prepare().catch(onError ?? setError)}
      >
        {group.count === 1 ? 'Retry it' : `Retry all ${count(group.count)}`}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
