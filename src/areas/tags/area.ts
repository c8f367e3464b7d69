// Endpoints of tags (contract-admin 9): those of definitions, with the limits that stand behind
// some of them, and the lists of all tags. The tags themselves belong to the kernel
// (operation/tags), since every area uses them.
import { area } from '../area.js';
import { definitionTagRoutes } from './definition-tags.js';
import { tagListRoutes } from './tag-lists.js';

export const tags = area({
  name: 'tags',
  about: 'Tags of definitions, and what is tagged over all areas.',
  settings: {},
  records: {},
  needs: ['access', 'tags', 'operations', 'executionLimits'],
  build: ({ access, tags, operations: { definitions }, executionLimits: limits }) => ({
    endpoints: [
      ...definitionTagRoutes({ tags, limits, definitions }),
      ...tagListRoutes(tags, access),
    ],
  }),
});
