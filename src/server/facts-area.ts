// Small endpoints about the server itself, out of its settings and the state of its store.
import { serverFactRoutes } from '../api/server-facts.js';
import type { Area, AreaParts } from './area.js';
import { version } from './version.js';

export function factsArea({
  settings,
  stores,
  rooms,
}: Pick<AreaParts, 'settings' | 'stores' | 'rooms'>): Area {
  const endpoints = serverFactRoutes({
    limits: {
      bodyBytesMax: settings.bodyBytesMax,
      workflowPayloadBytesMax: settings.workflowPayloadBytesMax,
      taskPayloadBytesMax: settings.taskPayloadBytesMax,
      pollCountMax: settings.pollCountMax,
      waitSecondsMax: settings.waitSecondsMax,
      tasksPerExecutionMax: settings.tasksPerExecutionMax,
      requestsPerSecondMax: settings.requestsPerSecondMax,
      secretBytesMax: settings.secretBytesMax,
    },
    page: () => ({
      version,
      authentication: settings.auth,
      identityProvider: settings.auth && settings.oidcIssuer !== '',
      hasAdministrator: rooms.lent.administrators.areThere(),
    }),
    storeMemory: () => stores.memory.usage,
  });
  return { endpoints, services: [] };
}
