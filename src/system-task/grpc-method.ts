// Methods of gRPC services. A part of the contract with plug-ins (docs/plugins.md).
import type { Json } from '../model/json.js';

export interface ProtoSource {
  readonly filename: string;
  readonly content: Buffer;
}

export const grpcMethodTypes = [
  'UNARY',
  'SERVER_STREAMING',
  'CLIENT_STREAMING',
  'BIDIRECTIONAL_STREAMING',
] as const;
export type GrpcMethodType = (typeof grpcMethodTypes)[number];

/** A method with what turns its messages into bytes and back. */
export interface GrpcMethod {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly type: GrpcMethodType;
  /** Full names of messages. */
  readonly inputType: string;
  readonly outputType: string;
  /** Throws Error that names the field for what is no message of the input type. */
  encode(message: Json): Buffer;
  decode(bytes: Buffer): Json;
}

/** A method by `package.Service/Method`, with or without a slash before it, or its bare name. */
export function methodNamed(methods: readonly GrpcMethod[], name: string): GrpcMethod | undefined {
  const path = `/${name.replace(/^\//, '')}`;
  return (
    methods.find((method) => method.path === path) ??
    methods.find((method) => method.path.endsWith(path))
  );
}
