// Finds words in comments that made readers stop: riddles, and words that the code has given up.

export interface Riddle {
  readonly words: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

export const riddles: readonly Riddle[] = [
  { words: /\bwhoever\b/i, instead: 'the caller, the owner, a node that' },
  { words: /\b(?:let|lets|letting) go\b/i, instead: 'release, evict' },
  { words: /\bstr(?:ike|ikes|uck|iking)\b(?: \w+){0,5} off\b/i, instead: 'delete, clear' },
  { words: /\bnobody's\b/i, instead: 'say who has it, or that it has none' },
  { words: /\b(?:come|comes|came|coming) to\b/i, instead: 'total, become, reach, end' },
  { words: /\b(?:go|goes|went|going) along\b/i, instead: 'propagate, be passed' },
  { words: /\b(?:put|puts|putting) together\b/i, instead: 'build, derive' },
  {
    words: /\b(?:a|an|the|one|each|every|another|first|second|last|next|later|rolling) looks?\b/i,
    instead: 'check, read, visit, audit',
  },
  { words: /\bin vain\b/i, instead: 'without success' },
  { words: /\btenures?\b/i, instead: 'ownership, epoch' },
  { words: /\bdut(?:y|ies)\b/i, instead: 'outbox message' },
  { words: /\breviv(?:e|es|ed|al|als|ing)\b/i, instead: 'reopen, reopen count' },
  { words: /\bmemos?\b/i, instead: 'task notes' },
  { words: /\b(?:is|are) no news\b/i, instead: 'is ignored, is left out' },
  { words: /\b(?:cannot|could not) be had\b/i, instead: 'is not acquired, built, found' },
];

/** One paragraph of comment lines as a single text, and the line where it begins, from 1. */
export interface CommentText {
  readonly line: number;
  readonly text: string;
}

/** Comments of TypeScript, JavaScript and Lua: lines of their own, and what follows code. */
export function commentsOf(source: string): CommentText[] {
  const comments: { line: number; text: string }[] = [];
  let open = false;
  source.split('\n').forEach((content, i) => {
    const own = /^\s*(?:\/\/|\/\*\*?|\*\/?|--)\s?(.*?)\s*(?:\*\/)?$/.exec(content)?.[1];
    const trailing = own ?? / (?:\/\/|--) (.*)$/.exec(content)?.[1];
    const last = comments.at(-1);
    if (trailing === undefined) open = false;
    else if (open && own !== undefined && last !== undefined) last.text += ` ${trailing}`;
    else {
      comments.push({ line: i + 1, text: trailing });
      open = own !== undefined;
    }
  });
  return comments;
}

/** `line: "word" (instead: ...)` for each riddle in the comments of a source text. */
export function riddlesIn(source: string): string[] {
  return commentsOf(source).flatMap(({ line, text }) =>
    riddles.flatMap(({ words, instead }) => {
      const found = words.exec(text)?.[0];
      return found === undefined ? [] : [`${line}: "${found}" (instead: ${instead})`];
    }),
  );
}

/**
 * Comments that open as a question, with "What" or "Who", as `line: text`: a comment should open
 * with its subject and say what it is or does.
 */
export function questionsIn(source: string): string[] {
  return commentsOf(source)
    .map(({ line, text }) => ({ line, text: text.trim() }))
    .filter(({ text }) => /^(?:What|Who)\b/.test(text))
    .map(({ line, text }) => `${line}: ${text}`);
}
