// A secured server and a client of the JavaScript SDK with an administrator's key, for the tests of
// the registries.
import { createConductorClient, noopLogger } from '@io-orkes/conductor-javascript';
import { SecuredServer } from '../../../testkit/secured-server.js';

type Client = Awaited<ReturnType<typeof createConductorClient>>;

export class RegistryServer {
  private constructor(
    readonly secured: SecuredServer,
    readonly client: Client,
  ) {}

  static async start(args: readonly string[] = []): Promise<RegistryServer> {
    const secured = await SecuredServer.start({ args: [...args] });
    const { keyId, keySecret } = secured.key;
    const client = await createConductorClient({
      serverUrl: secured.url,
      ...{ keyId, keySecret },
      useEnvVars: false,
      logger: noopLogger,
      refreshTokenInterval: 0,
    });
    return new RegistryServer(secured, client);
  }

  async stop(): Promise<void> {
    this.client.stopBackgroundRefresh();
    await this.secured.stop();
  }
}
