// The state and the action of a bulk job in words.
import type { ReactElement } from 'react';
import type { BulkJob } from '../../api/types';
import { count } from '../../state/format';

const words: Readonly<Record<BulkJob['state'], string>> = {
  PREVIEW: 'Not started',
  RUNNING: 'Running',
  STOPPED: 'Stopped',
  COMPLETED: 'Completed',
};

export function JobState({ state }: { readonly state: BulkJob['state'] }): ReactElement {
  return <span className="quiet">{words[state]}</span>;
}

export function executionsText(number: number): string {
  return number === 1 ? '1 execution' : `${count(number)} executions`;
}

export function actionWord(action: BulkJob['action']): string {
  return action.charAt(0).toUpperCase() + action.slice(1);
}
