// Reasons and remedies of the server in the words of people. On record they stay as they are: in
// the JSON tab, and in the title of a row.
import { count, duration, sentence, withMoments } from './format';

interface Wording {
  readonly pattern: RegExp;
  readonly words: (groups: Readonly<Record<string, string>>) => string;
}

const seconds = (text = ''): string => duration(Number(text) * 1000);

const wordings: readonly Wording[] = [
  {
    pattern: /\b(?<number>\d{4,})(?= (?:more )?tasks? wait)/g,
    words: ({ number }) => count(Number(number)),
  },
  {
    pattern: /no worker has polled for this type without a domain/g,
    words: () => 'no worker polls for this type',
  },
  {
    pattern: /Sub workflow (?<name>\S+)\.\d+\/\S+ failure reason: /g,
    words: ({ name }) => `the child ${name} failed: `,
  },
  {
    pattern:
      /responseTimeout: (?<limit>\d+) exceeded for the taskId: \S+ with Task Definition: (?:[\w.:-]+)/g,
    words: ({ limit }) =>
      `its worker gave no sign of life for ${seconds(limit)}, its response timeout`,
  },
  {
    pattern:
      /Task poll timed out after (?<after>\d+) seconds\. Poll timeout configured as \d+ seconds\. Timeout policy configured to \w+/g,
    words: ({ after }) => `no worker took it within ${seconds(after)}`,
  },
  {
    pattern:
      /(?<what>Task|Workflow) timed out after (?<after>\d+) seconds\. Timeout configured as (?<limit>\d+) seconds\. Timeout policy configured to \w+/g,
    words: ({ what, after, limit }) =>
      `${what === 'Task' ? 'it' : 'the execution'} took ${seconds(after)}, and its timeout is ${seconds(limit)}`,
  },
  {
    pattern:
      /Task \S+ exceeded total timeout of (?<limit>\d+) seconds \(elapsed (?<after>\d+) seconds across all attempts including retry delays\)\. Timeout policy: \w+/g,
    words: ({ after, limit }) =>
      `all attempts together took ${seconds(after)}, and their timeout is ${seconds(limit)}`,
  },
];

/** How an execution quotes the reason of its task. */
const quoted = /Task \S+ failed with status: \w+ and reason: '(.+)'/gs;

/** A reason on record, or a sentence with one in it. */
export function plainReason(reason: string): string {
  let text = unquoted(reason);
  for (const { pattern, words } of wordings) {
    text = text.replace(pattern, (...found: unknown[]) =>
      words(found.at(-1) as Readonly<Record<string, string>>),
    );
  }
  return text;
}

/** The words of a task, out of the reason that its execution ended with; begins a line. */
export function causeOf(reason: string | undefined): string {
  const given = unquoted(reason ?? '');
  const text = plainReason(given);
  return text === given ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

const unquoted = (reason: string): string => reason.replace(quoted, '$1');

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^PUT \/api\/workflow\/\S+\/resume$/, 'Resume'],
  [/^POST \/api\/tasks\/\S+\/signal$/, 'a signal, or the action Complete'],
  [/^POST \/api\/workflow\/\S+\/messages$/, 'a message to the execution'],
  [/^what that execution waits for: GET \S+$/, 'the end of the child'],
  [/, or POST resetcallbacks$/, ''],
];

/** The thing that moves an open task: an action of the page rather than a route. */
export function remedyOf(moves: string): string {
  return sentence(
    withMoments(remedies.reduce((text, [route, words]) => text.replace(route, words), moves)),
  );
}
