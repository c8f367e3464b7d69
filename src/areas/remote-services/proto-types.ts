// Message types and methods of gRPC services, out of proto files and compiled descriptor sets
// (contract-admin 15.4). Messages are JSON in the mapping of protocol buffers 3: longs and bytes
// are texts, enums are names. The library is loaded at first use.
import type * as protobuf from 'protobufjs';
import type { Method, Namespace, ReflectionObject, Root, Service, Type } from 'protobufjs';
import type descriptor from 'protobufjs/ext/descriptor.js';
import type { IFileDescriptorProto } from 'protobufjs/ext/descriptor.js';
import type { GrpcMethod, GrpcMethodType, ProtoSource } from '../../system-task/grpc-method.js';
import { parseJson, toJsonText } from '../../model/json-text.js';

type Library = typeof protobuf & { readonly descriptor: typeof descriptor };

/** Files that no service has to upload. */
const common = ['any', 'duration', 'empty', 'field_mask', 'struct', 'timestamp', 'wrappers'];

/** Carries out what holds the thread, when it is its turn. */
export type InTurn = <T>(work: () => T) => Promise<T>;

const atOnce: InTurn = async (work) => await Promise.resolve(work());

/** Rejects with Error whose message says what cannot be read. */
export async function readProtos(
  sources: readonly ProtoSource[],
  inTurn = atOnce,
): Promise<GrpcMethod[]> {
  const library = await load();
  const root = commonRoot(library);
  for (const source of sources) await inTurn(() => add(library, root, source));
  return await inTurn(() => methodsOf(library, root.resolveAll()));
}

/**
 * Rejects with Error whose message says where the file cannot be read. Its imports are not asked
 * for: it may come later.
 */
export async function checkProto(source: ProtoSource, inTurn = atOnce): Promise<void> {
  const library = await load();
  await inTurn(() => add(library, new library.Root(), source));
}

async function load(): Promise<Library> {
  const { default: library } = await import('protobufjs');
  const { default: descriptor } = await import('protobufjs/ext/descriptor.js');
  const { default: protojson } = await import('protobufjs/ext/protojson.js');
  protojson.install();
  return Object.assign(library as typeof protobuf, { descriptor });
}

function commonRoot(library: Library): Root {
  const root = new library.Root();
  for (const name of common) {
    const file = library.common.get(`google/protobuf/${name}.proto`);
    if (file?.nested) root.addJSON(file.nested);
  }
  return root;
}

function add(library: Library, root: Root, { filename, content }: ProtoSource): void {
  try {
    if (filename.endsWith('.proto') && isText(content)) {
      library.parse(content.toString('utf8'), root);
      return;
    }
    const { file } = library.descriptor.FileDescriptorSet.decode(content);
    // Bytes of another message decode too, as a set without files.
    if (file.length === 0) throw new Error('it holds no file descriptor');
    const files = [...file, ...missingCommon(library, file)];
    const set = library.Root.fromDescriptor({ file: files });
    for (const nested of set.nestedArray) merge(root, nested);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${filename} is no proto file that can be read: ${why}`, { cause });
  }
}

/** The common files as far as a set lacks them: compilers leave imports out unless asked. */
function missingCommon(
  library: Library,
  files: readonly IFileDescriptorProto[],
): IFileDescriptorProto[] {
  const own = files.filter((file) => file.package === 'google.protobuf');
  const names = new Set(own.flatMap((file) => typesOf(file).map(({ name }) => name)));
  const root = commonRoot(library);
  root.resolveAll();
  return (root.toDescriptor('proto3').file ?? []).map((file) => ({
    ...file,
    messageType: (file.messageType ?? []).filter(({ name }) => !names.has(name)),
    enumType: (file.enumType ?? []).filter(({ name }) => !names.has(name)),
  }));
}

function typesOf(file: IFileDescriptorProto): { name?: string | null | undefined }[] {
  return [...(file.messageType ?? []), ...(file.enumType ?? [])];
}

/** Packages of several files are one; what is known already stays. */
function merge(into: Namespace, added: ReflectionObject): void {
  const known = into.get(added.name);
  if (known === null) {
    into.add(added);
    return;
  }
  const inner = (added as Namespace).nestedArray as ReflectionObject[] | undefined;
  if (!isPackage(known) || !isPackage(added) || inner === undefined) return;
  for (const each of [...inner]) merge(known as Namespace, each);
}

function isPackage(object: ReflectionObject): boolean {
  return object.constructor.name === 'Namespace';
}

function isText(content: Buffer): boolean {
  return !content.includes(0);
}

function methodsOf(library: Library, namespace: Namespace): GrpcMethod[] {
  return namespace.nestedArray.flatMap((object) => {
    if (object instanceof library.Service) return methodsOfService(object);
    return object instanceof library.Namespace ? methodsOf(library, object) : [];
  });
}

function methodsOfService(service: Service): GrpcMethod[] {
  return service.methodsArray.map((method) => {
    method.resolve();
    const { name, resolvedRequestType: input, resolvedResponseType: output } = method;
    return toMethod(`/${bare(service)}/${name}`, method, input as Type, output as Type);
  });
}

function toMethod(path: string, method: Method, input: Type, output: Type): GrpcMethod {
  return {
    path,
    type: typeOf(method),
    inputType: bare(input),
    outputType: bare(output),
    encode: (message) =>
      Buffer.from(input.encode(input.fromJsonString(toJsonText(message))).finish()),
    decode: (bytes) => parseJson(output.toJsonString(output.decode(bytes))),
  };
}

function typeOf({ requestStream, responseStream }: Method): GrpcMethodType {
  if (requestStream === true) {
    return responseStream === true ? 'BIDIRECTIONAL_STREAMING' : 'CLIENT_STREAMING';
  }
  return responseStream === true ? 'SERVER_STREAMING' : 'UNARY';
}

/** Full name without the dot of the root. */
function bare(object: ReflectionObject): string {
  return object.fullName.replace(/^\./, '');
}
