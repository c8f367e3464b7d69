// Two nodes of one cluster with authentication on, over a Redis of their own.
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { adminCommand, Session, type Key } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

export class SecuredPair {
  private constructor(
    private readonly redis: RunningRedis,
    readonly servers: readonly [RunningServer, RunningServer],
    /** An application of administrators, at the first node. */
    readonly admin: Session,
  ) {}

  static async start(): Promise<SecuredPair> {
    const redis = await startLocalRedis();
    const args = ['--auth', '--secrets-key', Buffer.alloc(32, 7).toString('base64')];
    const settings = { redisUrl: redis.url, args };
    const servers = await Promise.all([startServer(settings), startServer(settings)]);
    const stored = await adminCommand(servers[0], ['create-key', '--redis-url', redis.url]);
    const key = JSON.parse(stored) as Key;
    return new SecuredPair(redis, servers, await signedIn(servers[0], key));
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.redis.stop();
  }
}

/** The session of somebody whom a node knows, or will in a moment. */
export function signedIn(at: RunningServer, credentials: object): Promise<Session> {
  return until('the session', async () => {
    const { status, body } = await new Session(at.url).post('/api/token', credentials);
    if (status !== 200) return undefined;
    return new Session(at.url, { 'x-authorization': (body as { token: string }).token });
  });
}
