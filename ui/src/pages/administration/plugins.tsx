// The plug-ins that the server knows: installed or not, with the command that installs each, what
// they bring, how they do, and their settings.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Plugin, PluginSetting } from '../../api/types';
import { FactList } from '../../design/fact-list';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable } from '../../design/list-table';
import { Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Beside, Pane } from '../../design/pane';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { useView } from '../../state/view';

const path = '/api/admin/plugins';

const stateWords = { used: 'used', failed: 'cannot be used', absent: 'not installed' } as const;

const columns: readonly SortableColumn<Plugin>[] = [
  {
    title: 'Plug-in',
    width: 'minmax(130px, 1fr)',
    value: ({ name }) => name,
    cell: ({ name, version, trouble }) => (
      <span className="what plain" title={name}>
        <span>{name}</span>
        <small>{trouble ?? version ?? ''}</small>
      </span>
    ),
  },
  {
    title: 'State',
    width: '110px',
    value: ({ state }) => state,
    cell: ({ state, trouble }) =>
      trouble === undefined ? stateWords[state] : <b className="error-text">{stateWords[state]}</b>,
  },
  {
    title: 'Brings',
    width: 'minmax(120px, 2fr)',
    value: ({ brings }) => brings.join(', '),
    cell: ({ brings }) => <span title={brings.join(', ')}>{brings.join(', ')}</span>,
  },
  {
    title: 'Install with',
    width: 'minmax(120px, 2fr)',
    isOptional: true,
    value: ({ install }) => install,
    cell: ({ install }) => (install === undefined ? '' : <code>{install}</code>),
  },
];

/** The columns that have room beside the pane of one. */
const isBrief = ({ title }: { readonly title: string }): boolean =>
  ['Plug-in', 'State'].includes(title);

export function Plugins(): ReactElement {
  const plugins = useQuery({
    queryKey: ['plugins'],
    queryFn: ({ signal }) => ask<readonly Plugin[]>(path, { signal }),
  });
  return (
    <>
      <PageHead title="Plug-ins" call={{ method: 'GET', path }} />
      <p className="quiet">
        Of the node that answers. A plug-in that is installed is loaded at the next start.
      </p>
      <FilterField label="Filter" />
      <Loaded query={plugins}>{(all) => <Table all={all} />}</Loaded>
    </>
  );
}

function Table({ all }: { readonly all: readonly Plugin[] }): ReactElement {
  const { fits } = useFilter();
  const [view, change] = useView();
  const sorted = useSorted(
    all.filter(({ name, brings }) => fits([name, ...brings].join(' '))),
    columns,
  );
  const opened = all.find(({ name }) => name === view['id']);
  const close = (): void => change({ id: '' });
  return (
    <Beside pane={opened !== undefined && <PluginPane plugin={opened} onClose={close} />}>
      <ListTable
        label="Plug-ins"
        rows={sorted.rows}
        columns={opened === undefined ? sorted.columns : sorted.columns.filter(isBrief)}
        hasTwoLines
        keyOf={({ name }) => name}
        shown={opened?.name}
        open={({ name }) => change({ id: name })}
      />
    </Beside>
  );
}

const settingColumns: readonly SmallColumn<PluginSetting>[] = [
  { title: 'Setting', value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  { title: 'Value', cell: ({ value }) => value ?? <i>not shown</i> },
  { title: 'Default', cell: (setting) => setting.default },
  { title: 'Meaning', cell: ({ about }) => about },
];

interface PluginPaneProps {
  readonly plugin: Plugin;
  readonly onClose: () => void;
}

/** All that is known of one plug-in. */
function PluginPane({ plugin, onClose }: PluginPaneProps): ReactElement {
  const { name, state, version, brings, install, trouble, settings } = plugin;
  return (
    <Pane title={name} about="Plug-in" onClose={onClose}>
      <FactList
        facts={[
          ['State', stateWords[state]],
          ['Health', state === 'used' ? (trouble ?? 'well') : (trouble ?? '')],
          ['Version', version ?? ''],
          ['Brings', brings.join(', ')],
          ['Install with', install === undefined ? '' : <code>{install}</code>],
        ]}
      />
      <h2>Settings</h2>
      <SmallTable
        label={`Settings of ${name}`}
        rows={settings}
        columns={settingColumns}
        keyOf={({ name: setting }) => setting}
        empty={state === 'used' ? 'None of its own.' : 'Known once it is installed.'}
      />
    </Pane>
  );
}
