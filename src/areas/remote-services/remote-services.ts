// The registry of remote services (contract-admin 15): services, their methods and proto files. A
// new service belongs to its creator.
import type { SecretBox } from '../../access/secret-box.js';
import type { Caller } from '../../model/caller.js';
import { AppError, wrongField } from '../../model/errors.js';
import { maskedSecret } from '../../model/kept-secrets.js';
import { present } from '../../model/record-reader.js';
import { jsonCodec, type RecordTable } from '../../operation/records/record-table.js';
import { Lru } from '../../std/lru.js';
import type { ThreadTurns } from '../../std/thread-turns.js';
import type { GrpcMethod, ProtoSource } from '../../system-task/grpc-method.js';
import { checkProto, readProtos, type InTurn } from './proto-types.js';
import type { Ports } from '../ports.js';
import { Resource } from '../resource.js';
import type { NamedSchema } from '../schemas/port.js';
import type { Discovery } from './discovery.js';
import { checkKeptHeader, keptHeader } from './kept-header.js';
import { componentSchemas } from './openapi-components.js';
import { readOpenApi } from './openapi.js';
import {
  breakerOf,
  isSameMethod,
  methodsMax,
  ownerOf,
  remoteService,
  type RemoteService,
  type ServiceFields,
  type ServiceMethod,
  type ShownService,
} from './remote-service.js';

/** A file of one service; its content in base64. */
export interface ProtoFile {
  readonly service: string;
  readonly filename: string;
  readonly content: string;
}

export const protoCodec = jsonCodec<ProtoFile>('service-proto', protoId);

const protoBytesMax = 1024 * 1024;
/** Services whose types are kept in memory. */
const readServicesMax = 100;

export interface RemoteServicesParts extends Pick<
  Ports,
  'clock' | 'access' | 'ownership' | 'tags' | 'registerSchemas'
> {
  readonly table: RecordTable<RemoteService>;
  readonly protos: RecordTable<ProtoFile>;
  readonly box: SecretBox;
  readonly discovery: Discovery;
  /** Reading proto files holds the thread. */
  readonly turns: ThreadTurns;
  readonly remoteServicesMax: number;
  /** Of all services together. */
  readonly protoFilesMax: number;
  /** Of the proto files of one service: they are read together. */
  readonly serviceProtoBytesMax: number;
}

type SealedHeader = NonNullable<RemoteService['authMetadata']>;

interface Described {
  readonly methods: readonly ServiceMethod[];
  readonly servers: readonly string[];
  readonly schemas: readonly NamedSchema[];
}

interface ReadProtos {
  readonly files: readonly ProtoFile[];
  readonly methods: Promise<readonly GrpcMethod[]>;
}

export class RemoteServices extends Resource<
  ServiceFields,
  RemoteService,
  ShownService,
  SealedHeader | undefined
> {
  /** Proto files as they were read; a stored record is never changed in place. */
  readonly #read = new Lru<string, ReadProtos>(readServicesMax);

  constructor(private readonly parts: RemoteServicesParts) {
    super(
      {
        type: 'SERVICE_REGISTRY',
        called: 'Service',
        path: '/api/registry/service',
        noun: remoteService,
        columns: ['name', 'type', 'serviceURI', 'circuitBreakerEnabled'],
        limit: { max: parts.remoteServicesMax, setting: 'remoteServicesMax' },
        check: (_caller, { name, authMetadata }) =>
          authMetadata === undefined ? undefined : this.#sealed(name, authMetadata),
        make: saved,
        show: shownService,
      },
      parts,
    );
  }

  /** The header that calls of the service carry. */
  async header(service: RemoteService): Promise<{ key: string; value: string } | undefined> {
    const { name, authMetadata } = service;
    if (authMetadata === undefined) return undefined;
    const value = await this.parts.box.open(authMetadata.sealed, ownerOf(name));
    return { key: authMetadata.key, value };
  }

  override async delete(name: string): Promise<void> {
    for (const proto of this.protos(name)) await this.parts.protos.remove(protoId(proto));
    await super.delete(name);
  }

  /**
   * The copy belongs to the caller, who may share it. So a copy that has the header of the service
   * takes UPDATE on the service. Throws AppError 'not-found', 'forbidden', 'conflict' when the new
   * name is taken.
   */
  async clone(caller: Caller, name: string, newName: string): Promise<RemoteService> {
    const { authMetadata, ...service } = this.get(name);
    this.requireCreate(caller);
    if (authMetadata !== undefined) this.requireUpdate(caller, name);
    const auth =
      authMetadata === undefined
        ? undefined
        : await this.#sealed(newName, {
            key: authMetadata.key,
            value: await this.parts.box.open(authMetadata.sealed, ownerOf(name)),
          });
    const copy = { ...service, name: newName, ...present({ authMetadata: auth }) };
    const owned = this.parts.ownership.creating(caller, 'SERVICE_REGISTRY', newName);
    if (!(await this.parts.table.put(copy, 'absent', owned))) {
      throw new AppError('conflict', `Service '${newName}' already exists`);
    }
    return copy;
  }

  async saveMethods(
    caller: Caller,
    name: string,
    methods: readonly ServiceMethod[],
  ): Promise<void> {
    await this.change(caller, name, (known) => ({
      ...known,
      methods: withMethods(known.methods, methods),
    }));
  }

  /** Removes what has the type and either name; nothing happens when nothing has. */
  async removeMethod(
    caller: Caller,
    name: string,
    { serviceName, method, methodType }: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (this.find(name) === undefined) return;
    await this.change(caller, name, (known) => ({
      ...known,
      methods: known.methods.filter(
        (each) =>
          each.methodType !== methodType ||
          (each.operationName !== serviceName && each.methodName !== method),
      ),
    }));
  }

  /**
   * The methods that the service's description has; with `create` they are stored with its servers.
   * Its schemas are registered where their names are free, since the methods refer to them by name.
   * Throws AppError 'not-found', 'bad-request' without a description that can be read.
   */
  async discover(caller: Caller, name: string, create: boolean): Promise<ServiceMethod[]> {
    const service = this.get(name);
    if (create) this.requireUpdate(caller, name);
    const { methods, servers, schemas } = await this.#described(caller, service);
    await this.parts.registerSchemas(caller, schemas);
    if (create) {
      await this.change(caller, name, (known) => ({
        ...known,
        methods: withMethods(known.methods, methods),
        servers: [
          ...(known.servers ?? []).filter(({ type }) => type === 'USER_DEFINED'),
          ...servers.map((url) => ({ url, type: 'OPENAPI_SPEC' as const })),
        ],
      }));
    }
    return withMethods([], methods);
  }

  /**
   * Methods of the proto files of a service, read in the turn of `asker`; none while one of them
   * cannot be read.
   */
  async protoMethods(service: string, asker: string): Promise<readonly GrpcMethod[]> {
    const files = this.protos(service);
    const known = this.#read.get(service);
    const isKnown =
      known?.files.length === files.length && files.every((file, i) => file === known.files[i]);
    if (known !== undefined && isKnown) return await known.methods;
    const sources = files.map(({ filename, content }) => ({
      filename,
      content: Buffer.from(content, 'base64'),
    }));
    const methods =
      files.length === 0 ? Promise.resolve([]) : this.readProtos(asker, sources).catch(() => []);
    this.#read.set(service, { files, methods });
    return await methods;
  }

  /** In the turn of who asks. Rejects with Error whose message says what cannot be read. */
  readProtos(asker: string, sources: readonly ProtoSource[]): Promise<GrpcMethod[]> {
    return readProtos(sources, this.#turnOf(asker));
  }

  #turnOf(asker: string): InTurn {
    return (work) => this.parts.turns.take(asker, work);
  }

  protos(service: string): ProtoFile[] {
    return [...this.parts.protos.values()].filter((proto) => proto.service === service);
  }

  /** Throws AppError 'not-found'. */
  proto(service: string, filename: string): Buffer {
    const found = this.parts.protos.get(protoId({ service, filename }));
    if (found !== undefined) return Buffer.from(found.content, 'base64');
    throw new AppError('not-found', `Proto file '${filename.slice(0, 255)}' not found`);
  }

  /**
   * A file that others import may come later. Throws AppError 'not-found' for an unknown service,
   * 'bad-request' for what is neither a proto file nor a compiled set of them.
   */
  async saveProto(
    caller: Caller,
    service: string,
    { filename, content: sent }: ProtoSource,
  ): Promise<void> {
    this.get(service);
    if (sent.length > protoBytesMax) {
      throw wrongField('the body', `may have ${protoBytesMax} bytes at most`);
    }
    const content = await protoIn({ filename, content: sent }, this.#turnOf(caller.id));
    // The service may be another caller's by now.
    this.get(service);
    this.requireUpdate(caller, service);
    const { protos, protoFilesMax, serviceProtoBytesMax } = this.parts;
    const isNew = protos.get(protoId({ service, filename })) === undefined;
    const others = this.protos(service).filter((file) => file.filename !== filename);
    const bytes = others.reduce((sum, file) => sum + Buffer.byteLength(file.content, 'base64'), 0);
    if (bytes + content.length > serviceProtoBytesMax) {
      throw new AppError(
        'conflict',
        `The proto files of ${service} would have ${bytes + content.length} bytes, ` +
          `and may have ${serviceProtoBytesMax} (serviceProtoBytesMax)`,
      );
    }
    if (isNew && protos.size >= protoFilesMax) {
      throw new AppError(
        'conflict',
        `There are ${protos.size} proto files already (protoFilesMax)`,
      );
    }
    await protos.put({ service, filename, content: content.toString('base64') });
    const methods = toMethodFields(await this.protoMethods(service, caller.id));
    if (methods.length > 0) await this.saveMethods(caller, service, methods);
  }

  async deleteProto(service: string, filename: string): Promise<void> {
    await this.parts.protos.remove(protoId({ service, filename }));
  }

  async #described(caller: Caller, service: RemoteService): Promise<Described> {
    if (service.type === 'HTTP') {
      const description = await this.parts.discovery.document(service.serviceURI);
      return { ...readOpenApi(description), schemas: componentSchemas(description) };
    }
    if (service.type !== 'gRPC') {
      throw new AppError('bad-request', `A service of type ${service.type} cannot be discovered`);
    }
    await this.#checkProtos(caller, service.name);
    const own = await this.protoMethods(service.name, caller.id);
    const methods = own.length > 0 ? own : await this.#reflected(caller, service);
    return { methods: toMethodFields(methods), servers: [], schemas: [] };
  }

  async #reflected(caller: Caller, service: RemoteService): Promise<readonly GrpcMethod[]> {
    const header = await this.header(service);
    return await this.parts.discovery.reflected(service, header, this.#turnOf(caller.id));
  }

  /**
   * Of files that an earlier version stored. Throws AppError 'bad-request' that names the first one
   * that cannot be read, and where.
   */
  async #checkProtos(caller: Caller, service: string): Promise<void> {
    for (const { filename, content } of this.protos(service)) {
      const source = { filename, content: Buffer.from(content, 'base64') };
      await requireProto(source, this.#turnOf(caller.id));
    }
  }

  async #sealed(
    name: string,
    { key, value }: { readonly key: string; readonly value: string },
  ): Promise<SealedHeader> {
    return { key, sealed: await this.parts.box.seal(value, ownerOf(name)) };
  }
}

/** The stored record of a service; absent fields stay as they are. */
function saved(
  { config, authMetadata, methods, ...open }: ServiceFields,
  {
    known,
    checked,
  }: { readonly known: RemoteService | undefined; readonly checked: SealedHeader | undefined },
): RemoteService {
  const next: RemoteService = {
    ...{ ...known, ...open, ...config },
    ...present({ authMetadata: keptHeader(authMetadata, known) ?? checked }),
    methods: methods === undefined ? (known?.methods ?? []) : withMethods([], methods),
  };
  if (known !== undefined) checkKeptHeader(known, next);
  return next;
}

/** With every default in place, the value of the header masked. */
function shownService(service: RemoteService): ShownService {
  const { circuitBreakerConfig = breakerOf({}, ''), authMetadata: header } = service;
  const defaults = { requestParams: [], servers: [] };
  const flags = { circuitBreakerEnabled: false, useSSL: false, trustCert: false };
  return remoteService.toJson(
    { ...defaults, ...flags, ...service },
    {
      config: { circuitBreakerConfig },
      ...(header && { authMetadata: { key: header.key, value: maskedSecret } }),
    },
  );
}

/** As the registry keeps them. */
function toMethodFields(methods: readonly GrpcMethod[]): ServiceMethod[] {
  return methods.map(({ path, type, inputType, outputType }) => ({
    operationName: path.split('/')[2] as string,
    methodName: path.slice(1),
    methodType: type,
    ...{ inputType, outputType, requestParams: [], exampleInput: {}, deprecated: false },
  }));
}

/** `known` with `added`: the same key replaces and keeps its id. Throws AppError 'bad-request'. */
function withMethods(
  known: readonly ServiceMethod[],
  added: readonly ServiceMethod[],
): ServiceMethod[] {
  const methods = [...known];
  let newest = Math.max(0, ...methods.map(({ id = 0 }) => id));
  for (const method of added) {
    const index = methods.findIndex((each) => isSameMethod(each, method));
    const id = methods[index]?.id ?? ++newest;
    methods.splice(index < 0 ? methods.length : index, index < 0 ? 0 : 1, { id, ...method });
  }
  if (methods.length > methodsMax)
    throw wrongField('methods', `may have ${methodsMax} entries at most`);
  return methods;
}

/**
 * The file in what was sent. The Python SDK sends a text as the inside of a JSON string, and other
 * bytes in base64. Rejects as `requireProto` does.
 */
async function protoIn({ filename, content: sent }: ProtoSource, inTurn: InTurn): Promise<Buffer> {
  const text = sent.toString('utf8');
  const meant = [unescaped(text), isBase64.test(text) ? Buffer.from(text, 'base64') : undefined];
  for (const content of [sent, ...meant]) {
    if (content === undefined) continue;
    const isProto = await checkProto({ filename, content }, inTurn).then(
      () => true,
      () => false,
    );
    if (isProto) return content;
  }
  await requireProto({ filename, content: sent }, inTurn);
  return sent;
}

const isBase64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function unescaped(text: string): Buffer | undefined {
  try {
    return Buffer.from(JSON.parse(`"${text}"`) as string);
  } catch {
    return undefined;
  }
}

/** Throws AppError 'bad-request' that names the file, and where it cannot be read. */
async function requireProto(source: ProtoSource, inTurn: InTurn): Promise<void> {
  try {
    await checkProto(source, inTurn);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('bad-request', why, { cause });
  }
}

function protoId({ service, filename }: { service: string; filename: string }): string {
  return `${encodeURIComponent(service)}/${filename}`;
}
