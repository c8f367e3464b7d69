// The lists in which writers note what has changed, for text indexes (search-feed.ts). Human tasks
// are always noted. Executions are noted only while a partition's state holds a mark: most servers
// have no text index, and a list costs each commit two commands. `commit.lua` reads the mark with
// the fences (invariants M16).
//
// Why no change is missed (a test for each: test/redis/text-index.test.ts). `watch.lua` sets the
// mark, with a new token where there was none, and renews it where there was one. A commit that
// finds the mark notes itself in the same script. A commit that finds it lapsed, or that comes too
// late for its list to be read, takes the mark away in the same script. So a commit that is not
// noted leaves the partition without a mark, and the next mark has another token: a reader that
// finds the token it knows has missed nothing. A reader sets the mark before it begins to read
// executions, so what is committed before the mark is in what it reads, and what is committed
// after it is in the list; when the token is another one, it reads everything again.

/** A list holds what changed in a minute since 1970. */
export const minuteMs = 60_000;
/** How long a list is kept after its newest entry, and a mark after a reader has renewed it. */
export const changedLifeMs = 10 * minuteMs;
/** Field of a partition's state: `<end in epoch ms> <token>`. */
export const watchField = 'w';
