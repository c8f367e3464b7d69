// The kinds of integration providers that this server knows (contract-admin 14.3), and what it
// shows of each so that a page can ask for its configuration.
import type { Json, JsonMap } from '../../model/json.js';
import type { Category } from '../../model/provider-category.js';

/** Configuration keys that are sealed and answered masked. */
const secretKeys: ReadonlySet<string> = new Set([
  'api_key',
  'password',
  'schemaRegistryApiKey',
  'schemaRegistryApiSecret',
  'keyStorePassword',
  'serviceAccountCredentials',
  'file',
  'tlsFile',
  'header',
]);
/** Keys of kinds that this server does not know. */
const secretName = /(?:password|secret|token|credentials?|private_?key|api_?key)$/i;

export function isSecretKey(key: string): boolean {
  return secretKeys.has(key) || secretName.test(key);
}

/**
 * Whether a field rests sealed and is answered masked: one that holds a secret, and a text of a
 * field that no known kind has, because nobody knows what it holds. `value`: as it was given.
 */
export function isSealed(key: string, value: Json): boolean {
  if (isSecretKey(key)) return true;
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === null;
  return !isPlain && value !== '' && !plainKeys.has(key);
}

interface ProviderType {
  readonly category: Category;
  readonly required: readonly string[];
  readonly optional?: readonly string[];
}

const model = (required: readonly string[], optional?: readonly string[]): ProviderType =>
  optional === undefined
    ? { category: 'AI_MODEL', required }
    : { category: 'AI_MODEL', required, optional };
const vectors = (required: readonly string[], optional: readonly string[] = []): ProviderType => ({
  category: 'VECTOR_DB',
  required,
  optional,
});
const broker = (required: readonly string[], optional: readonly string[] = []): ProviderType => ({
  category: 'MESSAGE_BROKER',
  required,
  optional,
});

const aws = ['connectionType', 'region'];
const awsMore = ['user', 'api_key', 'roleArn', 'externalId', 'awsAccountId'];
const kafka = broker(['endpoint', 'connectionType', 'protocol'], ['groupId']);

/** Clients know eight categories, so cloud providers are shown as API (contract-admin 14.1). */
const providerTypes: Readonly<Record<string, ProviderType>> = {
  openai: model(['api_key'], ['endpoint', 'organizationId']),
  azure_openai: model(['api_key', 'endpoint']),
  ollama: model(['endpoint'], ['header', 'api_key']),
  perplexity: model(['api_key']),
  grok: model(['api_key']),
  cohere: model(['api_key', 'endpoint']),
  mistral: model(['api_key', 'endpoint']),
  anthropic: model(['api_key', 'endpoint'], ['completionsPath', 'version', 'betaVersion']),
  vertex_ai: model(['projectName', 'environment', 'publisher', 'file']),
  vertex_ai_gemini: model(['projectName', 'environment', 'file']),
  huggingface: model(['api_key', 'namespace']),
  aws_bedrock_anthropic: model(aws, awsMore),
  aws_bedrock_cohere: model(aws, awsMore),
  aws_bedrock_llama2: model(aws, awsMore),
  aws_bedrock_titan: model(aws, awsMore),
  redis: vectors([], ['distance_metric']),
  pineconedb: vectors(['api_key', 'environment', 'projectName']),
  weaviatedb: vectors(['api_key', 'endpoint']),
  pgvectordb: vectors(
    ['user', 'password', 'datasourceURL', 'dimensions', 'distance_metric', 'indexing_method'],
    ['inverted_list_count'],
  ),
  mongovectordb: vectors(
    ['endpoint', 'namespace', 'dimensions', 'distance_metric'],
    ['inverted_list_count'],
  ),
  amqp: broker(['protocol', 'user', 'password', 'endpoint', 'port', 'namespace']),
  kafka,
  kafka_msk: kafka,
  kafka_confluent: kafka,
  nats: broker(['endpoint', 'connectionType', 'authenticationType', 'protocol', 'tls']),
  aws_sqs: broker(aws, [...awsMore, 'endpoint']),
  redis_stream: broker(['endpoint'], ['port', 'user', 'password', 'namespace', 'tls', 'startFrom']),
  azure_service_bus: broker(['connectionType'], ['endpoint', 'namespace']),
  gcp_pubsub: broker(['projectName', 'location', 'file']),
  ibm_mq: broker([
    'endpoint',
    'port',
    'queueManager',
    'channel',
    'protocol',
    'pubSubMethod',
    'authenticationType',
    'tls',
  ]),
  aws: { category: 'API', required: aws, optional: awsMore },
  gcp: { category: 'API', required: ['projectName', 'environment', 'file'] },
  relational_db: {
    category: 'RELATIONAL_DB',
    required: ['jdbcDriver', 'user', 'password', 'datasourceURL'],
  },
  sendgrid: { category: 'EMAIL', required: ['api_key'] },
  git: { category: 'GIT', required: ['user', 'api_key'] },
};

/** Fields of known kinds that hold no secret, and those of their parts. */
const plainKeys: ReadonlySet<string> = new Set([
  ...Object.values(providerTypes).flatMap(({ required, optional = [] }) => [
    ...required,
    ...optional,
  ]),
  ...['baseUrl', 'database', 'description', 'host', 'model', 'schemaRegistryUrl', 'topic', 'url'],
]);

/** undefined for a type that this server does not know. */
export function categoryOf(type: string): Category | undefined {
  return Object.hasOwn(providerTypes, type) ? providerTypes[type]?.category : undefined;
}

/** IntegrationDef of every known type (contract-admin 14.1). */
export function knownDefinitions(): JsonMap[] {
  return Object.entries(providerTypes).map(([name, { category, required, optional = [] }]) => ({
    name,
    type: name,
    category,
    categoryLabel: labelOf(category),
    description: `Connects to ${name}`,
    enabled: true,
    iconName: name,
    tags: [],
    configuration: [
      ...required.map((key) => formField(key, false)),
      ...optional.map((key) => formField(key, true)),
    ],
    apis: [],
  }));
}

function formField(fieldName: string, optional: boolean): JsonMap {
  const fieldType = isSecretKey(fieldName) ? 'PASSWORD' : 'TEXT';
  return { fieldName, fieldType, label: labelOf(fieldName), optional };
}

/** `api_key` becomes `Api key`. */
function labelOf(name: string): string {
  const words = name.replace(/_/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
