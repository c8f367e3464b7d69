// What the Redis processes of a run wrote, from its first command to its last: links to their
// append-only files. A replica that is synchronized anew begins new files and removes the old ones,
// which hold what the nodes had written before a failover; the links keep them.
import fs from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../../testkit/folder.js';

/** A server's name and its own folder. */
export interface TrailedServer {
  readonly name: string;
  readonly folder: string;
}

const filesFolder = 'appendonlydir';
const lookEveryMs = 500;

export class RedisTrail {
  readonly #folder = createFolder();
  readonly #linked = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /** Looks for new files again and again until `end`. */
  constructor(private readonly servers: readonly TrailedServer[]) {
    this.#timer = setInterval(() => this.look(), lookEveryMs);
    this.look();
  }

  /** Links what has no link yet. A file that is linked goes on growing. */
  look(): void {
    for (const { name, folder } of this.servers) {
      const files = path.join(folder, filesFolder);
      if (!fs.existsSync(files)) continue;
      for (const file of fs.readdirSync(files)) this.#link(name, path.join(files, file));
    }
  }

  /** Copies everything, a folder for each server; names begin with the order of their links. */
  keep(target: string): void {
    this.look();
    fs.cpSync(this.#folder, target, { recursive: true });
  }

  end(): void {
    clearInterval(this.#timer);
    removeFolder(this.#folder);
  }

  #link(server: string, file: string): void {
    try {
      const key = `${server} ${fs.statSync(file).ino}`;
      if (this.#linked.has(key)) return;
      const folder = path.join(this.#folder, server);
      fs.mkdirSync(folder, { recursive: true });
      fs.linkSync(file, path.join(folder, `${this.#linked.size}-${path.basename(file)}`));
      this.#linked.add(key);
    } catch (error) {
      // Redis has removed or renamed it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
