// Notes the current work of the event loop, for the log line of a process that ends because it does
// not come back from it (watchdog.ts). A note is one write to memory: a step of a worker's report
// takes a few microseconds in all.

export class LoopNote {
  /** Id of the execution whose step runs; '' while none does. */
  execution = '';
}
