// Lints a piece of code by rules of this repository. Rules that ask for types read all of the
// project first, for ten seconds and more; those here do without, or with a project of one file.
import path from 'node:path';
import { ESLint } from 'eslint';
import { projectRoot } from '../../testkit/project.js';

interface LintOptions {
  /** Beginning of the names of the rules. */
  readonly rules: string;
  /** The project that types come from, beside this file; absent: the rules ask for none. */
  readonly project?: string;
}

export class LineLinter {
  readonly #eslint: ESLint;

  constructor({ rules, project }: LintOptions) {
    // With CI=true the parser would take each file as it stands on disk, not the given code.
    const types =
      project === undefined
        ? {}
        : {
            project: path.join(import.meta.dirname, project),
            disallowAutomaticSingleRunInference: true,
          };
    this.#eslint = new ESLint({
      cwd: projectRoot,
      overrideConfig: {
        languageOptions: { parserOptions: { projectService: false, ...types } },
      },
      ruleFilter: ({ ruleId }) => ruleId.startsWith(rules),
    });
  }

  /** The rules that refuse the code in a file. */
  async refusalsOf(source: string, filePath: string): Promise<string[]> {
    const [result] = await this.#eslint.lintText(source, { filePath });
    if (result === undefined) throw new Error(`${filePath} is not linted`);
    return result.messages.map(({ ruleId, message }) => ruleId ?? message);
  }
}
