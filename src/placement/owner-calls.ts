// The calls that an execution's owner carries out for other nodes, each under its own name. They
// are the contract of executions once more, with everything in plain data: commands and payloads
// as they are, views and waits by name, replies without live records.
import { AppError } from '../model/errors.js';
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
import { inTrace, type Trace } from '../telemetry/trace.js';
import {
  bySystem,
  type CommandOptions,
  type Executions,
  type StartRequest,
} from '../shard/executions.js';
import type { NamedView, NamedWait } from '../shard/named-views.js';
import { isShardMoved, shardMoved } from '../shard/refusals.js';
import type { OwnedShards } from '../shard/owned-shards.js';
import type { PeerHandler, Peers } from './peer/peers.js';

export const ownerCall = {
  start: 'start',
  startAs: 'startAs',
  /** A `startAs` of what has ended elsewhere: a node that does not know it must not start it. */
  importAs: 'importAs',
  command: 'command',
  view: 'view',
  wait: 'wait',
  remove: 'remove',
  release: 'release',
} as const;

export interface StartAsCall {
  readonly id: ExecutionId;
  readonly request: StartRequest;
  readonly isFirst: boolean | undefined;
  readonly trace: Trace | undefined;
}

export interface StartCall {
  /** Holds the record of the idempotency key. */
  readonly shard: number;
  readonly request: StartRequest;
  readonly trace: Trace | undefined;
}

export interface CommandCall {
  readonly id: string;
  readonly command: Command;
  /** A node of an earlier version names no caller where the server itself sends it. */
  readonly options: Partial<CommandOptions> | undefined;
  readonly trace: Trace | undefined;
}

export interface ViewCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface WaitCall extends ViewCall {
  readonly timeoutMs: number;
}

/** The shard is not served by the node that was asked; nothing was done. */
export class NotOwner extends Error {
  override name = 'NotOwner';
}

export function isNotOwner(error: unknown): boolean {
  return error instanceof NotOwner || isShardMoved(error);
}

export interface OwnerCallParts {
  /** Executions of the shards that this node owns. */
  readonly local: Executions;
  readonly owned: OwnedShards;
  readonly shards: number;
  readonly views: readonly NamedView<never, unknown>[];
  readonly waits: readonly NamedWait<never, unknown>[];
}

/** Answers the calls of other nodes about executions of this one. */
export function answerOwnerCalls(peers: Peers, parts: OwnerCallParts): void {
  const { local, owned, shards } = parts;
  const views = new Map(parts.views.map((view) => [view.name, view as AnyView]));
  const waits = new Map(parts.waits.map((wait) => [wait.name, wait as AnyWait]));
  const requireShard = (shard: number): void => {
    if (!owned.accepts(shard)) throw shardMoved();
  };
  const requireOwner = (id: string): void => requireShard(shardOf(id as ExecutionId, shards));
  const handlers: Record<keyof typeof ownerCall, PeerHandler> = {
    start: async (body) => {
      const { shard, request, trace } = body as StartCall;
      requireShard(shard);
      return await inTrace(trace, () => local.start(request));
    },
    startAs: async (body) => {
      const { id, request, isFirst, trace } = body as StartAsCall;
      requireOwner(id);
      return await inTrace(trace, () => local.startAs(id, request, isFirst));
    },
    importAs: async (body) => {
      const { id, request, trace } = body as StartAsCall;
      requireOwner(id);
      return await inTrace(trace, () => local.startAs(id, request));
    },
    command: async (body) => {
      const { id, command, options, trace } = body as CommandCall;
      requireOwner(id);
      return toWire(
        await inTrace(trace, () => local.command(id, command, { ...bySystem, ...options })),
      );
    },
    view: async (body) => {
      const { id, name, args } = body as ViewCall;
      requireOwner(id);
      const { view } = knownOf(views, name);
      const seen = await local.read(id, (open) => ({ answer: view(open, args) }));
      return seen === undefined ? null : [seen.answer];
    },
    wait: async (body, { signal }) => {
      const { id, name, args, timeoutMs } = body as WaitCall;
      requireOwner(id);
      return await local.watch({ id, wait: knownOf(waits, name), args, timeoutMs, signal });
    },
    remove: async (body) => {
      requireOwner(body as string);
      await local.remove(body as string);
      return null;
    },
    release: async (body) => {
      requireOwner(body as string);
      return await local.release(body as string);
    },
  };
  for (const [operation, handler] of Object.entries(handlers)) peers.handle(operation, handler);
}

type AnyView = NamedView<unknown, unknown>;
type AnyWait = NamedWait<unknown, unknown>;

function knownOf<T>(known: ReadonlyMap<string, T>, name: string): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  throw new AppError('unavailable', unknownQuestion(name));
}

/** Whether the node that was asked is of an earlier version, which has no view of this name. */
export function isUnknownQuestion(error: unknown, name: string): boolean {
  return (
    error instanceof AppError &&
    error.kind === 'unavailable' &&
    error.message === unknownQuestion(name)
  );
}

/** Nodes of other versions know the refusal by this sentence: it stays as it is. */
function unknownQuestion(name: string): string {
  return `This node does not know the question ${name}`;
}

/** Live records stay at their owner: no caller of another node may hold one. */
function toWire(reply: Reply): Reply {
  if (reply.kind === 'updated') {
    const { task, ignored } = reply;
    return { kind: 'updated', task: task && { number: task.number }, ignored };
  }
  if (reply.kind === 'claimed') throw new Error('A claim is no command of another node');
  return reply;
}
