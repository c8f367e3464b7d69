// The plug-ins that are made with this server, and what each brings (docs/plugins.md). A server
// without one of them still knows its names, so it can say what is missing.

export interface KnownPlugin {
  /** Folder below plugins/, and the end of the package's name. */
  readonly name: string;
  readonly taskTypes: readonly string[];
  /** First parts of event names that mean its brokers, and their types of integrations. */
  readonly eventKinds: readonly string[];
  readonly providerTypes: readonly string[];
  /** Types of integrations whose vectors it keeps. */
  readonly vectorStores: readonly string[];
  /** Of documents that it reads. */
  readonly mediaTypes: readonly string[];
  /** It comes with the server, since it brings no packages (bin/lib/plugins.mjs). */
  readonly isIncluded?: true;
}

const nothing = {
  ...{ taskTypes: [], eventKinds: [], providerTypes: [], vectorStores: [], mediaTypes: [] },
};

export const knownPlugins: readonly KnownPlugin[] = [
  { ...nothing, name: 'mcp', taskTypes: ['LIST_MCP_TOOLS', 'CALL_MCP_TOOL'] },
  {
    ...nothing,
    name: 'kafka',
    taskTypes: ['KAFKA_PUBLISH'],
    eventKinds: ['kafka'],
    providerTypes: ['kafka', 'kafka_msk', 'kafka_confluent'],
  },
  {
    ...{ ...nothing, name: 'amqp' },
    eventKinds: ['amqp', 'amqp_queue', 'amqp_exchange'],
    providerTypes: ['amqp'],
  },
  { ...nothing, name: 'nats', eventKinds: ['nats', 'jsm'], providerTypes: ['nats'] },
  { ...nothing, name: 'sqs', eventKinds: ['sqs'], providerTypes: ['aws_sqs'] },
  {
    ...{ ...nothing, name: 'documents' },
    taskTypes: ['GET_DOCUMENT', 'PARSE_DOCUMENT', 'CHUNK_TEXT', 'LIST_FILES', 'GENERATE_PDF'],
    mediaTypes: ['application/pdf', 'text/html', 'application/xhtml+xml'],
  },
  { ...nothing, name: 'grpc', taskTypes: ['GRPC'] },
  {
    ...{ ...nothing, name: 'models', isIncluded: true },
    taskTypes: [
      ...['LLM_CHAT_COMPLETE', 'LLM_TEXT_COMPLETE', 'LLM_GENERATE_EMBEDDINGS'],
      ...['GENERATE_IMAGE', 'GENERATE_AUDIO', 'GENERATE_VIDEO'],
      ...['LLM_INDEX_TEXT', 'LLM_INDEX_DOCUMENT', 'LLM_STORE_EMBEDDINGS'],
      ...['LLM_SEARCH_INDEX', 'LLM_SEARCH_EMBEDDINGS', 'LLM_GET_EMBEDDINGS'],
    ],
  },
  { ...nothing, name: 'mail', taskTypes: ['SENDGRID', 'OPSGENIE'] },
  { ...nothing, name: 'opentelemetry' },
  { ...nothing, name: 'rules', taskTypes: ['BUSINESS_RULE'] },
  { ...nothing, name: 'sql', taskTypes: ['JDBC'], vectorStores: ['pgvectordb'] },
];

export function packageOfPlugin(name: string): string {
  return `@downbeat/plugin-${name}`;
}
