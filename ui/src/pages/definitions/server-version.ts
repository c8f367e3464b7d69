// Whether the server's version of a definition is still the one that a draft began with.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { WorkflowDef, Written } from '../../api/types';

/** Tells one state of one version from every other. */
export function stampOf(definition: Written<WorkflowDef>): string {
  const { name, version, updateTime, createTime } = definition;
  return `${name} ${version ?? 1} ${updateTime || createTime}`;
}

export interface ServerVersions {
  /** The server's version that a save would replace, as last heard of. */
  readonly known: WorkflowDef | undefined;
  /** The highest version of that name, as last heard of; 0 when there is none. */
  readonly newest: number;
  /** The server's version that a save of a definition would replace, now. */
  readonly ask: (definition: WorkflowDef) => Promise<WorkflowDef | undefined>;
}

const watchMs = 10_000;

/** `isWatched`: asked again and again; else only by `ask`. */
export function useServerVersions(
  definition: WorkflowDef | undefined,
  isWatched: boolean,
): ServerVersions {
  const client = useQueryClient();
  const name = definition?.name ?? '';
  const { data = [] } = useQuery({
    ...versionsQuery(name),
    enabled: isWatched && name !== '',
    refetchInterval: watchMs,
  });
  return {
    known: definition && replacedBy(definition, data),
    newest: Math.max(0, ...data.map(({ version }) => version ?? 1)),
    ask: async (wanted) => {
      const query = versionsQuery(wanted.name);
      // An answer that is under way may be older than what was saved meanwhile.
      await client.cancelQueries({ queryKey: query.queryKey });
      return replacedBy(wanted, await client.fetchQuery({ ...query, staleTime: 0 }));
    },
  };
}

function replacedBy(
  { version: wanted = 1 }: WorkflowDef,
  all: readonly WorkflowDef[],
): WorkflowDef | undefined {
  return all.find(({ version }) => version === wanted);
}

interface VersionsQuery {
  readonly queryKey: readonly string[];
  readonly queryFn: () => Promise<readonly WorkflowDef[]>;
}

function versionsQuery(name: string): VersionsQuery {
  return {
    queryKey: ['server-versions', name],
    // A list: it says "none" where a single one would be an error.
    queryFn: async () => {
      const path = `/api/metadata/workflow?name=${encodeURIComponent(name)}`;
      const all = await ask<readonly WorkflowDef[]>(path);
      return all.filter((each) => each.name === name);
    },
  };
}
