// The ports through which areas reach the rest of a node. An area declares those that it needs by
// name; each is a contract of the kernel, none is a bag of further parts.
import type { AccessRules } from '../access/access-rules.js';
import type { Leadership } from '../leader/leadership.js';
import type { Caller } from '../model/caller.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { OperationContext } from '../operation/context.js';
import type { Ownership } from '../operation/identity/ownership.js';
import type { Tags } from '../operation/tags/tags.js';
import type { Clock } from '../std/clock.js';
import type { Logger } from '../telemetry/logger.js';

export interface Ports {
  /** Store time (invariants M11). */
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this node leads the cluster. */
  readonly leadership: Leadership;
  readonly access: AccessRules;
  /** What definitions of workflows are held to. */
  readonly definitionRules: WorkflowRules;
  /** What creating and deleting a resource means for access. */
  readonly ownership: Ownership;
  readonly tags: Tags;
  /** Executions, queues and definitions, as operations use them. */
  readonly operations: OperationContext;
  /** Whose rights a resource acts with, by its owner of record; undefined: is gone. */
  readonly ownerOf: (ownerId: string) => Caller | undefined;
}

export type PortName = keyof Ports;
