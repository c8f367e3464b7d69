// How the search reads words: the same when the index is built and when it is asked.
export const searchOptions = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'excerpt'],
  // Names such as `taskDefName`, `workflow.env` and `--max-polls` are found whole and by their parts.
  tokenize: (text) => [
    ...(text.match(/[\p{Letter}\p{Number}_]+/gu) ?? []),
    ...(text.match(/[\p{Letter}\p{Number}_]+(?:[.-][\p{Letter}\p{Number}_]+)+/gu) ?? []),
  ],
};

export const searchQuery = {
  prefix: true,
  fuzzy: 0.15,
  boost: { heading: 4, page: 2 },
  combineWith: 'AND',
};
