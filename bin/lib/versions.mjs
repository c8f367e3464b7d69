// Where the version of a release is written down, its section of CHANGELOG.md, and what is wrong
// with a release that is asked for. Reads and writes nothing by itself (release.mjs does).

const semantic = /^\d+\.\d+\.\d+$/;

/** Each file with the texts in it that hold the version; `VERSION` stands for it. */
export const versionPlaces = {
  'package.json': ['"version": "VERSION"'],
  // At its top, and in the entry of the project itself.
  'package-lock.json': [
    '"name": "@downbeat/server",\n  "version": "VERSION"',
    '"": {\n      "name": "@downbeat/server",\n      "version": "VERSION"',
  ],
  'deploy/helm/downbeat/Chart.yaml': ['\nversion: VERSION', '\nappVersion: VERSION'],
  'deploy/kubernetes/downbeat.yaml': ['image: "downbeat:VERSION"'],
  'README.md': ['./downbeat-VERSION.tgz'],
  'docs/command.md': ['./downbeat-VERSION.tgz'],
};

/** The text of a file with the next version; throws an Error for a place that is not there. */
export function withVersion(name, text, version, next) {
  let changed = text;
  for (const place of versionPlaces[name]) {
    const [old, renewed] = [version, next].map((each) => place.replace('VERSION', each));
    if (!text.includes(old)) throw new Error(`${name} does not hold ${JSON.stringify(old)}`);
    changed = changed.replaceAll(old, renewed);
  }
  return changed;
}

/** Version, day (or `unreleased`) and text without heading of the first section. */
export function firstSection(changelog) {
  const [, version = '', day = '', notes = ''] =
    /^## (\S+) \(([^)]+)\)\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  return { version, day, notes: notes.trim() };
}

export const withDay = (changelog, day) => changelog.replace(/^(## \S+) \([^)]+\)/m, `$1 (${day})`);

export const isVersion = (text) => semantic.test(text);

/** The sentences that speak against a release; none: it can be made. */
export function problemsOf({ version, current, changelog, tags, changed }) {
  const problems = [];
  const section = firstSection(changelog);
  if (compare(version, current) < 0) {
    problems.push(`${version} is older than ${current}, which package.json has.`);
  }
  if (tags.includes(`v${version}`)) {
    problems.push(`The tag v${version} is there already: a version is released once.`);
  }
  if (section.version !== version) {
    const has = section.version === '' ? 'no section' : `that of ${section.version}`;
    problems.push(
      `The first section of CHANGELOG.md is ${has}: write "## ${version} (unreleased)" with what users notice.`,
    );
  } else if (section.day !== 'unreleased') {
    problems.push(`CHANGELOG.md says that ${version} was released on ${section.day}.`);
  } else if (!/^- /m.test(section.notes)) {
    problems.push(`The section of ${version} in CHANGELOG.md has no entry.`);
  }
  if (changed.length > 0) {
    problems.push(`Not committed: ${changed.join(', ')}. Commit or remove it.`);
  }
  return problems;
}

function compare(one, other) {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number));
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}
