// What tests have measured or left out, for people to read: printed at once, and collected for the
// end of a whole run (bin/test.mjs), where the output of tests that pass is not shown.
import fs from 'node:fs';

/** One or several lines. */
export function tell(text: string): void {
  console.log(text);
  const file = process.env['DOWNBEAT_TEST_FIGURES'];
  if (file !== undefined) fs.appendFileSync(file, `${text}\n`);
}
