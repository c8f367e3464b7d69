// Task definition (contract-core 5.1). `parse-task-def.ts` makes it from outside input with
// defaults filled in.
import type { JsonMap } from './json.js';
import type { AuditFields, SchemaDef } from './audit-fields.js';

export type RetryLogic = 'FIXED' | 'EXPONENTIAL_BACKOFF' | 'LINEAR_BACKOFF';
export type TaskTimeoutPolicy = 'RETRY' | 'TIME_OUT_WF' | 'ALERT_ONLY';

export interface TaskDef extends AuditFields {
  name: string;
  description?: string;
  retryCount: number;
  retryLogic: RetryLogic;
  retryDelaySeconds: number;
  backoffScaleFactor: number;
  maxRetryDelaySeconds: number;
  backoffJitterMs: number;
  timeoutSeconds: number;
  timeoutPolicy: TaskTimeoutPolicy;
  responseTimeoutSeconds: number;
  pollTimeoutSeconds?: number;
  totalTimeoutSeconds: number;
  /** Absent or <= 0: no limit. */
  concurrentExecLimit?: number;
  /** Both must be above 0 to limit anything. */
  rateLimitPerFrequency: number;
  rateLimitFrequencyInSeconds: number;
  inputKeys: string[];
  outputKeys: string[];
  inputTemplate: JsonMap;
  isolationGroupId?: string;
  executionNameSpace?: string;
  ownerEmail?: string;
  baseType?: string;
  inputSchema?: SchemaDef;
  outputSchema?: SchemaDef;
  enforceSchema: boolean;
  taskStatusListenerEnabled: boolean;
  runtimeMetadata: string[];
  /** Using it in a workflow needs EXECUTE on it (docs/access.md). */
  restricted?: boolean;
}
