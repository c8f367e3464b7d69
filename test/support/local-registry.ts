// A registry of packages on the loopback, which has those that are installed in this project: npm
// installs from it what it would get from its own registry, without a network.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

export interface LocalRegistry {
  /** For npm's `--registry`. */
  readonly url: string;
  /** Packages that were asked for and are not here. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * `modules`: the folder node_modules whose packages it has; `advisories`: known weaknesses by name
 * of a package, as npm's registry tells them. Absent: the question is refused.
 */
export async function startLocalRegistry(
  modules: string,
  advisories?: object,
): Promise<LocalRegistry> {
  const missing: string[] = [];
  let url = '';
  const server = http.createServer((request, response) => {
    const [, name = '', isFile] = /^\/(.*?)(\.tgz)?$/.exec(asked(request.url)) ?? [];
    const folder = path.join(modules, name);
    if (name === bulkAdvisories && advisories !== undefined) {
      response.end(JSON.stringify(advisories));
    } else if (!fs.existsSync(path.join(folder, 'package.json'))) {
      missing.push(name);
      response.writeHead(404).end('{}');
    } else if (isFile) response.end(packed(folder));
    else response.end(JSON.stringify(documentOf(folder, `${url}/${name}.tgz`)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url, missing, close };
}

const bulkAdvisories = '-/npm/v1/security/advisories/bulk';

/** npm writes the slash of a scope as %2f. */
function asked(url = '/'): string {
  return decodeURIComponent(url);
}

function documentOf(folder: string, tarball: string): object {
  const text = fs.readFileSync(path.join(folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const { name, version } = manifest;
  const versions = { [version]: { ...manifest, dist: { tarball } } };
  return { name, 'dist-tags': { latest: version }, versions };
}

/** Without the packages below it, which are packages of their own. */
function packed(folder: string): Buffer {
  const options = ['--exclude=./node_modules', '--transform=s,^\\.,package,', '-Igzip -1'];
  return execFileSync('tar', ['-cf', '-', '-C', folder, ...options, '.'], {
    maxBuffer: 256 * 1024 * 1024,
  });
}
