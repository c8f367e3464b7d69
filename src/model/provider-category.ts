// Categories of integration providers (contract-admin 14.1).

export const categories = [
  'API',
  'AI_MODEL',
  'VECTOR_DB',
  'RELATIONAL_DB',
  'MESSAGE_BROKER',
  'GIT',
  'EMAIL',
  'MCP',
  'CLOUD',
  'EVENT_SOURCE',
] as const;
export type Category = (typeof categories)[number];
