// One execution: why it does not go on, what it did, and what can be done about it.
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { FactList, type Facts as FactsOf } from '../../design/fact-list';
import { PageLink } from '../../design/page-link';
import { Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Status } from '../../design/status';
import { Tabs } from '../../design/tabs';
import { duration, moment } from '../../state/format';
import { useLetters } from '../../state/letter-keys';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';
import { Children, childTasks } from './children';
import { Compare } from './compare';
import { ControlDialog, controls, refusalOf, type ControlName } from './controls';
import { ExecutionGraph } from './execution-graph';
import { History } from './history';
import { outlinePath, useOutline, type Outline } from './outline';
import { Payloads, WholeJson } from './payloads';
import { RetryWithEdits } from './retry-with-edits';
import { TaskDrawer } from './task-drawer';
import { TasksTable } from './tasks-table';
import { TimeTravel, TimeTravelButton, useOutlineAt } from './time-travel';
import { Timeline } from './timeline';
import { Upgrade, upgradeRefusal } from './upgrade';
import { WhyPanel } from './why-panel';
import { Button } from '../../design/controls';

export function Execution(): ReactElement {
  const { id } = useParams({ strict: false }) as { id: string };
  const outline = useOutline(id);
  return (
    <Loaded
      query={outline}
      title="Execution"
      gone="It was removed, it is past its retention, or it never was."
    >
      {(loaded) => <LoadedExecution key={id} outline={loaded} />}
    </Loaded>
  );
}

type Opened = ControlName | 'retry-with-edits' | 'upgrade' | undefined;

function LoadedExecution({ outline }: { readonly outline: Outline }): ReactElement {
  const { head } = outline;
  const [view, change] = useView();
  const [opened, open] = useState<Opened>();
  const navigate = useNavigate();
  const lacks = useRefusal('WORKFLOW_DEF', head.workflowName)('EXECUTE');
  const close = (): void => open(undefined);
  const openIf = (name: ControlName, dialog: Opened = name): void => {
    if (lacks === undefined && refusalOf(name, head.status) === undefined) open(dialog);
  };
  useLetters({
    r: () => openIf('retry', 'retry-with-edits'),
    p: () => openIf(head.status === 'PAUSED' ? 'resume' : 'pause'),
  });
  const past = useOutlineAt(outline);
  const showTask = (taskId: string): void => change({ task: taskId });
  return (
    <>
      <PageHead
        title={head.workflowName}
        aside={<Status status={head.status} />}
        call={{ method: 'GET', path: outlinePath(head.workflowId) }}
      />
      <Facts outline={outline} />
      <div className="row" role="group" aria-label="Controls">
        <Button
          look={head.status === 'FAILED' ? 'main' : 'plain'}
          refused={lacks ?? refusalOf('retry', head.status)}
          onClick={() => open('retry-with-edits')}
        >
          Retry with edits
        </Button>
        {controls.map(({ name, title, danger }) => (
          <Button
            key={name}
            look={danger === true ? 'danger' : 'plain'}
            refused={lacks ?? refusalOf(name, head.status)}
            onClick={() => open(name)}
          >
            {title}
          </Button>
        ))}
        <Button refused={lacks ?? upgradeRefusal(head.status)} onClick={() => open('upgrade')}>
          Upgrade
        </Button>
        {lacks === undefined && (
          <PageLink
            to="/run"
            view={{ name: head.workflowName, like: head.workflowId }}
            className="button plain"
          >
            Run like this
          </PageLink>
        )}
        {past.shownAt === undefined && <TimeTravelButton outline={outline} />}
      </div>
      <WhyPanel outline={outline} showTask={showTask} />
      <TimeTravel outline={outline} past={past} />
      <Tabs
        tabs={[
          {
            id: 'graph',
            title: 'Graph',
            show: () => <ExecutionGraph outline={past} showTask={showTask} />,
          },
          {
            id: 'tasks',
            title: `Tasks (${past.tasks.length})`,
            show: () => <TasksTable outline={past} showTask={showTask} />,
          },
          {
            id: 'timeline',
            title: 'Timeline',
            show: () => <Timeline outline={past} showTask={showTask} />,
          },
          {
            id: 'children',
            title: `Children (${childTasks(past.tasks).length})`,
            show: () => <Children tasks={past.tasks} label="Children" />,
          },
          {
            id: 'payloads',
            title: 'Input and output',
            show: () => <Payloads id={head.workflowId} revision={outline.revision} />,
          },
          {
            id: 'history',
            title: 'History',
            show: () => <History outline={outline} showTask={showTask} />,
          },
          {
            id: 'compare',
            title: 'Compare',
            show: () => <Compare outline={outline} showTask={showTask} />,
          },
          {
            id: 'json',
            title: 'JSON',
            show: () => <WholeJson id={head.workflowId} revision={outline.revision} />,
          },
        ]}
      />
      {view['task'] !== undefined && (
        <TaskDrawer
          taskId={view['task']}
          outline={outline}
          onClose={() => change({ task: '' })}
          openExecution={(id) => void navigate({ to: `/executions/${id}` })}
        />
      )}
      {opened === 'retry-with-edits' && <RetryWithEdits outline={outline} onClose={close} />}
      {opened === 'upgrade' && <Upgrade outline={outline} onClose={close} />}
      {opened !== undefined && opened !== 'retry-with-edits' && opened !== 'upgrade' && (
        <ControlDialog name={opened} outline={outline} onClose={close} />
      )}
    </>
  );
}

function Facts({ outline: { head } }: { readonly outline: Outline }): ReactElement {
  const took = (head.endTime || Date.now()) - head.startTime;
  const facts: FactsOf = [
    [
      'Id',
      <code key="id" className="small">
        {head.workflowId}
      </code>,
    ],
    [
      'Definition',
      <PageLink
        key="definition"
        to={`/definitions/${encodeURIComponent(head.workflowName)}`}
        view={{ version: String(head.workflowVersion) }}
      >
        {head.workflowName} version {head.workflowVersion}
      </PageLink>,
    ],
    ['Started', moment(head.startTime)],
    [head.endTime === 0 ? 'Runs for' : 'Took', duration(took)],
    ['Correlation', head.correlationId ?? ''],
    ['Started by', head.createdBy ?? ''],
    [
      'Parent',
      head.parentWorkflowId === undefined ? (
        ''
      ) : (
        <PageLink key="parent" to={`/executions/${head.parentWorkflowId}`}>
          {head.parentWorkflowId}
        </PageLink>
      ),
    ],
  ];
  return <FactList facts={facts} />;
}
