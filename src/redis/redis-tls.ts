// Reads the files that settings name for TLS to Redis.
import fs from 'node:fs';
import { AppError } from '../model/errors.js';
import type { RedisTls } from './create-client.js';

/** Names of files; '' for none. */
export interface TlsFiles {
  readonly redisTlsCaFile: string;
  readonly redisTlsCertFile: string;
  readonly redisTlsKeyFile: string;
}

/** Throws AppError 'unavailable' that names the setting whose file cannot be read. */
export function readTlsFiles(files: TlsFiles): RedisTls {
  const { redisTlsCaFile, redisTlsCertFile, redisTlsKeyFile } = files;
  return {
    ...(redisTlsCaFile === '' ? {} : { ca: read('redis-tls-ca-file', redisTlsCaFile) }),
    ...(redisTlsCertFile === '' ? {} : { cert: read('redis-tls-cert-file', redisTlsCertFile) }),
    ...(redisTlsKeyFile === '' ? {} : { key: read('redis-tls-key-file', redisTlsKeyFile) }),
  };
}

function read(setting: string, file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (cause) {
    const text = `The file of ${setting} cannot be read: ${(cause as Error).message}.`;
    throw new AppError('unavailable', text, { cause });
  }
}
