// Task types that reach other systems, documents and language models; some come with plug-ins.
import { input, kind, ms, seconds, type TaskTypeKind } from './task-type';

const model = [input.line('Provider', 'llmProvider'), input.line('Model', 'model')];
const talk = [
  ...model,
  input.number('Temperature', 'temperature'),
  input.number('Top P', 'topP'),
  input.number('Most tokens', 'maxTokens'),
  input.texts('Stop words', 'stopWords'),
];
const prompt = [input.text('Prompt', 'prompt'), input.map('Variables', 'promptVariables')];
const vectors = [
  input.line('Vector store', 'vectorDB'),
  input.line('Index', 'index'),
  input.line('Namespace', 'namespace'),
];
const embedding = [
  input.line('Provider of embeddings', 'embeddingModelProvider'),
  input.line('Model of embeddings', 'embeddingModel'),
  input.number('Dimensions', 'dimensions'),
];
const media = [input.line('Format', 'outputFormat'), input.line('Kept at', 'outputLocation')];

export const outsideTypes: readonly TaskTypeKind[] = [
  kind(
    'KAFKA_PUBLISH',
    'Other systems',
    ['Kafka', 'publishes a message'],
    [
      input.line('Brokers', 'kafka_request.bootStrapServers'),
      input.line('Topic', 'kafka_request.topic'),
      input.line('Key', 'kafka_request.key'),
      input.json('Value', 'kafka_request.value'),
      input.map('Headers', 'kafka_request.headers'),
      input.number('Answer within', 'kafka_request.requestTimeoutMs', ms),
    ],
    {
      inputParameters: {
        kafka_request: {
          ...{ bootStrapServers: 'localhost:9092', topic: 'name of the topic' },
          value: '${workflow.input.message}',
        },
      },
    },
  ),
  kind(
    'GRPC',
    'Other systems',
    ['gRPC', 'calls a method of a service'],
    [
      input.line('Host', 'host'),
      input.number('Port', 'port'),
      input.line('Method', 'method', { hint: 'package.Service/Method' }),
      input.choice('Kind of method', 'methodType', {
        options: ['UNARY', 'CLIENT_STREAMING', 'SERVER_STREAMING', 'BIDI_STREAMING'],
      }),
      input.json('Request', 'request'),
      input.map('Headers', 'headers'),
      input.flag('With TLS', 'useSSL'),
    ],
    {
      inputParameters: {
        ...{ host: 'localhost', port: 443, method: 'package.Service/Method' },
        ...{ request: {}, useSSL: true },
      },
    },
  ),
  kind(
    'JDBC',
    'Other systems',
    ['SQL', 'asks or changes a database'],
    [
      input.line('Integration', 'integrationName'),
      input.choice('Kind', 'type', { options: ['SELECT', 'UPDATE'] }),
      input.text('Statement', 'statement', { hint: 'A ? for each parameter' }),
      input.json('Parameters', 'parameters'),
      input.number('Rows to change', 'expectedUpdateCount'),
    ],
    { inputParameters: { integrationName: '', type: 'SELECT', statement: 'SELECT 1' } },
  ),
  kind(
    'SENDGRID',
    'Other systems',
    ['Mail', 'sends a mail by SendGrid'],
    [
      input.line('From', 'from'),
      input.line('To', 'to'),
      input.line('Subject', 'subject'),
      input.choice('Content type', 'contentType', { options: ['text/plain', 'text/html'] }),
      input.text('Content', 'content'),
      input.line('Integration', 'sendgridConfiguration'),
    ],
  ),
  kind(
    'OPSGENIE',
    'Other systems',
    ['Opsgenie', 'raises an alert'],
    [
      input.line('Alias', 'alias'),
      input.line('Message', 'message'),
      input.text('Description', 'description'),
      input.json('Responders', 'responders'),
      input.line('Priority', 'priority'),
      input.texts('Tags', 'tags'),
    ],
  ),
  kind(
    'BUSINESS_RULE',
    'Other systems',
    ['Business rules', 'looks rules up in a table'],
    [
      input.line('Rules at', 'ruleFileLocation', { hint: 'csv or xlsx' }),
      input.choice('Takes', 'executionStrategy', { options: ['FIRE_FIRST', 'FIRE_ALL'] }),
      input.map('Conditions', 'inputColumns'),
      input.texts('Results', 'outputColumns'),
    ],
    { inputParameters: { ruleFileLocation: 'https://example.com/rules.csv' } },
  ),
  kind(
    'GET_SIGNED_JWT',
    'Other systems',
    ['Signed token', 'makes a JWT'],
    [
      input.line('Subject', 'subject'),
      input.line('Issuer', 'issuer'),
      input.line('Audience', 'audience'),
      input.line('Private key', 'privateKey', { hint: 'Such as ${workflow.secrets.key}' }),
      input.line('Id of the key', 'privateKeyId'),
      input.number('Lives for', 'ttlInSeconds', seconds),
      input.texts('Scopes', 'scopes'),
    ],
    { inputParameters: { privateKey: '${workflow.secrets.signing_key}' } },
  ),
  kind(
    'UPDATE_SECRET',
    'Other systems',
    ['Keep a secret', 'makes or replaces a secret'],
    [input.line('Name', '_secrets.secretKey'), input.line('Value', '_secrets.secretValue')],
  ),
  kind(
    'CALL_MCP_TOOL',
    'Other systems',
    ['MCP tool', 'calls a tool'],
    [
      input.line('Server', 'mcpServer'),
      input.line('Tool', 'method'),
      input.map('Arguments', 'arguments'),
    ],
  ),
  kind(
    'LIST_MCP_TOOLS',
    'Other systems',
    ['MCP tools', 'lists the tools of a server'],
    [input.line('Server', 'mcpServer')],
  ),
  kind(
    'GET_DOCUMENT',
    'Documents',
    ['Fetch a document', 'its text as output'],
    [input.line('Address', 'url'), input.line('Media type', 'mediaType')],
  ),
  kind(
    'PARSE_DOCUMENT',
    'Documents',
    ['Parse a document', 'its parts as output'],
    [
      input.line('Address', 'url'),
      input.line('Integration', 'integrationName'),
      input.line('Media type', 'mediaType'),
      input.number('Size of a part', 'chunkSize', { hint: '0: the whole' }),
    ],
  ),
  kind(
    'CHUNK_TEXT',
    'Documents',
    ['Cut a text', 'a text in parts'],
    [input.text('Text', 'text'), input.number('Size of a part', 'chunkSize')],
  ),
  kind(
    'LIST_FILES',
    'Documents',
    ['List files', 'files of a place'],
    [
      input.line('Place', 'inputLocation'),
      input.texts('Kinds', 'fileTypes'),
      input.line('Integration', 'integrationName'),
    ],
  ),
  kind(
    'GENERATE_PDF',
    'Documents',
    ['Make a PDF', 'sets Markdown as a PDF'],
    [
      input.text('Markdown', 'markdown'),
      input.choice('Page', 'pageSize', { options: ['A3', 'A4', 'A5', 'LETTER', 'LEGAL'] }),
      input.number('Size of letters', 'baseFontSize', { hint: 'Points' }),
      input.line('Kept at', 'outputLocation'),
    ],
  ),
  kind(
    'LLM_CHAT_COMPLETE',
    'Models',
    ['Chat', 'a model answers messages'],
    [
      input.text('Instructions', 'instructions'),
      input.json('Messages', 'messages'),
      ...talk,
      input.flag('Answers JSON', 'jsonOutput'),
    ],
  ),
  kind(
    'LLM_TEXT_COMPLETE',
    'Models',
    ['Complete a text', 'a model completes a prompt'],
    [input.line('Prompt', 'promptName'), input.map('Variables', 'promptVariables'), ...talk],
  ),
  kind(
    'LLM_GENERATE_EMBEDDINGS',
    'Models',
    ['Make embeddings', 'a text as a vector'],
    [...model, input.text('Text', 'text'), input.number('Dimensions', 'dimensions')],
  ),
  kind(
    'LLM_STORE_EMBEDDINGS',
    'Models',
    ['Store embeddings', 'keeps a vector'],
    [
      ...vectors,
      input.line('Id', 'id'),
      input.json('Embeddings', 'embeddings'),
      input.map('Metadata', 'metadata'),
      ...embedding.slice(0, 2),
    ],
  ),
  kind(
    'LLM_GET_EMBEDDINGS',
    'Models',
    ['Find by vector', 'what lies near a vector'],
    [...vectors, input.json('Embeddings', 'embeddings')],
  ),
  kind(
    'LLM_SEARCH_EMBEDDINGS',
    'Models',
    ['Search by vector', 'what lies near a vector'],
    [...vectors, input.json('Embeddings', 'embeddings')],
  ),
  kind(
    'LLM_INDEX_TEXT',
    'Models',
    ['Index a text', 'makes a text findable'],
    [...vectors, ...embedding, input.line('Id', 'docId'), input.text('Text', 'text')],
  ),
  kind(
    'LLM_INDEX_DOCUMENT',
    'Models',
    ['Index a document', 'makes a document findable'],
    [
      ...vectors,
      ...embedding,
      input.line('Address', 'url'),
      input.line('Media type', 'mediaType'),
      input.number('Size of a part', 'chunkSize'),
      input.number('Overlap', 'chunkOverlap'),
    ],
  ),
  kind(
    'LLM_SEARCH_INDEX',
    'Models',
    ['Search an index', 'finds texts by meaning'],
    [
      ...vectors,
      ...embedding,
      input.line('Question', 'query'),
      input.number('At most', 'maxResults'),
    ],
  ),
  kind(
    'GENERATE_IMAGE',
    'Models',
    ['Make a picture', 'from a prompt'],
    [
      ...model,
      ...prompt,
      input.number('Width', 'width'),
      input.number('Height', 'height'),
      input.number('How many', 'n'),
      ...media,
    ],
  ),
  kind(
    'GENERATE_AUDIO',
    'Models',
    ['Speak a text', 'as sound'],
    [...model, input.text('Text', 'text'), input.line('Voice', 'voice'), ...media],
  ),
  kind(
    'GENERATE_VIDEO',
    'Models',
    ['Make a film', 'from a prompt'],
    [...model, ...prompt, input.number('Lasts', 'duration', seconds), ...media],
  ),
];
