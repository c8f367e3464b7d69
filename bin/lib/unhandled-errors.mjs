// A reporter of vitest beside its own: writes the errors of a run that no test caught, as a list of
// sentences in JSON, into the file of DOWNBEAT_TEST_UNHANDLED. The JSON report of vitest leaves them
// out, and where tests fail as well the exit code does not tell them apart.
import fs from 'node:fs';

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const file = process.env.DOWNBEAT_TEST_UNHANDLED;
    const sentences = errors.map(({ message, stack }) => String(message ?? stack));
    if (file !== undefined) fs.writeFileSync(file, JSON.stringify(sentences));
  }
}
