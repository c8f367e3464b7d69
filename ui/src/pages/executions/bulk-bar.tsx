// One action on the chosen executions or on all that fit the filter, as a bulk job. The server
// fixes the executions and shows them on the job's page, where the job is started.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob, WorkflowStatus } from '../../api/types';
import { ActionDialog, Button, Field } from '../../design/controls';
import { Icon, type IconName } from '../../design/icon';
import { Menu } from '../../design/menu';
import { useServed } from '../../state/features';
import { count } from '../../state/format';
import { useClosed } from '../../state/rights';
import type { View } from '../../state/view';
import { queryOf } from '../../state/search';

interface BulkAction {
  readonly title: string;
  readonly action: BulkJob['action'];
  readonly icon: IconName;
  /** The effect, in a few words. */
  readonly about: string;
  /** Statuses that it is for. */
  readonly fits: readonly WorkflowStatus[];
  /** Why it is for none of them. */
  readonly none: string;
  readonly danger?: boolean;
}

const failed: readonly WorkflowStatus[] = ['FAILED', 'TIMED_OUT'];
const ended: readonly WorkflowStatus[] = [...failed, 'TERMINATED', 'COMPLETED'];

const actions: readonly BulkAction[] = [
  {
    ...{ title: 'Retry', action: 'retry', icon: 'retry', about: 'Failed tasks run again' },
    ...{ fits: [...failed, 'TERMINATED'], none: 'none of them has failed' },
  },
  {
    ...{ title: 'Pause', action: 'pause', icon: 'pause', about: 'No further task starts' },
    ...{ fits: ['RUNNING'], none: 'none of them runs' },
  },
  {
    ...{ title: 'Resume', action: 'resume', icon: 'play', about: 'Paused ones go on' },
    ...{ fits: ['PAUSED'], none: 'none of them is paused' },
  },
  {
    ...{
      title: 'Rerun',
      action: 'rerun',
      icon: 'rerun',
      about: 'From the first task, as they are',
    },
    ...{ fits: ended, none: 'none of them has ended' },
  },
  {
    ...{ title: 'Restart', action: 'restart', icon: 'undo', about: 'From the beginning' },
    ...{ fits: ended, none: 'none of them has ended' },
  },
  {
    ...{ title: 'Terminate', action: 'terminate', icon: 'stop', about: 'They end where they are' },
    ...{ fits: ['RUNNING', 'PAUSED'], none: 'all of them have ended', danger: true },
  },
  {
    ...{ title: 'Remove', action: 'remove', icon: 'x', about: 'They are gone for good' },
    ...{ fits: ended, none: 'none of them has ended', danger: true },
  },
];

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly view: View;
  readonly total: number;
  /** Statuses of those that are meant; undefined: not known yet. */
  readonly statuses: ReadonlySet<WorkflowStatus> | undefined;
  readonly chooseNone: () => void;
}

/** The action that one most likely wants is a button; the others stand in the menu beside it. */
export function BulkBar(props: BulkBarProps): ReactElement | null {
  const { selected, view, total, statuses, chooseNone } = props;
  const [asked, askFor] = useState<BulkAction>();
  const served = useServed();
  const refused = useClosed()({ method: 'POST', path: '/api/bulk-jobs' });
  if (total === 0 || !served('bulk-jobs')) return null;
  const isChosen = selected.size > 0;
  const target = isChosen ? `${count(selected.size)} chosen` : `all ${count(total)}`;
  const refusalOf = ({ fits, none }: BulkAction): string | undefined => {
    if (refused !== undefined || statuses === undefined) return refused;
    return fits.some((status) => statuses.has(status)) ? undefined : `Not possible: ${none}`;
  };
  const first = actions.find((action) => refusalOf(action) === undefined) ?? actions[0];
  return (
    <div className="row" role="group" aria-label="Actions on many executions">
      <span className={isChosen ? 'strong' : 'quiet'}>On {target}:</span>
      {first !== undefined && (
        <Button
          look={isChosen ? 'main' : 'plain'}
          refused={refusalOf(first)}
          onClick={() => askFor(first)}
        >
          <Icon name={first.icon} className="s" />
          {first.title}
        </Button>
      )}
      <Menu
        label={`More actions on ${target}`}
        word="More"
        actions={actions
          .filter((action) => action !== first)
          .map((action, index, shown) => ({
            ...{ title: action.title, icon: action.icon, about: action.about },
            refused: refusalOf(action),
            isApart: action.danger === true && shown[index - 1]?.danger !== true,
            isFinal: action.danger === true,
            act: () => askFor(action),
          }))}
      />
      {isChosen && (
        <Button look="bare" onClick={chooseNone}>
          Choose none
        </Button>
      )}
      {asked !== undefined && (
        <PlanDialog
          action={asked}
          target={target}
          selection={
            isChosen
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
