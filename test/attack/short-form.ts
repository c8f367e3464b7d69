// One list of attacks in its short form, and how many there were.
import { tell } from '../support/figures.js';
import { runAttack, type AttackReport } from './attack.js';

export async function attackShortly(
  httpServer: 'uws' | 'node',
  name: string,
): Promise<AttackReport> {
  const report = await runAttack({ httpServer, isShort: true, only: [name], say: tell });
  tell([...report.tried].map(([list, count]) => `${list}: ${count} attacks`).join(', '));
  return report;
}
