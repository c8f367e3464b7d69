// A workflow definition in short beside the list of all: how its runs go, its graph, where to go.
import type { ReactElement } from 'react';
import { workflowStatuses, type WorkflowDef, type WorkflowStats } from '../../api/types';
import { Button } from '../../design/controls';
import { FactList } from '../../design/fact-list';
import { PageLink } from '../../design/page-link';
import { Pane } from '../../design/pane';
import { Status } from '../../design/status';
import { Graph } from '../../graph/graph';
import { count, duration, moment } from '../../state/format';
import { useRefusal } from '../../state/rights';
import { sinceOf, spanWord } from '../../design/window-choice';
import { definitionAddress } from './definition-address';

interface DefinitionPaneProps {
  readonly definition: WorkflowDef;
  /** Of its runs in the last days; undefined until they are counted. */
  readonly stats: WorkflowStats | undefined;
  readonly onClose: () => void;
}

const span = '7d';

export function DefinitionPane(props: DefinitionPaneProps): ReactElement {
  const { definition, stats, onClose } = props;
  const { name, version = 1, description, ownerEmail, updateTime, createTime, tasks } = definition;
  const refusal = useRefusal('WORKFLOW_DEF', name);
  const mayRun = refusal('EXECUTE');
  return (
    <Pane title={name} about={`Definition, version ${version}`} onClose={onClose}>
      <div className="row">
        {mayRun === undefined ? (
          <PageLink to="/run" view={{ name, version: String(version) }} className="button main">
            Run
          </PageLink>
        ) : (
          <Button refused={mayRun}>Run</Button>
        )}
        <PageLink
          to="/definition-editor"
          view={{ name, version: String(version) }}
          className="button"
        >
          Edit
        </PageLink>
        <PageLink to={definitionAddress(name)} className="button">
          Open
        </PageLink>
      </div>
      {description !== undefined && description !== '' && <p>{description}</p>}
      <Runs name={name} stats={stats} />
      <Graph tasks={tasks} isFitted />
      <FactList
        facts={[
          ['Owner', ownerEmail ?? ''],
          ['Tasks', count(tasks.length)],
          ['Changed', moment(updateTime || createTime)],
        ]}
      />
    </Pane>
  );
}

function Runs({
  name,
  stats,
}: Pick<DefinitionPaneProps, 'stats'> & { name: string }): ReactElement {
  const from = sinceOf(span);
  const shown = workflowStatuses.filter((status) => (stats?.counts[status] ?? 0) > 0);
  return (
    <section className="stack-tight" aria-label="Runs">
      <h3>Started in the last {spanWord(span)}</h3>
      {shown.length === 0 && <p className="quiet">None.</p>}
      <div className="row wide-gap">
        {shown.map((status) => (
          <PageLink key={status} to="/executions" view={{ type: name, status, from }}>
            <span className="row">
              <Status status={status} />
              <b>{count(stats?.counts[status] ?? 0)}</b>
            </span>
          </PageLink>
        ))}
      </div>
      {stats?.p95Ms !== undefined && (
        <p className="quiet">19 of 20 completed ones took at most {duration(stats.p95Ms)}.</p>
      )}
    </section>
  );
}
