// All routes of integrations (contract-admin 14.2).
import type { Endpoint } from '../../api/endpoint.js';
import { modelRoutes, type ModelRouteParts } from './model-endpoints.js';
import { providerRoutes, type ProviderRouteParts } from './provider-endpoints.js';
import { usageRoutes, type UsageRouteParts } from './usage-endpoints.js';

export type IntegrationRouteParts = ProviderRouteParts & ModelRouteParts & UsageRouteParts;

export function integrationRoutes(parts: IntegrationRouteParts): Endpoint[] {
  return [...providerRoutes(parts), ...modelRoutes(parts), ...usageRoutes(parts)];
}
