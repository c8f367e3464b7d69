// The packages of this repository that the server is made of and that anybody can use alone
// (packages/NAME). The server imports them by their names, and its bundle holds their code: what
// builds or runs its sources takes theirs, so that nothing has to be compiled or linked first.
import path from 'node:path';

const names = ['jq', 'json-path'];

/** Their folders, from the project's. */
export const ownPackageFolders = names.map((name) => `packages/${name}`);

/** The file that each name stands for, of the sources below `root`. */
export function ownPackages(root) {
  return Object.fromEntries(
    names.map((name) => [
      `@downbeat/${name}`,
      path.join(root, 'packages', name, 'src', 'published.ts'),
    ]),
  );
}
