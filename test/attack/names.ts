// Names of the lists of attacks: `npm run attack` checks them before anything is built.

export const attackNames = ['routes', 'task-types', 'raw-http', 'floods'] as const;

export type AttackName = (typeof attackNames)[number];
