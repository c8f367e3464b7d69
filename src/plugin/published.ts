// The contract that a plug-in imports: `@downbeat/plugin` is this file and what it imports,
// compiled (plugins/contract). It depends on nothing else, so a plug-in may bring a copy of its
// own: errors are told by their names, not by their classes.
export { BrokerError, isBrokerError } from '../broker/broker-error.js';
export type {
  BrokerKind,
  BrokerMessage,
  BrokerPublication,
  BrokerReader,
  BrokerSink,
  BrokerTarget,
  BrokerWays,
  ConnectionGuard,
  HttpSend,
} from '../broker/broker-kind.js';
export { BrokerSettings } from '../broker/broker-settings.js';
export { parseHosts, reachableAddress, type HostAndPort } from '../broker/endpoint.js';
export { keptAlive } from '../broker/keep-alive.js';
export { Window } from '../broker/window.js';
export { reachesNothing, type Reach } from '../engine/reaches.js';
export {
  numberFrom,
  parseJson,
  parseJsonOrNull,
  textFrom,
  toJsonText,
} from '../model/json-text.js';
export {
  hasInput,
  isGiven,
  missingInputs,
  type ConfiguredInput,
  type KnownTemplates,
} from '../model/input-rules.js';
export { isMap, type Json, type JsonMap } from '../model/json.js';
export { withVariables } from '../model/placeholders.js';
export {
  methodNamed,
  type GrpcMethod,
  type GrpcMethodType,
  type ProtoSource,
} from '../system-task/grpc-method.js';
export { Lru } from '../std/lru.js';
export { inSlices, itemsPerSlice, type Steps } from '../std/slices.js';
export { charsetOf, decodedText } from '../system-task/decoded-text.js';
export type {
  DocumentAddress,
  DocumentReader,
  PluginJobs,
  LoadedDocument,
} from '../system-task/documents/document-reader.js';
export { chunksOf } from '../system-task/documents/text-chunks.js';
export { FinalFailure, isFinalFailure } from '../system-task/final-failure.js';
export { configured, required, type OpenIntegration } from '../system-task/open-integration.js';
export { isOutboundError, OutboundError } from '../system-task/outbound-failure.js';
export {
  headerOf,
  type Fetch,
  type OutboundRequest,
  type OutboundResponse,
} from '../system-task/outbound-request.js';
export {
  isRemoteCallError,
  RemoteCallError,
  type CalledService,
  type RemoteTarget,
} from '../system-task/remote-target.js';
export {
  checkInner,
  checkParameters,
  flag,
  integerFrom,
  list,
  map,
  numberFrom as numberWithin,
  parameterTrouble,
  requiredText,
  TaskInput,
  text,
  type Parameter,
  type Parameters,
} from '../system-task/task-input.js';
export { completed, failed, type TaskOutcome, type TaskRun } from '../system-task/task-run.js';
export {
  foundPiece,
  type VectorDocument,
  type VectorIndex,
  type VectorIndexes,
  type VectorPlace,
  type VectorStoreKind,
  type VectorStoreServices,
} from '../system-task/vectors/vector-store-kind.js';
export {
  contextOf,
  parsed,
  type ParsedContext,
  type TraceContext,
} from '../telemetry/trace-context.js';
export type { Span, SpanKind, Tracer } from '../telemetry/tracer.js';
export { documentPath } from '../std/document-path.js';
export { parameterTask, type ParameterTask } from './parameter-task.js';
export {
  PluginRefusal,
  type PluginArea,
  type PluginAreaServices,
  type PluginCaller,
  type PluginEndpoint,
  type PluginJob,
  type PluginRecord,
  type PluginRecords,
  type PluginRefusalKind,
  type PluginRequest,
  type PluginRouteUsers,
} from './plugin-area.js';
export {
  pluginContract,
  type AskedPrompt,
  type FilledPrompt,
  type OpenTracing,
  type Plugin,
  type PluginDocuments,
  type PluginFolders,
  type PluginIntegrations,
  type DescribedServer,
  type PluginPrompts,
  type PluginRemoteCalls,
  type PluginServices,
  type PluginSetting,
  type PluginSettings,
  type PluginTask,
  type PluginTaskType,
  type PluginTokenBudget,
  type PluginTracing,
  type PromptTest,
  type PromptTestServices,
  type TracingFacts,
  type UsedTokens,
} from './plugin.js';
export type { PluginHttp, PluginSettingValues } from './plugin-services.js';
