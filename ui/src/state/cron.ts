// Cron expressions in words.
import cronstrue from 'cronstrue';

/** '' for what is no cron expression. */
export function cronInWords(cron: string): string {
  try {
    return cronstrue.toString(cron);
  } catch {
    return '';
  }
}
