// One action on the chosen executions or on all that fit the filter, as a bulk job. The server
// fixes the executions and shows them on the job's page, where the job is started.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob } from '../../api/types';
import { ActionDialog, Button, Field } from '../../design/controls';
import { useServed } from '../../state/features';
import { count } from '../../state/format';
import { useClosed } from '../../state/rights';
import type { View } from '../../state/view';
import { queryOf } from '../../state/search';

interface BulkAction {
  readonly title: string;
  readonly action: BulkJob['action'];
  readonly danger?: boolean;
}

const actions: readonly BulkAction[] = [
  { title: 'Pause', action: 'pause' },
  { title: 'Resume', action: 'resume' },
  { title: 'Retry', action: 'retry' },
  { title: 'Rerun', action: 'rerun' },
  { title: 'Restart', action: 'restart' },
  { title: 'Terminate', action: 'terminate', danger: true },
  { title: 'Remove', action: 'remove', danger: true },
];

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly view: View;
  readonly total: number;
  readonly chooseNone: () => void;
}

export function BulkBar({ selected, view, total, chooseNone }: BulkBarProps): ReactElement | null {
  const [asked, askFor] = useState<BulkAction>();
  const served = useServed();
  const refused = useClosed()({ method: 'POST', path: '/api/bulk-jobs' });
  if (total === 0 || !served('bulk-jobs')) return null;
  const target = selected.size > 0 ? `${count(selected.size)} chosen` : `all ${count(total)}`;
  return (
    <div className="row" role="group" aria-label="Actions on many executions">
      <span className={selected.size > 0 ? 'strong' : 'quiet'}>On {target}:</span>
      {actions.map((action) => (
        <Button
          key={action.title}
          look={action.danger === true ? 'danger' : 'plain'}
          refused={refused}
          onClick={() => askFor(action)}
        >
          {action.title}
        </Button>
      ))}
      {selected.size > 0 && (
        <Button look="bare" onClick={chooseNone}>
          Choose none
        </Button>
      )}
      {asked !== undefined && (
        <PlanDialog
          action={asked}
          target={target}
          selection={
            selected.size > 0
              ? { ids: [...selected] }
              : { query: queryOf(view), freeText: view['text'] ?? '*' }
          }
          onClose={() => askFor(undefined)}
        />
      )}
    </div>
  );
}

interface PlanDialogProps {
  readonly action: BulkAction;
  readonly target: string;
  readonly selection: object;
  readonly onClose: () => void;
}

function PlanDialog({ action, target, selection, onClose }: PlanDialogProps): ReactElement {
  const [plan, setPlan] = useState({
    ...{ reason: '', canary: '5', ratePerSecond: '50', stopAfterFailures: '3' },
  });
  const navigate = useNavigate();
  const field = (name: keyof typeof plan, label: string, hint: string): ReactElement => (
    <Field
      label={label}
      hint={hint}
      kind={name === 'reason' ? 'line' : 'number'}
      value={plan[name]}
      onChange={(value) => setPlan({ ...plan, [name]: value })}
    />
  );
  const create = async (): Promise<void> => {
    const body = { action: action.action, ...selection, ...plan };
    const { jobId } = await ask<BulkJob>('/api/bulk-jobs', { method: 'POST', body });
    await navigate({ to: `/bulk-jobs/${jobId}` });
  };
  return (
    <ActionDialog
      title={`${action.title} ${target} executions`}
      effect={
        action.action === 'remove'
          ? 'Removed executions are gone for good. The server fixes which these are and shows them; nothing is done before you start it there.'
          : 'The server fixes which executions these are and shows them. Nothing is done before you start it there.'
      }
      danger={action.danger === true}
      confirm="Preview"
      act={create}
      onClose={onClose}
    >
      {field('reason', 'Reason', 'The history of each execution shows it')}
      {field('canary', 'Canary', 'So many go alone first')}
      {field('ratePerSecond', 'Rate', 'Executions per second')}
      {field('stopAfterFailures', 'Stop after failures', '0: never')}
    </ActionDialog>
  );
}
