// Words for values of the API that people choose from: policies are sent as they are called there.
export const wireWords: Readonly<Record<string, string>> = {
  FIXED: 'Always the same',
  EXPONENTIAL_BACKOFF: 'Doubling',
  LINEAR_BACKOFF: 'Growing by the factor',
  RETRY: 'Retry',
  TIME_OUT_WF: 'Fail the workflow',
  ALERT_ONLY: 'Let it go on',
};
