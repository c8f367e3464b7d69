// What the side bar and the palette lead to. `area`: shown only where the server serves that path
// (of GET /api/features).
export interface Section {
  readonly title: string;
  readonly to: string;
  /** Letter after `g`. */
  readonly key?: string;
  /** Begin of an API path that must be served. */
  readonly needs?: string;
}

export interface SectionGroup {
  readonly title: string;
  readonly sections: readonly Section[];
}

export const sectionGroups: readonly SectionGroup[] = [
  {
    title: 'Run',
    sections: [
      { title: 'Overview', to: '/', key: 'o' },
      { title: 'Executions', to: '/executions', key: 'e' },
    ],
  },
];
