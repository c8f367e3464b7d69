// Endpoints of tags: those of definitions, with the limits that stand behind some of them, and the
// lists of all tags.
import { definitionTagRoutes } from '../api/tags/definition-tags.js';
import { tagListRoutes } from '../api/tags/tag-lists.js';
import type { Area, AreaParts } from './area.js';

export function tagsArea({
  rooms,
  definitionUse,
  operations,
}: Pick<AreaParts, 'rooms' | 'definitionUse' | 'operations'>): Area {
  const { resourceTags: tags, access } = rooms.lent;
  const { limits } = definitionUse;
  return {
    endpoints: [
      ...definitionTagRoutes({ tags, limits, definitions: operations.definitions }),
      ...tagListRoutes(tags, access),
    ],
    services: [],
  };
}
