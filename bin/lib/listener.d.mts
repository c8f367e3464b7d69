// Types of listener.mjs.
/** Copies the native binary of the listener, and its licence, into a folder. */
export function copyListener(folder: string): void;
