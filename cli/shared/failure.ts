// How a command ends. docs/command.md lists the codes.
export const exitCodes = {
  done: 0,
  /** The command failed: a refused call, differences, a mistake in the set-up. */
  failed: 1,
  /** Bad input: nothing was changed. */
  badInput: 2,
  /** The server cannot be reached, or went away. */
  unreachable: 3,
  /** No token, or no right. */
  denied: 4,
  /** There is no such thing. */
  notFound: 5,
  /** The execution ended as FAILED, TIMED_OUT or TERMINATED. */
  workflowFailed: 10,
  workflowTimedOut: 11,
  workflowTerminated: 12,
} as const;

/** A sentence for the person who typed the command, and the exit code. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly code: number = exitCodes.failed,
  ) {
    super(message);
  }
}

/** A mistake in the input, and how to mend it. */
export function badInput(message: string): Failure {
  return new Failure(message, exitCodes.badInput);
}

/** The code of a failure after which `done` things are changed: bad input says that none is. */
export function codeAfter(code: number, done: number): number {
  return code === exitCodes.badInput && done > 0 ? exitCodes.failed : code;
}

/** The code that stands for the status of an execution that has ended. */
export function codeOfStatus(status: string): number {
  switch (status) {
    case 'COMPLETED':
      return exitCodes.done;
    case 'TIMED_OUT':
      return exitCodes.workflowTimedOut;
    case 'TERMINATED':
      return exitCodes.workflowTerminated;
    default:
      return exitCodes.workflowFailed;
  }
}
