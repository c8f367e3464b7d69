// A Redis that also listens with TLS, by an authority of its own, and the line of docs/redis.md
// that makes a user for a node.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { RedisProcess } from '../../cluster/redis-process.js';
import { createAuthority, createCertificate, hasOpenssl } from './certificates.js';
import type { CertificateFiles } from './certificates.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';

export interface SecuredRedis {
  /** Without TLS, for the test itself. */
  readonly port: number;
  /** Asks for no certificate of the client. */
  readonly tlsPort: number;
  readonly authority: CertificateFiles;
  /** Has signed nothing here. */
  readonly otherAuthority: CertificateFiles;
  /** Signed by `authority`. */
  readonly certificate: CertificateFiles;
  ask(...command: string[]): string;
  stop(): Promise<void>;
}

/** Why there can be none on this machine, for the name of a skipped test; else undefined. */
export function whyNoSecuredRedis(): string | undefined {
  if (!hasOpenssl()) return ' (openssl is not installed)';
  // It refuses the first line that it does not know: the second one where it was built with TLS.
  const { stdout, stderr } = spawnSync('redis-server', ['-'], {
    input: `tls-port 0\n${notASetting} 1\n`,
    encoding: 'utf8',
    timeout: 5_000,
  });
  const knowsTls = `${stdout}${stderr}`.includes(notASetting);
  return knowsTls ? undefined : ' (redis-server was built without TLS)';
}

const notASetting = 'not-a-setting';

export async function startSecuredRedis(
  tlsConfig: readonly string[] = ['tls-auth-clients no'],
): Promise<SecuredRedis> {
  const folder = createFolder();
  const authority = createAuthority(folder, 'authority');
  const certificate = createCertificate(folder, 'redis', authority);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const config = [
    `tls-port ${tlsPort}`,
    `tls-cert-file ${certificate.certFile}`,
    `tls-key-file ${certificate.keyFile}`,
    `tls-ca-cert-file ${authority.certFile}`,
    ...tlsConfig,
  ];
  const place = { name: 'secured', port, folder: path.join(folder, 'redis') };
  const server = new RedisProcess({ ...place, args: [], config });
  await server.start();
  return {
    ...{ port, tlsPort, authority, certificate },
    otherAuthority: createAuthority(folder, 'other'),
    ask: (...command) => server.ask(...command),
    stop: async () => {
      await server.stop();
      removeFolder(folder);
    },
  };
}

/** A Sentinel that watches it as `downbeat`: it speaks TLS with its clients and with Redis. */
export async function startSecuredSentinel(
  redis: SecuredRedis,
): Promise<{ readonly tlsPort: number; stop(): Promise<void> }> {
  const folder = createFolder();
  const [port, tlsPort] = [await freePort(), await freePort()];
  const config = [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, `tls-port ${tlsPort}`],
    ...['tls-auth-clients no', 'tls-replication yes'],
    `tls-cert-file ${redis.certificate.certFile}`,
    `tls-key-file ${redis.certificate.keyFile}`,
    `tls-ca-cert-file ${redis.authority.certFile}`,
    `sentinel monitor downbeat 127.0.0.1 ${redis.tlsPort} 1`,
  ];
  fs.writeFileSync(path.join(folder, 'sentinel.conf'), config.join('\n') + '\n');
  const place = { name: 'sentinel', port, folder, configFile: 'sentinel.conf' };
  const sentinel = new RedisProcess({ ...place, args: ['--sentinel'] });
  await sentinel.start();
  return {
    tlsPort,
    stop: async () => {
      await sentinel.stop();
      removeFolder(folder);
    },
  };
}

/** The command of docs/redis.md for this user, as words. */
export function rightsLine(user: string, password: string): string[] {
  const text = fs.readFileSync(path.join(projectRoot, 'docs', 'redis.md'), 'utf8');
  const line = /^ACL SETUSER downbeat .*$/m.exec(text)?.[0];
  if (line === undefined) throw new Error('docs/redis.md has no line with ACL SETUSER');
  return line.replace('downbeat', user).replace('PASSWORD', password).split(' ');
}
