// How often pages ask again while they are in sight; TanStack Query pauses hidden tabs by itself.

/** Counters and lists. */
export const overviewMs = 1000;
export const listMs = 2000;
/** An execution that has not ended. */
export const executionMs = 1000;
/** For the reason why an execution waits. */
export const whyMs = 5000;
