// A gRPC server for tests: a service `echo.v1.Echo` with a method of each type, with or without
// reflection. Its proto file imports another one.
import grpc from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import protobuf from 'protobufjs';
import 'protobufjs/ext/descriptor.js';

export const commonProto = `
syntax = "proto3";
package echo.common;
enum Mood { CALM = 0; LOUD = 1; }`;

export const echoProto = `
syntax = "proto3";
package echo.v1;
import "common.proto";
import "google/protobuf/timestamp.proto";
message Ask {
  string some_text = 1;
  int64 big = 2;
  echo.common.Mood mood = 3;
  google.protobuf.Timestamp at = 4;
}
message Answer { string text = 1; int64 big = 2; echo.common.Mood mood = 3; map<string, string> metadata = 4; }
service Echo {
  rpc One(Ask) returns (Answer);
  rpc Down(Ask) returns (stream Answer);
  rpc Up(stream Ask) returns (Answer);
  rpc Both(stream Ask) returns (stream Answer);
}`;

interface Ask {
  readonly some_text: string;
  readonly big: unknown;
  readonly mood: unknown;
}

export interface RunningGrpcServer {
  readonly port: number;
  /** Calls that arrived. */
  readonly calls: number;
  stop(): void;
}

function parsedRoot(): protobuf.Root {
  const root = new protobuf.Root();
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
  for (const text of [commonProto, echoProto]) protobuf.parse(text, root, { keepCase: true });
  root.resolveAll();
  return root;
}

/** The types as a compiler writes them to one file, with what Google's files define or without. */
export function compiledProtos(imports: 'included' | 'left out' = 'included'): Buffer {
  const set = parsedRoot().toDescriptor('proto3');
  if (imports === 'left out') {
    set.file = (set.file ?? []).filter((file) => file.package !== 'google.protobuf');
  }
  return Buffer.from((set.$type as protobuf.Type).encode(set).finish());
}

export async function startGrpcServer(reflection: boolean): Promise<RunningGrpcServer> {
  const definition = fromJSON(parsedRoot().toJSON(), { keepCase: true, longs: String });
  const server = new grpc.Server();
  let calls = 0;
  const answer = ({ some_text: text, big, mood }: Ask): object => ({ text, big, mood });
  const handlers: grpc.UntypedServiceImplementation = {
    One: (call: grpc.ServerUnaryCall<Ask, object>, done: grpc.sendUnaryData<object>) => {
      calls++;
      const text = call.request.some_text;
      if (text === 'fail') done({ code: grpc.status.INTERNAL, details: 'told to fail' });
      else if (text === 'refuse') done({ code: grpc.status.NOT_FOUND, details: 'no such thing' });
      else if (text !== 'hang') {
        const metadata = Object.fromEntries(
          Object.entries(call.metadata.getMap()).map(([name, value]) => [name, String(value)]),
        );
        done(null, { ...answer(call.request), metadata });
      }
    },
    Down: (call: grpc.ServerWritableStream<Ask, object>) => {
      for (let i = 0; i < 3; i++) call.write({ text: `${call.request.some_text} ${i}` });
      call.end();
    },
    Up: (call: grpc.ServerReadableStream<Ask, object>, done: grpc.sendUnaryData<object>) => {
      const texts: string[] = [];
      call.on('data', ({ some_text: text }: Ask) => texts.push(text));
      call.on('end', () => done(null, { text: texts.join(',') }));
    },
    Both: (call: grpc.ServerDuplexStream<Ask, object>) => {
      call.on('data', (ask: Ask) => call.write(answer(ask)));
      call.on('end', () => call.end());
    },
  };
  server.addService(definition['echo.v1.Echo'] as grpc.ServiceDefinition, handlers);
  if (reflection) new ReflectionService(definition).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure();
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    port,
    get calls() {
      return calls;
    },
    stop: () => server.forceShutdown(),
  };
}
