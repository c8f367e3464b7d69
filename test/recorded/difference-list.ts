// Differences between the recorded answers of the reference server and ours, as the recording's own
// diff.mjs prints them, and the committed list of those that are meant to be.

/** "scenario step field-path"; the path is `answer` where there was none. */
export type DifferenceName = string;

export interface AcceptedGroup {
  /** Why ours is right, or as good. */
  readonly reason: string;
  /** The difference may be absent in some runs (orders, timing): then it is not stale. */
  readonly varies?: boolean;
  readonly differences: readonly DifferenceName[];
}

export interface Difference {
  readonly name: DifferenceName;
  /** What was asked, wanted and got. */
  readonly text: string;
}

/**
 * Reads the output of `diff.mjs --all`: a line `scenario #step METHOD path` and below it, indented,
 * one line per field, `path: want X, got Y`.
 */
export function parseDifferences(output: string): Difference[] {
  const found: Difference[] = [];
  let step = '';
  let question = '';
  for (const line of output.split('\n')) {
    const head = /^(\S+) #(\d+) (.*)$/.exec(line);
    if (head !== null) {
      step = `${head[1]} ${head[2]}`;
      question = head[3] ?? '';
    } else if (line.startsWith('  ')) {
      const path = /^ {2}(.*?): want /.exec(line)?.[1] ?? 'answer';
      found.push({ name: `${step} ${path}`, text: `${step} ${question}\n${line}` });
    }
  }
  return found;
}

/** Differences that no group accepts. */
export function unaccepted(
  differences: readonly Difference[],
  groups: readonly AcceptedGroup[],
): Difference[] {
  const accepted = new Set(groups.flatMap((group) => group.differences));
  return differences.filter((difference) => !accepted.has(difference.name));
}

/** Accepted names that were not seen: the list must not outlive what it excuses. */
export function stale(
  differences: readonly Difference[],
  groups: readonly AcceptedGroup[],
): DifferenceName[] {
  const seen = new Set(differences.map((difference) => difference.name));
  return groups
    .filter((group) => group.varies !== true)
    .flatMap((group) => group.differences)
    .filter((name) => !seen.has(name));
}
