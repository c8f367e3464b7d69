// Certificates for tests: an authority of their own and what it signs for this machine. They come
// from the programme openssl; without it the tests that need them are skipped.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function hasOpenssl(): boolean {
  try {
    openssl('version');
    return true;
  } catch {
    // Not installed.
    return false;
  }
}

/** A new authority in the folder. */
export function createAuthority(folder: string, name: string): CertificateFiles {
  const files = filesOf(folder, name);
  openssl('req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${name}`, ...outputOf(files));
  return files;
}

/** Signed by the authority, for 127.0.0.1. */
export function createCertificate(
  folder: string,
  name: string,
  authority: CertificateFiles,
): CertificateFiles {
  const files = filesOf(folder, name);
  const request = path.join(folder, `${name}.csr`);
  const names = path.join(folder, `${name}.txt`);
  fs.writeFileSync(names, 'subjectAltName=IP:127.0.0.1\n');
  openssl('req', ...curve, '-subj', `/CN=${name}`, '-keyout', files.keyFile, '-out', request);
  openssl(
    ...['x509', '-req', '-in', request, '-days', '2', '-extfile', names, '-out', files.certFile],
    ...['-CA', authority.certFile, '-CAkey', authority.keyFile, '-CAcreateserial'],
  );
  return files;
}

function filesOf(folder: string, name: string): CertificateFiles {
  return {
    certFile: path.join(folder, `${name}.pem`),
    keyFile: path.join(folder, `${name}.key`),
  };
}

function outputOf({ certFile, keyFile }: CertificateFiles): string[] {
  return ['-keyout', keyFile, '-out', certFile];
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 20_000 });
}
