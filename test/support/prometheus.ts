// A Prometheus of a test's own: it reads targets on the loopback each second, evaluates rules, and
// answers queries.
import fs from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, startProgram, type Program } from '../../testkit/process.js';
import { until } from '../../testkit/until.js';

/** One time series of an answer. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** Time in seconds, and the value as text. */
  readonly value: readonly [number, string];
}

export interface RuleState {
  readonly name: string;
  /** `ok` once it was evaluated without an error. */
  readonly health: string;
  readonly lastError?: string;
}

interface Answer<T> {
  readonly status: string;
  readonly data?: T;
  readonly error?: string;
  readonly warnings?: readonly string[];
}

const startMsMax = 60_000;

export class Prometheus {
  readonly #folder = createFolder();
  #url = '';
  #program: Program | undefined;

  /** `targets`: host and port of what is read, as the job `downbeat`; `ruleFile`: absolute. */
  async start(targets: readonly string[], ruleFile: string): Promise<void> {
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [ruleFile],
      scrape_configs: [{ job_name: 'downbeat', static_configs: [{ targets }] }],
    };
    const file = path.join(this.#folder, 'prometheus.yml');
    // JSON is YAML.
    fs.writeFileSync(file, JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    this.#url = `http://${address}`;
    const program = startProgram('prometheus', [
      ...[`--config.file=${file}`, `--web.listen-address=${address}`, '--log.level=warn'],
      `--storage.tsdb.path=${path.join(this.#folder, 'data')}`,
    ]);
    this.#program = program;
    const isReady = async (): Promise<boolean> => {
      if (program.hasEnded()) throw new Error(`Prometheus ended:\n${program.output()}`);
      return (await fetch(`${this.#url}/-/ready`).catch(() => undefined))?.ok === true;
    };
    await until('Prometheus', isReady, { timeoutMs: startMsMax });
  }

  /** The result of an expression. Rejects with what Prometheus says against it. */
  async query(expression: string): Promise<readonly Sample[]> {
    const query = new URLSearchParams({ query: expression });
    const { result } = await this.#ask<{ result: readonly Sample[] }>(`query?${query}`);
    return result;
  }

  /** The rules that it evaluates. */
  async rules(): Promise<readonly RuleState[]> {
    const { groups } = await this.#ask<{ groups: { rules: RuleState[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    this.#program?.child.kill('SIGTERM');
    await this.#program?.ended;
    removeFolder(this.#folder);
  }

  async #ask<T>(route: string): Promise<T> {
    const answer = await fetch(`${this.#url}/api/v1/${route}`);
    const { data, error, warnings = [] } = (await answer.json()) as Answer<T>;
    const said = [error ?? [], warnings].flat().join('; ');
    if (data === undefined || said !== '') throw new Error(`Prometheus says: ${said}`);
    return data;
  }
}
