// The context of every command: the server, what is printed, the environment. Made once for each
// call from the options that all commands share.
import type { Command } from 'commander';
import { ApiClient } from './api-client.js';
import { Output, type OutputStreams } from './output.js';
import { addressOf, type AddressOptions } from './profiles.js';

export interface Context {
  readonly out: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** The server; throws a Failure when none can be told. */
  readonly client: () => ApiClient;
}

/** Sets the exit code of the process; a command that ends well need not. */
export type Exit = (code: number) => void;

interface SharedOptions extends AddressOptions {
  readonly json?: boolean;
}

export function contextOf(
  command: Command,
  {
    streams,
    env,
    interrupted,
  }: { streams: OutputStreams; env: NodeJS.ProcessEnv; interrupted: AbortSignal },
): Context {
  const options = command.optsWithGlobals<SharedOptions>();
  let client: ApiClient | undefined;
  return {
    out: new Output(streams, env, options.json === true),
    env,
    stdin: streams.stdin,
    interrupted,
    client: () => (client ??= new ApiClient(addressOf(options, env))),
  };
}
