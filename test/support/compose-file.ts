// What deploy/compose.yaml and deploy/Dockerfile say, read for the tests of the deployment.
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../testkit/project.js';

export const deployFolder: string = path.join(projectRoot, 'deploy');

/** `build` in its long and its short form. */
type Build = string | { readonly context: string; readonly dockerfile?: string };

export interface ComposeService {
  readonly image: string;
  readonly build?: Build;
  readonly command?: readonly string[];
  readonly init?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** HOST:PORT:PORT INSIDE. */
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  /** SOURCE:PLACE INSIDE[:ro]. */
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas: number };
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The compose file with its variables put in, as Compose does. */
export function readComposeFile(variables: Readonly<Record<string, string>> = {}): ComposeFile {
  const text = fs.readFileSync(path.join(deployFolder, 'compose.yaml'), 'utf8');
  const filled = text.replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, otherwise: string) => variables[name] ?? otherwise,
  );
  return parse(filled, { merge: true }) as ComposeFile;
}

/** Names of the services that are nodes of the cluster. */
export function nodesOf(file: ComposeFile): string[] {
  const isNode = ([, service]: [string, ComposeService]): boolean =>
    service.environment?.['DOWNBEAT_NODE_ID'] !== undefined;
  return Object.entries(file.services)
    .filter(isNode)
    .map(([name]) => name);
}

export interface ImageFile {
  readonly text: string;
  /** What a container runs, and how its health is asked. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/** The Dockerfile of the server. */
export function readImageFile(): ImageFile {
  const text = fs.readFileSync(path.join(deployFolder, 'Dockerfile'), 'utf8');
  const listAfter = (start: string): string[] => {
    const found = new RegExp(`^${start} (\\[.*\\])$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`the Dockerfile has no ${start} in its list form`);
    return JSON.parse(found) as string[];
  };
  return {
    text,
    entrypoint: listAfter('ENTRYPOINT'),
    command: listAfter('CMD'),
    healthcheck: listAfter(' +CMD'),
  };
}
