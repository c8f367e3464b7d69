// Where the models of a provider are called, by its kind (contract-admin 14.3). All kinds listed
// here speak the protocol of OpenAI; a provider of another kind can be registered, and a task that
// uses it fails and says so.
import { configured, FinalFailure, required, type OpenIntegration } from '@downbeat/plugin';

export interface ModelEndpoint {
  /** Name of the integration, for messages. */
  readonly provider: string;
  /** Without a slash at its end. */
  readonly base: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Name of the field that bounds the tokens of an answer. */
  readonly tokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether a streamed answer tells its tokens only when asked to. */
  readonly asksForUsage: boolean;
}

interface ModelKind {
  /** Used when the provider has no `endpoint`; undefined: it must have one. */
  readonly base?: string;
  /** Follows an endpoint that is a host alone. */
  readonly path: string;
  readonly keyHeader?: 'api-key';
  readonly needsKey: boolean;
  readonly tokensField: ModelEndpoint['tokensField'];
  readonly asksForUsage: boolean;
}

const ordinary = {
  path: '/v1',
  needsKey: true,
  tokensField: 'max_tokens',
  asksForUsage: false,
} as const;

const kinds: { readonly [type: string]: ModelKind } = {
  openai: {
    ...ordinary,
    base: 'https://api.openai.com/v1',
    tokensField: 'max_completion_tokens',
    asksForUsage: true,
  },
  azure_openai: {
    ...ordinary,
    path: '/openai/v1',
    keyHeader: 'api-key',
    tokensField: 'max_completion_tokens',
    asksForUsage: true,
  },
  ollama: { ...ordinary, needsKey: false, asksForUsage: true },
  grok: { ...ordinary, base: 'https://api.x.ai/v1', asksForUsage: true },
  mistral: { ...ordinary, base: 'https://api.mistral.ai/v1' },
  perplexity: { ...ordinary, base: 'https://api.perplexity.ai', path: '' },
};

/** Throws FinalFailure for a kind that is not spoken and for a configuration that lacks a key. */
export function modelEndpointOf(integration: OpenIntegration): ModelEndpoint {
  const { name, type } = integration;
  const kind = type !== undefined && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) {
    throw new FinalFailure(
      `The integration ${name} is of the type ${type ?? '(none)'}, whose protocol this server does not speak; ` +
        `it speaks ${Object.keys(kinds).join(', ')}`,
    );
  }
  const { tokensField, asksForUsage } = kind;
  return {
    provider: name,
    base: baseOf(integration, kind),
    headers: headersOf(integration, kind),
    tokensField,
    asksForUsage,
  };
}

/** An endpoint with a path is taken as it is. */
function baseOf(integration: OpenIntegration, { base, path }: ModelKind): string {
  const given = configured(integration, 'endpoint') || (base ?? required(integration, 'endpoint'));
  const isWeb = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
  if (!isWeb) {
    throw new FinalFailure(`The endpoint of the integration ${integration.name} is no web address`);
  }
  const url = new URL(given);
  url.search = '';
  url.hash = '';
  const plain = url.href.replace(/\/+$/, '');
  return url.pathname === '/' ? plain + path : plain;
}

function headersOf(integration: OpenIntegration, kind: ModelKind): Map<string, string> {
  const headers = new Map<string, string>();
  const key = kind.needsKey ? required(integration, 'api_key') : configured(integration, 'api_key');
  if (key !== '') {
    if (kind.keyHeader === undefined) headers.set('authorization', `Bearer ${key}`);
    else headers.set(kind.keyHeader, key);
  }
  const organization = configured(integration, 'organizationId');
  if (organization !== '') headers.set('openai-organization', organization);
  const header = configured(integration, 'header');
  if (header !== '') {
    const colon = header.indexOf(':');
    if (colon < 1) headers.set('authorization', header);
    else headers.set(header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim());
  }
  return headers;
}
