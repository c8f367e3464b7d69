// The listener's native binary is loaded only where its bytes are on the list (decision 0011).
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireKnownBinary, whyNotLoaded } from '../../src/api/listener-binary.js';
import { listenerHashes } from '../../src/api/listener-hashes.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { isNativeMissing } from '../support/http-libraries.js';

const installed = path.resolve('node_modules/uWebSockets.js');
const { platform, arch, versions } = process;
const name = `uws_${platform}_${arch}_${versions.modules}.node`;

let folder: string;
beforeEach(() => (folder = createFolder()));
afterEach(() => removeFolder(folder));

describe('the binary of the listener', () => {
  it.skipIf(isNativeMissing)('is on the list, as installed', () => {
    expect(() => requireKnownBinary()).not.toThrow();
  });

  it('is listed for every Node.js and platform that the package serves from Node.js 20 on', () => {
    const output = spawnSync(process.execPath, ['bin/listener-hashes.mjs'], { encoding: 'utf8' });
    expect(output.status).toBe(0);
    const found = [...output.stdout.matchAll(/\['(.*)', '(.*)'\]/g)];
    const served = found.filter(([, file]) => Number(/_(\d+)\.node/.exec(file ?? '')?.[1]) >= 115);
    expect(served.length).toBeGreaterThan(20);
    expect(served.map(([, file, hash]) => [file, hash])).toEqual([...listenerHashes]);
  });

  it.skipIf(isNativeMissing)('is refused with both hashes when one byte differs', () => {
    const bytes = fs.readFileSync(path.join(installed, name));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    fs.writeFileSync(path.join(folder, name), bytes);
    const expected = listenerHashes.get(name) ?? '';
    expect(() => requireKnownBinary(folder)).toThrow(expected);
    const comparison = spawnSync(process.execPath, ['bin/listener-hashes.mjs', folder], {
      encoding: 'utf8',
    });
    expect(comparison.status).toBe(1);
    expect(comparison.stdout).toContain(`${name}: DIFFERS`);
  });

  it('says in a sentence which C library it needs where the system has an older one', () => {
    const said = new Error(
      "This version of uWS.js supports only ...\n\nError: /lib/libc.so.6: version `GLIBC_2.38' not found (required by uws.node)",
    );
    expect(whyNotLoaded(said, '22.1.0')).toBe(
      'its binary for Node 22.1.0 needs GLIBC 2.38, which this system is too old for; take a newer system, or Node 20',
    );
    expect(whyNotLoaded(new Error('There is no such file\nmore'))).toBe('There is no such file');
  });

  it.skipIf(isNativeMissing)(
    'is refused by name when it is missing or nobody has looked at it',
    () => {
      expect(() => requireKnownBinary(folder)).toThrow(
        new RegExp(`^there is no ${name} for Node \\S+ on \\w+ \\w+$`),
      );
      fs.writeFileSync(path.join(folder, 'uws_linux_x64_1.node'), '');
      expect(() => requireKnownBinary(folder)).toThrow(
        'only uws_linux_x64_1.node; pack with this Node',
      );
      fs.writeFileSync(path.join(folder, 'uws_linux_x64_2.node'), '');
      expect(() => requireKnownBinary(folder)).toThrow(
        new RegExp(`^there is no ${name} for [^,]+$`),
      );
      fs.copyFileSync(path.join(installed, name), path.join(folder, name));
      expect(() => requireKnownBinary(folder, new Map())).toThrow('not on the list');
    },
  );
});
