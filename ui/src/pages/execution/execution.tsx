// One execution: why it does not go on, what it did, and what can be done about it.
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { CopyId } from '../../design/copy-id';
import { Icon } from '../../design/icon';
import { Menu, type MenuAction } from '../../design/menu';
import { PageLink } from '../../design/page-link';
import { Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Status, statusWord } from '../../design/status';
import { Tabs } from '../../design/tabs';
import { Who } from '../../design/who';
import { ago, fineDuration, moment, shortId } from '../../state/format';
import { useLetters } from '../../state/letter-keys';
import { useRefusal } from '../../state/rights';
import { useView, type View } from '../../state/view';
import { Children, childTasks } from './children';
import { Compare } from './compare';
import { ControlDialog, controls, refusalOf, signalRefusal, type ControlName } from './controls';
import { ExecutionGraph } from './execution-graph';
import { History } from './history';
import { hasEnded, isFailed, outlinePath, useOutline, type Outline } from './outline';
import { Payloads, WholeJson } from './payloads';
import { RetryWithEdits } from './retry-with-edits';
import { TaskPane } from './task-pane';
import { TasksTable } from './tasks-table';
import { TimeTravel, useOutlineAt } from './time-travel';
import { Timeline } from './timeline';
import { Upgrade, upgradeRefusal } from './upgrade';
import { WhyPanel } from './why-panel';
import { Button } from '../../design/controls';
import type { ExecutionHead, WorkflowStatus } from '../../api/types';
import './execution.css';

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
  const fixed = lacks ?? historyRefusal(head);
  const close = (): void => open(undefined);
  const openIf = (name: ControlName, dialog: Opened = name): void => {
    if (fixed === undefined && refusalOf(name, head.status) === undefined) open(dialog);
  };
  useLetters({
    r: () => openIf('retry', 'retry-with-edits'),
    p: () => openIf(head.status === 'PAUSED' ? 'resume' : 'pause'),
  });
  const past = useOutlineAt(outline);
  const showTask = (taskId: string): void => change({ task: taskId });
  const shownTask = shownTaskOf(past, view);
  const shownRef = outline.tasks.find(({ taskId }) => taskId === shownTask)?.referenceTaskName;
  return (
    <>
      <div className="x-head">
        <PageHead
          title={head.workflowName}
          before={<Status status={head.status} isChip />}
          aside={<HeadAside outline={outline} />}
          call={{ method: 'GET', path: outlinePath(head.workflowId) }}
          actions={
            <Controls
              outline={outline}
              lacks={lacks}
              fixed={fixed}
              isPast={past.shownAt !== undefined}
              {...{ open }}
            />
          }
        />
        <Facts outline={outline} />
      </div>
      <WhyPanel outline={outline} showTask={showTask} />
      <TimeTravel outline={outline} past={past} />
      <div className="x-grid" data-beside={shownTask !== undefined}>
        <div className="x-left">
          <Tabs
            tabs={[
              {
                id: 'graph',
                title: 'Graph',
                show: () => (
                  <>
                    <ExecutionGraph outline={past} showTask={showTask} shownRef={shownRef} />
                    <Timeline outline={past} showTask={showTask} shownTask={shownTask} isShort />
                  </>
                ),
              },
              {
                id: 'tasks',
                title: 'Tasks',
                count: past.tasks.length,
                show: () => <TasksTable outline={past} showTask={showTask} />,
              },
              {
                id: 'timeline',
                title: 'Timeline',
                show: () => <Timeline outline={past} showTask={showTask} shownTask={shownTask} />,
              },
              {
                id: 'children',
                title: 'Children',
                count: childTasks(past.tasks).length,
                isBad: childTasks(past.tasks).some(isFailed),
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
                show: () => (
                  <WholeJson
                    id={head.workflowId}
                    revision={outline.revision}
                    taskCount={outline.tasks.length}
                  />
                ),
              },
            ]}
          />
        </div>
        {shownTask !== undefined && (
          <TaskPane
            key={shownTask}
            taskId={shownTask}
            outline={outline}
            lacks={fixed}
            onClose={() => change({ task: closed })}
            openExecution={(id) => void navigate({ to: `/executions/${id}` })}
          />
        )}
      </div>
      {opened === 'retry-with-edits' && <RetryWithEdits outline={outline} onClose={close} />}
      {opened === 'upgrade' && <Upgrade outline={outline} onClose={close} />}
      {opened !== undefined && opened !== 'retry-with-edits' && opened !== 'upgrade' && (
        <ControlDialog name={opened} outline={outline} onClose={close} />
      )}
    </>
  );
}

/** In the address, of a pane that was closed. */
const closed = 'none';

/**
 * The task that is shown: the one that the address names, else beside the graph what one came for:
 * the first that failed, or of an open execution the first that waits.
 */
function shownTaskOf({ head, tasks }: Outline, { task: asked, tab }: View): string | undefined {
  if (asked === closed) return undefined;
  if (asked !== undefined && asked !== '') return asked;
  if (tab !== undefined && tab !== '' && tab !== 'graph') return undefined;
  if (hasEnded(head.status)) return tasks.find(isFailed)?.taskId;
  const waits = tasks.filter(({ status }) => status === 'SCHEDULED' || status === 'IN_PROGRESS');
  return (waits.find(({ taskType }) => !structural.test(taskType)) ?? waits[0])?.taskId;
}

/** Types of tasks that wait for others. */
const structural = /^(?:JOIN|FORK|EXCLUSIVE_JOIN|DO_WHILE|SUB_WORKFLOW)/;

interface ControlsProps {
  readonly outline: Outline;
  readonly lacks: string | undefined;
  /** Why nobody, or not the caller, may change it. */
  readonly fixed: string | undefined;
  readonly isPast: boolean;
  readonly open: (what: Opened) => void;
}

/** The one thing that one most likely wants now as a button, everything else in the menu. */
function Controls({ outline, lacks, fixed, isPast, open }: ControlsProps): ReactElement {
  const { status, workflowName, workflowId, endTime, imported } = outline.head;
  const navigate = useNavigate();
  const [, change] = useView();
  const first = imported === undefined ? primaryOf(status) : undefined;
  const others = controls.filter(({ name }) => name !== first && name !== 'retry');
  const retry: readonly MenuAction[] =
    first === 'retry'
      ? []
      : [
          {
            title: 'Retry',
            icon: 'retry',
            refused: fixed ?? refusalOf('retry', status),
            act: () => open('retry-with-edits'),
          },
        ];
  const runLike = (): void =>
    void navigate({ to: '/run', search: { name: workflowName, like: workflowId } as never });
  const actions: readonly MenuAction[] = [
    ...retry,
    ...others.map(({ name, title, icon, effect, danger }): MenuAction => ({
      ...{ title, icon, about: effect, isApart: danger === true },
      refused:
        fixed ??
        refusalOf(name, status) ??
        (name === 'signal' ? signalRefusal(outline) : undefined),
      act: () => open(name),
    })),
    {
      title: 'Upgrade',
      icon: 'save',
      about: 'Goes on with another version of its definition.',
      refused: fixed ?? upgradeRefusal(status),
      act: () => open('upgrade'),
      isApart: true,
    },
    ...(status === 'COMPLETED'
      ? []
      : [
          {
            title: 'Run like this',
            icon: 'play',
            about: 'Starts another one with the same input.',
            refused: lacks,
            act: runLike,
          } as const,
        ]),
    {
      title: 'Go back in time',
      icon: 'sched',
      about: 'Shows how it stood at an earlier moment.',
      refused: isPast ? 'An earlier moment is shown' : undefined,
      act: () => change({ at: String(endTime || Date.now()) }),
    },
  ];
  const kind = controls.find(({ name }) => name === first);
  return (
    <div className="row" role="group" aria-label="Controls">
      {kind === undefined ? (
        <Button refused={lacks} onClick={runLike}>
          <Icon name="play" />
          Run like this
        </Button>
      ) : (
        <Button
          look={first === 'pause' ? 'plain' : 'main'}
          refused={lacks}
          onClick={() => open(first === 'retry' ? 'retry-with-edits' : first)}
        >
          <Icon name={kind.icon} />
          {kind.title}
        </Button>
      )}
      <Menu label="More actions" actions={actions} />
    </div>
  );
}

function primaryOf(status: WorkflowStatus): ControlName | undefined {
  if (status === 'RUNNING') return 'pause';
  if (status === 'PAUSED') return 'resume';
  return status === 'COMPLETED' ? undefined : 'retry';
}

function HeadAside({ outline: { head } }: { readonly outline: Outline }): ReactElement {
  return (
    <>
      <PageLink
        to={`/definitions/${encodeURIComponent(head.workflowName)}`}
        view={{ version: String(head.workflowVersion) }}
        className="badge"
        title={`Version ${head.workflowVersion} of its definition`}
      >
        v{head.workflowVersion}
      </PageLink>
      {head.correlationId !== undefined && <span className="x-key">{head.correlationId}</span>}
    </>
  );
}

/** Why an execution that ended at another server takes no control. */
function historyRefusal({ imported }: ExecutionHead): string | undefined {
  return imported && `It ended at ${imported.from ?? 'another server'}: history is never changed`;
}

function Facts({ outline: { head } }: { readonly outline: Outline }): ReactElement {
  const isOver = hasEnded(head.status);
  const took = fineDuration((head.endTime === 0 ? Date.now() : head.endTime) - head.startTime);
  return (
    <ul className="x-facts" aria-label="Facts">
      {head.imported !== undefined && (
        <li
          title={`${head.imported.workflowId ?? ''}, imported ${moment(head.imported.importedAt ?? 0)}`}
        >
          <Icon name="save" className="s" />
          History from {head.imported.from}
        </li>
      )}
      <li>
        <CopyId id={head.workflowId} />
      </li>
      <li title={moment(isOver ? head.endTime : head.startTime)}>
        <Icon name="sched" />
        {isOver
          ? `${statusWord(head.status)} ${ago(head.endTime)}, ran ${took}`
          : `Runs for ${took}`}
      </li>
      <li title={moment(head.startTime)}>
        <Icon name="play" />
        <span>
          Started {moment(head.startTime)}
          {head.createdBy !== undefined && (
            <>
              {' '}
              by <Who id={head.createdBy} />
            </>
          )}
        </span>
      </li>
      {head.traceId !== undefined && (
        <li>
          <Icon name="link" />
          Trace <CopyId id={head.traceId} />
        </li>
      )}
      {head.parentWorkflowId !== undefined && (
        <li>
          <Icon name="sub" />
          <PageLink to={`/executions/${head.parentWorkflowId}`} title={head.parentWorkflowId}>
            Parent {shortId(head.parentWorkflowId)}
          </PageLink>
        </li>
      )}
      {head.failureWorkflowId !== undefined && (
        <li>
          <Icon name="link" />
          <PageLink to={`/executions/${head.failureWorkflowId}`} title={head.failureWorkflowId}>
            Failure workflow {shortId(head.failureWorkflowId)}
          </PageLink>
        </li>
      )}
      {head.failedWorkflowId !== undefined && (
        <li>
          <Icon name="link" />
          <PageLink to={`/executions/${head.failedWorkflowId}`} title={head.failedWorkflowId}>
            Started by the failure of {shortId(head.failedWorkflowId)}
          </PageLink>
        </li>
      )}
    </ul>
  );
}
