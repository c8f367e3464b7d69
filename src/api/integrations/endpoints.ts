// All routes of integrations (contract-admin 14.2).
import type { Endpoint } from '../endpoint.js';
import { modelRoutes, type ModelRouteParts } from './models.js';
import { providerRoutes, type ProviderRouteParts } from './providers.js';
import { usageRoutes, type UsageRouteParts } from './usage.js';

export type IntegrationRouteParts = ProviderRouteParts & ModelRouteParts & UsageRouteParts;

export function integrationRoutes(parts: IntegrationRouteParts): Endpoint[] {
  return [...providerRoutes(parts), ...modelRoutes(parts), ...usageRoutes(parts)];
}
