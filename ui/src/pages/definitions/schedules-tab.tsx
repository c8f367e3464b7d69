// The schedules that start a definition, each with its next run.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { WorkflowSchedule } from '../../api/types';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { Button } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { useRefusal } from '../../state/rights';
import { cronInWords } from '../../state/cron';
import { moment } from '../../state/format';

const columns: readonly Column<WorkflowSchedule>[] = [
  {
    title: 'Name',
    cell: ({ name }) => (
      <PageLink to="/schedules" view={{ id: name }}>
        {name}
      </PageLink>
    ),
  },
  { title: 'When', width: 'minmax(160px, 2fr)', cell: whenOf },
  { title: 'Version', width: '80px', cell: versionOf },
  { title: 'Next run', width: '140px', cell: nextOf },
  { title: 'Reason', isOptional: true, cell: ({ pausedReason }) => pausedReason ?? '' },
];

const refetchMs = 10_000;

export function SchedulesTab({ name }: { readonly name: string }): ReactElement {
  const refused = useRefusal('WORKFLOW_SCHEDULE')('CREATE');
  const schedules = useQuery({
    queryKey: ['schedules-of', name],
    queryFn: ({ signal }) =>
      ask<WorkflowSchedule[]>(`/api/scheduler/schedules?workflowName=${encodeURIComponent(name)}`, {
        signal,
      }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={schedules}>
      {(all) =>
        all.length === 0 ? (
          <Empty
            action={
              refused === undefined ? (
                <PageLink to="/schedules" view={{ edit: 'new' }} className="button plain">
                  New schedule
                </PageLink>
              ) : (
                <Button refused={refused}>New schedule</Button>
              )
            }
          >
            No schedule starts {name}.
          </Empty>
        ) : (
          <ListTable
            label="Schedules"
            rows={all}
            columns={columns}
            keyOf={(schedule) => schedule.name}
          />
        )
      }
    </Loaded>
  );
}

/** Each of its cron expressions in words, with its zone. */
function whenOf({ cronExpression = '', zoneId, cronSchedules }: WorkflowSchedule): string {
  const crons =
    cronSchedules.length > 0 ? cronSchedules : [{ cronExpression, zoneId: zoneId as string }];
  return crons
    .map((each) => `${cronInWords(each.cronExpression) || each.cronExpression} (${each.zoneId})`)
    .join('; ');
}

function versionOf({ startWorkflowRequest }: WorkflowSchedule): string {
  const version = startWorkflowRequest['version'];
  return typeof version === 'number' ? String(version) : 'newest';
}

function nextOf({ paused, nextRunTime }: WorkflowSchedule): string {
  if (paused) return 'paused';
  return nextRunTime === undefined ? 'never again' : moment(nextRunTime);
}
