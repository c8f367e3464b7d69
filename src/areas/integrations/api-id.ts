// The id of a model of a provider.

/** `provider:api`, as grants and prompts name it. */
export function apiId(provider: string, api: string): string {
  return `${provider}:${api}`;
}
