// The plan of an import as a person reads it, and as JSON: what will be done, what would be
// refused, what each definition does differently here, what is not brought.
import type { Step } from '../apply/plan.js';
import type { Output, Paint } from '../shared/output.js';
import type { Difference } from './differences.js';
import type { ImportPlan, ImportStep } from './plan-import.js';

const looks: Readonly<Record<Step['action'], readonly [sign: string, paint: Paint]>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  delete: ['-', 'red'],
  unchanged: ['=', 'dim'],
};

const linesShownMax = 10;

export function planText(out: Output, plan: ImportPlan, left: readonly string[]): string {
  const { steps, missingSecrets } = plan;
  const count = (action: Step['action']): number =>
    steps.filter((each) => each.action === action).length;
  const sections = [
    ...steps.filter(({ action }) => action !== 'unchanged').flatMap((step) => stepText(out, step)),
    `${count('create')} to create, ${count('update')} to change, ${count('unchanged')} unchanged`,
    ...differencesText(out, steps),
    ...(missingSecrets.length === 0
      ? []
      : [
          `Values of secrets cannot be read. Store them: ${missingSecrets.join(', ')} (downbeat secret set NAME).`,
        ]),
    ...left,
  ];
  return sections.join('\n');
}

function stepText(out: Output, { action, kind, id, changes, refusal }: ImportStep): string[] {
  const [sign, paint] = looks[action];
  const more = changes.length - linesShownMax;
  return [
    out.painted(paint, `${sign} ${kind.name} ${id}`),
    ...changes.slice(0, linesShownMax).map((each) => `    ${each}`),
    ...(more > 0 ? [`    ... and ${more} more`] : []),
    ...(refusal === undefined ? [] : [out.painted('red', `    will be refused: ${refusal}`)]),
  ];
}

/** By definition, then what each name means. */
function differencesText(out: Output, steps: readonly ImportStep[]): string[] {
  const concerned = steps.filter(
    ({ differences, warnings }) => differences.length > 0 || warnings.length > 0,
  );
  if (concerned.length === 0) return ['No definition is known to behave differently here.'];
  const named = new Map<string, Difference>();
  const lines = concerned.flatMap(({ kind, id, differences, warnings }) => [
    `${kind.name} ${id}`,
    ...differences.map(({ difference, places }) => {
      named.set(difference.id, difference);
      return `    ${difference.id}: ${shownPlaces(places)}`;
    }),
    ...warnings.map((warning) => `    ${warning}`),
  ]);
  const meanings = [...named.values()].map(
    ({ id, there, here, todo }) =>
      `${out.painted('bold', id)}\n    Conductor: ${there}\n    here: ${here}\n    to do: ${todo}`,
  );
  return ['', 'What behaves differently here:', ...lines, '', ...meanings, ''];
}

function shownPlaces(places: readonly string[]): string {
  const more = places.length - linesShownMax;
  const shown = places.slice(0, linesShownMax).join(', ');
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

/** The plan as JSON. */
export function shownPlan({ steps, missingSecrets }: ImportPlan, left: readonly string[]): object {
  return {
    steps: steps.map(({ action, kind, id, changes, refusal, differences, warnings }) => ({
      action,
      kind: kind.name,
      id,
      changes,
      ...(refusal === undefined ? {} : { refusal }),
      differences: differences.map(({ difference, places }) => ({ name: difference.id, places })),
      warnings,
    })),
    missingSecrets,
    left,
  };
}
