// The task types of the field that are no worker's (contract-core 3, semantics 4.23), whether this
// server carries them out or not. A definition may name any of them. A task of one that no file of
// task-types or system-task carries out fails with a reason; a type that is not listed here is
// polled for by workers.
export const fieldTaskTypes: ReadonlySet<string> = new Set([
  // The flow
  'FORK',
  'FORK_JOIN',
  'FORK_JOIN_DYNAMIC',
  'JOIN',
  'EXCLUSIVE_JOIN',
  'SWITCH',
  'DECISION',
  'DO_WHILE',
  'SUB_WORKFLOW',
  'START_WORKFLOW',
  'SET_VARIABLE',
  'TERMINATE',
  'NOOP',
  // Waiting
  'WAIT',
  'HUMAN',
  'YIELD',
  'WAIT_FOR_WEBHOOK',
  'PULL_WORKFLOW_MESSAGES',
  // Scripts and rules
  'INLINE',
  'LAMBDA',
  'JSON_JQ_TRANSFORM',
  'BUSINESS_RULE',
  // Other executions
  'GET_WORKFLOW',
  'TERMINATE_WORKFLOW',
  'UPDATE_TASK',
  'QUERY_PROCESSOR',
  // Calls to other systems
  'HTTP',
  'HTTP_POLL',
  'GRPC',
  'EVENT',
  'KAFKA_PUBLISH',
  'JDBC',
  'SENDGRID',
  'OPSGENIE',
  // Secrets
  'GET_SIGNED_JWT',
  'UPDATE_SECRET',
  // Documents
  'GET_DOCUMENT',
  'PARSE_DOCUMENT',
  'CHUNK_TEXT',
  'LIST_FILES',
  // Language models
  'LLM_TEXT_COMPLETE',
  'LLM_CHAT_COMPLETE',
  'LLM_INDEX_TEXT',
  'LLM_INDEX_DOCUMENT',
  'LLM_SEARCH_INDEX',
  'LLM_SEARCH_EMBEDDINGS',
  'LLM_GENERATE_EMBEDDINGS',
  'LLM_STORE_EMBEDDINGS',
  'LLM_GET_EMBEDDINGS',
  'GENERATE_IMAGE',
  'GENERATE_AUDIO',
  'GENERATE_VIDEO',
  'GENERATE_PDF',
  'LIST_MCP_TOOLS',
  'CALL_MCP_TOOL',
  // Agents
  'AGENT',
  'GET_AGENT_CARD',
  'CANCEL_AGENT',
]);
