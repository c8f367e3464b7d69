// Endpoints of the tags of workflow and task definitions (contract-admin 9.3) and of the limit on
// executions that one kind of tag stands for (9.7). Tags of a workflow belong to its name.
import { AppError } from '../../model/errors.js';
import {
  parseTag,
  parseTags,
  toTagJson,
  tagSchema,
  tagListSchema,
  type Tag,
} from '../../model/tag.js';
import type { KnownDefinitions } from '../../operation/context.js';
import {
  parseExecutionLimit,
  requireLimit,
  type ExecutionLimits,
} from '../../operation/tags/execution-limits.js';
import type { Tags } from '../../operation/tags/tags.js';
import {
  body,
  endpoint,
  nothing,
  query,
  type AccessRule,
  type Endpoint,
} from '../../api/endpoint.js';
import { integer, object, oneOf, text } from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';

export interface DefinitionTagParts {
  readonly tags: Tags;
  readonly limits: ExecutionLimits;
  readonly definitions: Pick<KnownDefinitions, 'taskDef' | 'workflowDef'>;
}

interface Kind {
  readonly type: 'WORKFLOW_DEF' | 'TASK_DEF';
  readonly noun: string;
  readonly pattern: string;
  readonly variable: string;
  /** Throws AppError 'not-found'. */
  readonly require: (name: string) => void;
}

export function definitionTagRoutes(parts: DefinitionTagParts): Endpoint[] {
  const { definitions } = parts;
  const kinds: readonly Kind[] = [
    {
      type: 'WORKFLOW_DEF',
      noun: 'Workflow',
      pattern: '/api/metadata/workflow/:name/tags',
      variable: 'name',
      require: (name) => requireKnown(definitions.workflowDef(name), `workflow ${name}`),
    },
    {
      type: 'TASK_DEF',
      noun: 'Task',
      pattern: '/api/metadata/task/:taskName/tags',
      variable: 'taskName',
      require: (name) => requireKnown(definitions.taskDef(name), `task definition ${name}`),
    },
  ];
  return [
    ...kinds.flatMap((kind) => [...readAndReplace(parts, kind), ...changeOne(parts, kind)]),
    ...changeOne(parts, {
      ...(kinds[0] as Kind),
      noun: 'WorkflowByOldPath',
      pattern: '/api/metadata/tags/workflow/:name',
    }),
    readRoute(parts, {
      ...(kinds[0] as Kind),
      noun: 'WorkflowByOldPath',
      pattern: '/api/metadata/tags/workflow/:name',
    }),
    ...['rate-limit', 'rateLimit'].flatMap((suffix) => limitRoutes(parts, suffix)),
  ];
}

function rule(kind: Kind, right: 'READ' | 'UPDATE'): AccessRule {
  return { rule: 'target', type: kind.type, right, id: kind.variable };
}

function readAndReplace(parts: DefinitionTagParts, kind: Kind): Endpoint[] {
  const { tags, limits } = parts;
  return [
    readRoute(parts, kind),
    endpoint({
      method: 'PUT',
      pattern: kind.pattern,
      name: `replace${kind.noun}Tags`,
      summary: 'Replaces all tags of a definition.',
      access: rule(kind, 'UPDATE'),
      body: body(tagListSchema),
      reply: nothing,
      errors: ['not-found'],
      handle: async (request) => {
        const name = request.param(kind.variable);
        kind.require(name);
        const given = parseTags(request.json(), '');
        const limit = given.find(isLimit);
        if (kind.type === 'WORKFLOW_DEF' && limit !== undefined) await limits.putTag(name, limit);
        const others = given.filter((tag) => kind.type === 'TASK_DEF' || !isLimit(tag));
        await tags.replace(request.caller, { type: kind.type, id: name }, others, 'alone');
      },
    }),
  ];
}

function readRoute({ tags, limits }: DefinitionTagParts, kind: Kind): Endpoint {
  return endpoint({
    method: 'GET',
    pattern: kind.pattern,
    name: `get${kind.noun}Tags`,
    summary: 'Lists the tags of a definition; none for an unknown one.',
    access: rule(kind, 'READ'),
    parameters: version,
    reply: tagListSchema,
    handle: (request) => {
      const name = request.param(kind.variable);
      const limit = kind.type === 'WORKFLOW_DEF' ? limits.tagOf(name) : [];
      return [...tags.of(kind.type, name), ...limit].map(toTagJson);
    },
  });
}

const version = { version: query(integer('Counts for nothing: tags belong to the name')) };

function changeOne({ tags, limits }: DefinitionTagParts, kind: Kind): Endpoint[] {
  const isLimitOf = (tag: Tag): boolean => kind.type === 'WORKFLOW_DEF' && isLimit(tag);
  const entry = {
    pattern: kind.pattern,
    access: rule(kind, 'UPDATE'),
    parameters: version,
    body: body(tagSchema),
    reply: nothing,
    errors: ['not-found'],
  } as const;
  const sentTo = (request: RouteRequest): { name: string; tag: Tag } => {
    const name = request.param(kind.variable);
    kind.require(name);
    return { name, tag: parseTag(request.json(), '') };
  };
  return [
    endpoint({
      ...entry,
      method: 'POST',
      name: `add${kind.noun}Tag`,
      summary: 'Adds a tag to a definition; one with the same key gets the new value.',
      handle: async (request) => {
        const { name, tag } = sentTo(request);
        if (isLimitOf(tag)) await limits.putTag(name, tag);
        else await tags.set(request.caller, { type: kind.type, id: name }, tag);
      },
    }),
    endpoint({
      ...entry,
      method: 'DELETE',
      name: `delete${kind.noun}Tag`,
      summary: 'Removes a tag of a definition by key and value.',
      handle: async (request) => {
        const { name, tag } = sentTo(request);
        const wasThere = isLimitOf(tag)
          ? await limits.remove(name)
          : (await tags.remove(request.caller, { type: kind.type, id: name }, [tag])) > 0;
        if (!wasThere) throw new AppError('not-found', `${name} has no tag ${tag.key}`);
      },
    }),
  ];
}

const limitSchema = object(
  'WorkflowRateLimit',
  {
    rateLimitKey: text('Executions are counted per value of it'),
    concurrentExecLimit: integer('Most executions at the same time'),
    policy: oneOf(['QUEUE', 'REJECT'], 'What becomes of a start beyond the limit; default QUEUE'),
  },
  ['rateLimitKey', 'concurrentExecLimit'],
);

function limitRoutes({ limits, definitions }: DefinitionTagParts, suffix: string): Endpoint[] {
  const pattern = `/api/metadata/workflow/:name/${suffix}`;
  const spelling = suffix === 'rateLimit' ? 'ByOldPath' : '';
  const access = (right: 'READ' | 'UPDATE'): AccessRule => ({
    rule: 'target',
    type: 'WORKFLOW_DEF',
    right,
    id: 'name',
  });
  return [
    endpoint({
      method: 'PUT',
      pattern,
      name: `putWorkflowRateLimit${spelling}`,
      summary: 'Limits how many executions of a workflow run at the same time.',
      access: access('UPDATE'),
      body: body(limitSchema),
      reply: nothing,
      errors: ['not-found'],
      handle: async (request) => {
        const name = request.param('name');
        requireKnown(definitions.workflowDef(name), `workflow ${name}`);
        await limits.put(parseExecutionLimit(request.json(), name));
      },
    }),
    endpoint({
      method: 'GET',
      pattern,
      name: `getWorkflowRateLimit${spelling}`,
      summary: 'Shows the limit on executions of a workflow.',
      access: access('READ'),
      reply: limitSchema,
      errors: ['not-found'],
      handle: (request) => {
        const limit = requireLimit(limits, request.param('name'));
        const { rateLimitKey, concurrentExecLimit, policy } = limit;
        const shown = { rateLimitKey, concurrentExecLimit };
        return policy === 'REJECT' ? { ...shown, policy } : shown;
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern,
      name: `deleteWorkflowRateLimit${spelling}`,
      summary: 'Removes the limit on executions of a workflow.',
      access: access('UPDATE'),
      reply: nothing,
      handle: (request) => limits.remove(request.param('name')),
    }),
  ];
}

function isLimit(tag: Tag): boolean {
  return tag.type === 'RATE_LIMIT';
}

function requireKnown(def: object | undefined, what: string): void {
  if (def === undefined) throw new AppError('not-found', `There is no ${what}`);
}
