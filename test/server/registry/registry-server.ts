// A secured server and a client of the JavaScript SDK with an administrator's key, for the tests of
// the registries.
import { createConductorClient, noopLogger } from '@io-orkes/conductor-javascript';
import { SecuredServer } from '../../../testkit/secured-server.js';

export type Client = Awaited<ReturnType<typeof createConductorClient>>;

export class RegistryServer {
  private constructor(
    readonly secured: SecuredServer,
    readonly client: Client,
  ) {}

  static async start(args: readonly string[] = []): Promise<RegistryServer> {
    const secured = await SecuredServer.start({ args: [...args] });
    return new RegistryServer(secured, await clientOf(secured));
  }

  async stop(): Promise<void> {
    this.client.stopBackgroundRefresh();
    await this.secured.stop();
  }
}

/** A client of the SDK with the administrator's key. */
export async function clientOf({ url, key }: Pick<SecuredServer, 'url' | 'key'>): Promise<Client> {
  return await createConductorClient({
    serverUrl: url,
    ...key,
    useEnvVars: false,
    logger: noopLogger,
    refreshTokenInterval: 0,
  });
}
