// One workflow definition: its graph, its JSON, its versions with what changed, its
// executions, its schedules, who may use it, its tags.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { WorkflowDef } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { JsonView } from '../../design/json-view';
import { Loaded, Skeleton } from '../../design/notes';
import { Menu } from '../../design/menu';
import { PageHead } from '../../design/page-head';
import { Tabs } from '../../design/tabs';
import { Graph } from '../../graph/graph';
import { useServed } from '../../state/features';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';
import { AbsentPlugins } from './absent-plugins';
import { TagsTab } from './tags-tab';

const AccessTab = lazy(() =>
  import('./access-tab').then(({ AccessTab: component }) => ({ default: component })),
);
const ExecutionsTab = lazy(() =>
  import('./executions-tab').then(({ ExecutionsTab: component }) => ({ default: component })),
);
const SchedulesTab = lazy(() =>
  import('./schedules-tab').then(({ SchedulesTab: component }) => ({ default: component })),
);
const DiffView = lazy(() =>
  import('../../editor/diff-view').then(({ DiffView: component }) => ({ default: component })),
);

export function Definition(): ReactElement {
  const { name } = useParams({ strict: false }) as { name: string };
  const versions = useQuery({
    queryKey: ['definition-versions', name],
    queryFn: async ({ signal }) => {
      const all = await ask<WorkflowDef[]>(
        `/api/metadata/workflow?name=${encodeURIComponent(name)}`,
        { signal },
      );
      const own = all.filter((each) => each.name === name);
      if (own.length === 0) throw new Error(`No definition is called ${name}.`);
      return own.sort((a, b) => (b.version ?? 1) - (a.version ?? 1));
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={versions} title={name}>
      {(all) => <LoadedDefinition versions={all} />}
    </Loaded>
  );
}

interface LoadedProps {
  /** Newest first. */
  readonly versions: readonly WorkflowDef[];
}

function LoadedDefinition({ versions }: LoadedProps): ReactElement {
  const [view, change] = useView();
  const [isDeleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  const wanted = Number(view['version']);
  const shown = versions.find(({ version }) => version === wanted) ?? (versions[0] as WorkflowDef);
  const { name, version } = shown;
  const refusal = useRefusal('WORKFLOW_DEF', name);
  const served = useServed();
  const go = (to: string): void =>
    void navigate({ to, search: { name, version: String(version) } as never });
  const call = `/api/metadata/workflow/${encodeURIComponent(name)}?version=${version}`;
  return (
    <>
      <PageHead
        title={name}
        call={{ method: 'GET', path: call }}
        aside={
          <label className="row">
            Version
            <select value={version} onChange={(event) => change({ version: event.target.value })}>
              {versions.map((each) => (
                <option key={each.version}>{each.version}</option>
              ))}
            </select>
          </label>
        }
        actions={
          <>
            <Button look="main" refused={refusal('EXECUTE')} onClick={() => go('/run')}>
              Run
            </Button>
            <Button refused={refusal('UPDATE')} onClick={() => go('/definition-editor')}>
              Edit
            </Button>
            <Menu
              label="More actions"
              actions={[
                {
                  title: `Delete version ${version}`,
                  icon: 'x',
                  isFinal: true,
                  about: 'It is gone for good; executions that run keep their copy',
                  refused: refusal('DELETE'),
                  act: () => setDeleting(true),
                },
              ]}
            />
          </>
        }
      />
      {shown.description !== undefined && <p>{shown.description}</p>}
      <AbsentPlugins definition={shown} />
      <Tabs
        tabs={[
          { id: 'graph', title: 'Graph', show: () => <Graph tasks={shown.tasks} /> },
          {
            id: 'json',
            title: 'JSON',
            show: () => <JsonView value={shown} label="Definition" />,
          },
          {
            id: 'versions',
            title: `Versions (${versions.length})`,
            show: () => <Versions versions={versions} shown={shown} />,
          },
          { id: 'executions', title: 'Executions', show: lazily(<ExecutionsTab name={name} />) },
          ...(served('scheduler/schedules')
            ? [{ id: 'schedules', title: 'Schedules', show: lazily(<SchedulesTab name={name} />) }]
            : []),
          { id: 'access', title: 'Access', show: lazily(<AccessTab name={name} />) },
          { id: 'tags', title: 'Tags', show: () => <TagsTab name={name} /> },
        ]}
      />
      {isDeleting && (
        <ActionDialog
          title={`Delete ${name} version ${version}`}
          effect="This is final. No execution can be started with it any more; those that run keep their copy."
          confirm="Delete"
          danger
          act={async () => {
            const target = `/api/metadata/workflow/${encodeURIComponent(name)}/${version}`;
            await ask(target, { method: 'DELETE' });
            await client.invalidateQueries();
            await navigate({ to: '/definitions' });
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function lazily(shown: ReactElement): () => ReactElement {
  return () => <Suspense fallback={<Skeleton />}>{shown}</Suspense>;
}

function Versions({
  versions,
  shown,
}: {
  readonly versions: readonly WorkflowDef[];
  readonly shown: WorkflowDef;
}): ReactElement {
  const [view, change] = useView();
  const others = versions.filter((each) => each !== shown);
  const other = others.find(({ version }) => String(version) === view['against']) ?? others[0];
  if (other === undefined) return <p className="quiet">This is the only version.</p>;
  return (
    <div className="stack">
      <label className="row">
        Compare version {shown.version} with
        <select
          value={other.version}
          onChange={(event) => change({ against: event.target.value }, true)}
        >
          {others.map(({ version }) => (
            <option key={version}>{version}</option>
          ))}
        </select>
      </label>
      <Suspense fallback={<Skeleton />}>
        <DiffView
          before={JSON.stringify(other, undefined, 2)}
          after={JSON.stringify(shown, undefined, 2)}
        />
      </Suspense>
    </div>
  );
}
