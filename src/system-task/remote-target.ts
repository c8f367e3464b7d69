// A registered remote service as one run of a task calls it (contract-admin 15.2). A part of the
// contract with plug-ins (docs/plugins.md).
import type { JsonMap } from '../model/json.js';
import type { GrpcMethod, ProtoSource } from './grpc-method.js';

/** The task cannot call the service; the message becomes its reason. */
export class RemoteCallError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RemoteCallError';
  }
}

/** Told by its name: a plug-in may hold the class of its own copy of the contract. */
export function isRemoteCallError(error: unknown): error is RemoteCallError {
  return error instanceof Error && error.name === 'RemoteCallError';
}

/** The facts of a service that calls use. */
export interface CalledService {
  readonly name: string;
  readonly serviceURI: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly useSSL?: boolean;
  readonly trustCert?: boolean;
}

export interface RemoteTarget {
  readonly service: CalledService;
  /** Header that the service asks for. */
  readonly header: { readonly key: string; readonly value: string } | undefined;
  /** Makes the call unless the breaker refuses it. An error is a failure, unless cancelled. */
  guard<T>(call: () => Promise<T>, isFailure: (answer: T) => boolean): Promise<T>;
}

/** The run of a task that calls a service. */
export interface CallingRun {
  readonly startedBy: string | undefined;
  hide(secret: string): void;
}

/** The registry of remote services, as runs of tasks use it. */
export interface RemoteCalls {
  /**
   * The methods that the proto files of a service declare; none where one of them cannot be read.
   */
  methods(service: { readonly name: string }): Promise<readonly GrpcMethod[]>;
  /**
   * Methods out of proto files and compiled descriptor sets. Rejects with Error whose message says
   * what cannot be read.
   */
  readProtos(sources: readonly ProtoSource[]): Promise<readonly GrpcMethod[]>;
  /** undefined: the input names no service. Rejects with RemoteCallError. */
  target(input: JsonMap, run: CallingRun): Promise<RemoteTarget | undefined>;
}
