// Lints a piece of code by the rules of this repository that look at its text alone: those that ask
// for types take ten seconds to read the whole project first.
import { ESLint } from 'eslint';
import { projectRoot } from '../support/project.js';

const eslint = new ESLint({
  cwd: projectRoot,
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => ruleId.startsWith('no-'),
});

/** The rules that refuse the code in a file. */
export async function refusalsOf(source: string, filePath: string): Promise<string[]> {
  const [result] = await eslint.lintText(source, { filePath });
  if (result === undefined) throw new Error(`${filePath} is not linted`);
  return result.messages.map(({ ruleId, message }) => ruleId ?? message);
}
