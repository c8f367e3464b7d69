// Endpoints that list tags and tagged resources over all areas (contract-admin 9.5). A caller sees
// the tags of what it may read.
import type { AccessRules, TargetType } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { tagName, toTagJson, tagListSchema, type Tag } from '../../model/tag.js';
import { parseTargetType } from '../../access/parse-rights.js';
import type { TaggedResource, Tags } from '../../operation/tags/tags.js';
import { endpoint, query, type Endpoint } from '../../api/endpoint.js';
import { integer, list, object, oneOf, text } from '../../model/schema.js';

/** Types of resources that can be asked for by tag. */
const taggedTypes: readonly TargetType[] = [
  'WORKFLOW_DEF',
  'TASK_DEF',
  'WORKFLOW_SCHEDULE',
  'EVENT_HANDLER',
  'APPLICATION',
  'SECRET_NAME',
  'ENV_VARIABLE',
  'INTEGRATION_PROVIDER',
  'INTEGRATION',
  'PROMPT',
  'USER_FORM_TEMPLATE',
  'WEBHOOK',
  'API_GATEWAY_SERVICE',
  'AUTH_CONFIG',
];

const groupSchema = object(
  'TagCount',
  {
    tagKey: text('Key'),
    tagValue: { description: 'Value', type: ['string', 'number'] },
    resourceType: oneOf(taggedTypes),
    countPerResourceType: integer('Resources of the type that carry the tag'),
  },
  ['tagKey', 'tagValue', 'resourceType', 'countPerResourceType'],
);

const resourceSchema = object(
  'TaggedResource',
  { id: text('Id'), displayName: text('Name to show') },
  ['id', 'displayName'],
);

export function tagListRoutes(tags: Tags, access: AccessRules): Endpoint[] {
  const mayRead = (caller: Caller, { type, id }: TaggedResource): boolean =>
    access.may(caller, 'READ', { type, id });
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/metadata/tags',
      name: 'listTags',
      summary: 'Lists all tags.',
      access: { rule: 'caller' },
      reply: tagListSchema,
      handle: ({ caller }) => {
        const found = new Map<string, Tag>();
        for (const resource of tags.all()) {
          if (!mayRead(caller, resource)) continue;
          for (const tag of resource.tags) found.set(tagName(tag), tag);
        }
        return [...found.values()].map(({ key, value }) => toTagJson({ key, value }));
      },
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/metadata/tags/grouped',
      name: 'countTags',
      summary: 'Counts for each tag the resources of each type that carry it.',
      access: { rule: 'caller' },
      reply: list(groupSchema),
      handle: ({ caller }) => {
        const counts = new Map<string, { tag: Tag; type: TargetType; count: number }>();
        for (const resource of tags.all()) {
          if (!mayRead(caller, resource)) continue;
          for (const tag of resource.tags) {
            const key = `${resource.type} ${tagName(tag)}`;
            const known = counts.get(key);
            if (known === undefined) counts.set(key, { tag, type: resource.type, count: 1 });
            else known.count++;
          }
        }
        return [...counts.values()].map(({ tag, type, count }) => ({
          tagKey: tag.key,
          tagValue: tag.value,
          resourceType: type,
          countPerResourceType: count,
        }));
      },
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/metadata/tags/resources',
      name: 'listTaggedResources',
      summary: 'Lists the resources of a type that carry a tag.',
      access: { rule: 'caller' },
      parameters: {
        tagKey: query(text('Key'), { required: true }),
        tagValue: query(text('Value'), { required: true }),
        resourceType: query(oneOf(taggedTypes, 'Type of the resources'), { required: true }),
      },
      reply: list(resourceSchema),
      handle: (request) => {
        const type = parseTargetType(request.queryRequired('resourceType'));
        if (!taggedTypes.includes(type)) {
          throw new AppError(
            'bad-request',
            `resourceType must be one of ${taggedTypes.join(', ')}`,
          );
        }
        const tag = `${request.queryRequired('tagKey')}:${request.queryRequired('tagValue')}`;
        const found = tags
          .described(type, tag)
          .filter(({ of }) => mayRead(request.caller, { type, id: of }));
        return found.map(({ id, displayName }) => ({ id, displayName }));
      },
    }),
  ];
}
