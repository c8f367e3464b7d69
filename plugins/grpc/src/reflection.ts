// Asks a gRPC server that offers reflection for its services and their types. The first version of
// the protocol and its predecessor differ in the name of their package only.
import {
  isMap,
  type Json,
  type JsonMap,
  textFrom,
  methodNamed,
  type GrpcMethod,
  type Plugin,
  type PluginServices,
} from '@downbeat/plugin';
import { GrpcClient, GrpcError, type GrpcCall, type GrpcServer } from './grpc-client.js';

const protocol = (version: string): string => `
syntax = "proto3";
package grpc.reflection.${version};
message ServerReflectionRequest {
  string host = 1;
  oneof message_request {
    string file_by_filename = 3;
    string file_containing_symbol = 4;
    string list_services = 7;
  }
}
message ServerReflectionResponse {
  FileDescriptorResponse file_descriptor_response = 4;
  ListServiceResponse list_services_response = 6;
  ErrorResponse error_response = 7;
}
message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
message ListServiceResponse { repeated ServiceResponse service = 1; }
message ServiceResponse { string name = 1; }
message ErrorResponse { int32 error_code = 1; string error_message = 2; }
service ServerReflection {
  rpc ServerReflectionInfo(stream ServerReflectionRequest)
    returns (stream ServerReflectionResponse);
}`;

const servicesMax = 500;

type ReadProtos = PluginServices['readProtos'];
type Asked = Pick<GrpcCall, 'server' | 'headers' | 'timeoutMs' | 'signal'>;

/** Methods of all services of the server. Rejects with GrpcError. */
export async function reflectedMethods(
  client: GrpcClient,
  readProtos: ReadProtos,
  asked: Asked,
): Promise<readonly GrpcMethod[]> {
  try {
    return await reflectedBy({ client, readProtos }, asked, 'v1');
  } catch (error) {
    if (!(error instanceof GrpcError) || error.status !== 'UNIMPLEMENTED') throw error;
    return await reflectedBy({ client, readProtos }, asked, 'v1alpha');
  }
}

async function reflectedBy(
  { client, readProtos }: { readonly client: GrpcClient; readonly readProtos: ReadProtos },
  asked: Asked,
  version: string,
): Promise<readonly GrpcMethod[]> {
  const content = Buffer.from(protocol(version));
  const methods = await readProtos([{ filename: 'reflection.proto', content }]);
  const info = methodNamed(methods, 'ServerReflectionInfo') as GrpcMethod;
  const ask = async (requests: readonly JsonMap[]): Promise<JsonMap[]> => {
    const { path, type } = info;
    const messages = requests.map((request) => info.encode(request));
    const answers = await client.call({ ...asked, path, type, messages, compressed: false });
    return answers.map((answer) => info.decode(answer) as JsonMap);
  };
  const [listed] = await ask([{ listServices: '' }]);
  const names = listOf(listed?.['listServicesResponse'], 'service')
    .map((service) => textFrom(isMap(service) ? service['name'] : ''))
    .filter((name) => name !== '' && !name.startsWith('grpc.reflection.'))
    .slice(0, servicesMax);
  if (names.length === 0) return [];
  const files = await ask(names.map((name) => ({ fileContainingSymbol: name })));
  return await readProtos([{ filename: 'reflected', content: descriptorSet(files) }]);
}

/** The files of all answers, each once. */
function descriptorSet(answers: readonly JsonMap[]): Buffer {
  const files = answers.flatMap((answer) => {
    const error = answer['errorResponse'];
    if (isMap(error)) throw new GrpcError('NOT_FOUND', textFrom(error['errorMessage']));
    return listOf(answer['fileDescriptorResponse'], 'fileDescriptorProto').map(String);
  });
  const parts = [...new Set(files)].map((file) => Buffer.from(file, 'base64'));
  return Buffer.concat(parts.flatMap((part) => [fieldHead(part.length), part]));
}

/** Field 1 of a message, of so many bytes. */
function fieldHead(length: number): Buffer {
  const bytes = [0x0a];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function listOf(value: Json | undefined, key: string): readonly Json[] {
  const list = isMap(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

/**
 * Methods of all services of a server. Rejects with an Error that is fit to be shown where it does
 * not describe itself.
 */
export const describeServer: NonNullable<Plugin['describeServer']> = async (services, asked) => {
  const address = grpcAddress(asked.address);
  if (address === undefined) throw new Error('its address must be host:port');
  const { useSSL, trustCert, headers, timeoutMs } = asked;
  return await reflectedMethods(new GrpcClient(services), services.readProtos, {
    ...{ server: { ...address, useSSL, trustCert }, headers, timeoutMs },
    signal: AbortSignal.timeout(timeoutMs),
  });
};

/** Host and port of `host:port`; undefined: it is none. */
export function grpcAddress(address: string): Pick<GrpcServer, 'host' | 'port'> | undefined {
  const [, bracketed, plain, port] =
    /^(?:grpcs?:\/\/|dns:\/\/\/)?(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})\/?$/.exec(address.trim()) ??
    [];
  const host = bracketed ?? plain;
  return host === undefined || port === undefined ? undefined : { host, port };
}
