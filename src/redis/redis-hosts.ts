// Parses the addresses of Sentinels and of the servers of a Redis Cluster.

export interface Hosts {
  readonly hosts: { host: string; port: number }[];
  readonly path: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** `scheme://user:password@host:port,host:port/path` */
export function parseHosts(url: string, defaultPort: number): Hosts {
  const [authority = '', path = ''] = url.slice(url.indexOf('//') + 2).split('/');
  const at = authority.lastIndexOf('@');
  const [username, password] = at < 0 ? [] : authority.slice(0, at).split(':');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map((text) => {
      const colon = text.lastIndexOf(':');
      return colon < 0
        ? { host: text, port: defaultPort }
        : { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
    });
  return {
    hosts,
    path: decodeURIComponent(path),
    username: username ? decodeURIComponent(username) : undefined,
    password: password === undefined ? undefined : decodeURIComponent(password),
  };
}
