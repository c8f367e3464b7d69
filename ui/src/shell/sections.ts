// The sections that the side bar and the palette lead to. `area`: shown only where the server
// serves that path (of GET /api/features).
import type { DescribedResource } from '../api/types';
import { useDescribedQuery } from '../state/resources';
import type { IconName } from '../design/icon';

export interface Section {
  readonly title: string;
  readonly icon: IconName;
  readonly to: string;
  /** Letter after `g`. */
  readonly key?: string;
  /** Begin of an API path that must be served. */
  readonly needs?: string;
  /** Those of one family are one entry of the menu, and tabs of each other's pages. */
  readonly family?: Family;
}

interface Family {
  readonly title: string;
  readonly icon: IconName;
}

export interface SectionGroup {
  readonly title: string;
  readonly sections: readonly Section[];
}

const events: Family = { title: 'Events and webhooks', icon: 'event' };
const forms: Family = { title: 'Forms and schemas', icon: 'form' };
const outside: Family = { title: 'Integrations', icon: 'plug' };
const people: Family = { title: 'Users and access', icon: 'people' };
const server: Family = { title: 'Settings', icon: 'worker' };
const values: Family = { title: 'Secrets and variables', icon: 'key' };

export const sectionGroups: readonly SectionGroup[] = [
  {
    title: 'Operate',
    sections: [
      { title: 'Overview', icon: 'overview', to: '/', key: 'o' },
      { title: 'Executions', icon: 'exec', to: '/executions', key: 'e' },
      { title: 'Failures', icon: 'fail', to: '/failures' },
      { title: 'Bulk jobs', icon: 'bulk', to: '/bulk-jobs', needs: 'bulk-jobs' },
      { title: 'Queues', icon: 'queue', to: '/queues', key: 'q' },
      { title: 'Operations', icon: 'node', to: '/operations', needs: 'stats/performance' },
      { title: 'Inbox', icon: 'inbox', to: '/inbox', key: 'i', needs: 'human/tasks' },
    ],
  },
  {
    title: 'Build',
    sections: [
      { title: 'Definitions', icon: 'def', to: '/definitions', key: 'd' },
      { title: 'Templates', icon: 'bookmark', to: '/templates' },
      { title: 'Task definitions', icon: 'task', to: '/task-definitions' },
      { title: 'Schedules', icon: 'sched', to: '/schedules', needs: 'scheduler/schedules' },
      { ...of(events), title: 'Event handlers', to: '/events', needs: 'event' },
      { ...of(events), title: 'Webhooks', to: '/webhooks', needs: 'metadata/webhook' },
      {
        ...of(events),
        title: 'Outgoing webhooks',
        to: '/outgoing-webhooks',
        needs: 'metadata/outgoing-webhook',
      },
      { ...of(forms), title: 'Forms', to: '/forms', needs: 'human/template' },
      { ...of(forms), title: 'Schemas', to: '/schemas', needs: 'schema' },
      {
        ...of(outside),
        title: 'Integrations',
        to: '/integrations',
        needs: 'integrations/provider',
      },
      { ...of(outside), title: 'Models', to: '/models', needs: 'integrations' },
      { ...of(outside), title: 'Prompts', to: '/prompts', needs: 'prompts' },
      {
        ...of(outside),
        title: 'Remote services',
        to: '/remote-services',
        needs: 'registry/service',
      },
    ],
  },
  {
    title: 'Administer',
    sections: [
      { ...of(people), title: 'Users', to: '/admin/users', needs: 'users' },
      { ...of(people), title: 'Groups', to: '/admin/groups', needs: 'groups' },
      { ...of(people), title: 'Applications', to: '/admin/applications', needs: 'applications' },
      { ...of(people), title: 'Roles', to: '/admin/roles', needs: 'roles' },
      { ...of(people), title: 'Access', to: '/admin/access', needs: 'admin/grants' },
      { ...of(people), title: 'Who is signed in', to: '/admin/sessions', needs: 'admin/sessions' },
      { ...of(values), title: 'Secrets', to: '/admin/secrets', needs: 'secrets' },
      { ...of(values), title: 'Environment', to: '/admin/environment', needs: 'environment' },
      { ...of(values), title: 'Tags', to: '/admin/tags', needs: 'metadata/tags' },
      { ...of(server), title: 'Settings', to: '/admin/settings', needs: 'admin/config' },
      { ...of(server), title: 'Plug-ins', to: '/admin/plugins', needs: 'admin/plugins' },
      { title: 'Audit log', icon: 'audit', to: '/admin/audit', needs: 'admin/audit' },
    ],
  },
];

function of(family: Family): Pick<Section, 'family' | 'icon'> {
  return { family, icon: family.icon };
}

const apiPath = '/api/';

/** All sections, with those of resources that have no page of their own. */
export function useSectionGroups(): readonly SectionGroup[] {
  const described = useDescribedQuery().data ?? [];
  const sections = described.filter((each) => !hasOwnPage(each)).map(sectionOf);
  return sections.length === 0 ? sectionGroups : [...sectionGroups, { title: 'More', sections }];
}

function hasOwnPage({ list }: DescribedResource): boolean {
  return sectionGroups.some(({ sections }) =>
    sections.some(({ needs }) => `${apiPath}${needs ?? ''}` === list.path.split('?')[0]),
  );
}

function sectionOf({ title, name, list }: DescribedResource): Section {
  return { title, icon: 'form', to: `/more/${name}`, needs: list.path.slice(apiPath.length) };
}

/** Pages that stand at an address of their own, by the section that they belong to. */
const elsewhere: Readonly<Record<string, string>> = {
  ...{ '/definition-editor': '/definitions', '/run': '/executions', '/first-steps': '/templates' },
};

/** The section of a path of the page, or of what is below it. */
export function sectionAt(
  pathname: string,
  groups: readonly SectionGroup[] = sectionGroups,
): Section | undefined {
  const own = pathname.replace(/\/$/, '');
  const path = elsewhere[own] ?? own;
  return groups
    .flatMap(({ sections }) => sections)
    .filter(({ to }) => to === (path || '/') || (to !== '/' && path.startsWith(`${to}/`)))
    .at(-1);
}

export interface MenuEntry {
  readonly title: string;
  readonly icon: IconName;
  /** The page itself, or the family of pages of which the first one opens. */
  readonly sections: readonly Section[];
}

/** Entries of the menu for sections that stand beside each other. */
export function menuEntries(sections: readonly Section[]): readonly MenuEntry[] {
  const entries = new Map<string, MenuEntry>();
  for (const section of sections) {
    const { title, icon } = section.family ?? section;
    const known = entries.get(title)?.sections ?? [];
    entries.set(title, { title, icon, sections: [...known, section] });
  }
  return [...entries.values()];
}
