// Brokers that are reached over TLS only, with a certificate for 127.0.0.1 that the caller trusts
// by NODE_EXTRA_CA_CERTS.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BrokerProgram, Launch } from './broker.js';
import { natsProgram, redisProgram } from './programs.js';

const run = promisify(execFile);

export interface Certificate {
  /** PEM files. */
  readonly cert: string;
  readonly key: string;
}

/** A new certificate in `folder`, signed by itself. */
export async function createCertificate(folder: string): Promise<Certificate> {
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=broker', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert, '-days', '2'];
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...files,
    ...subject,
  ]);
  return { cert, key };
}

export function redisOverTls({ cert, key }: Certificate): BrokerProgram {
  return changed(redisProgram, (launch, port) => ({
    args: [
      ...launch.args,
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', cert, '--tls-key-file', key],
    ],
    configuration: { ...launch.configuration, tls: 'true' },
  }));
}

export function natsOverTls({ cert, key }: Certificate): BrokerProgram {
  return changed(natsProgram, (launch) => ({
    args: [...launch.args, '--tls', '--tlscert', cert, '--tlskey', key],
    configuration: { ...launch.configuration, tls: 'true', connectionType: 'ssl' },
  }));
}

function changed(
  program: BrokerProgram,
  change: (launch: Launch, port: number) => Launch,
): BrokerProgram {
  return {
    command: program.command,
    prepare: async (folder, port) => change(await program.prepare(folder, port), port),
  };
}
