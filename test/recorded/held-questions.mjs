// Further questions for probe.mjs (`--more FILE`): scenarios that stand in the recording but not in
// the probe. They are rebuilt from the recorded preparations: a definition, a start with its input,
// then the execution as it ended. RECORDING names the file.
import fs from 'node:fs';

/** @param {{ S: (name: string, run: (tools: any) => Promise<void>) => void, P: string }} probe */
export default function addHeldQuestions({ S, P }) {
  const rows = fs.readFileSync(process.env.RECORDING, 'utf8').trim().split('\n').map(JSON.parse);
  const held = rows.filter((row) => row.setup && row.scenario.startsWith('type-held-'));
  for (const scenario of new Set(held.map((row) => row.scenario))) {
    const [definition, start] = held.filter((row) => row.scenario === scenario);
    S(scenario, async ({ quiet, settle, show }) => {
      await quiet('PUT', '/api/metadata/workflow', withPrefix(definition.send, P));
      const { body: id } = await quiet('POST', '/api/workflow', withPrefix(start.send, P));
      if (typeof id !== 'string') return;
      await settle(id);
      await show(id);
    });
  }
}

/** The recording shows the probe's name prefix as `P`. */
function withPrefix(body, prefix) {
  return JSON.parse(JSON.stringify(body).replaceAll('"P_', `"${prefix}_`));
}
