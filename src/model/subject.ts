// The id by which what is stored names who made it: of a person the id, of an application
// `app:<id>`. An id that was given again after its person was deleted has a mark and a number
// behind it, so that nobody is taken for who had the id before (docs/access.md, Ids that are given
// again). Callers carry it, it is compared and stored as it is, and shown without the mark. Grants,
// assignments and accounts go by the plain id.

/** No id of a person holds it (access/resource-names.ts). */
const mark = '\u0000';

/** `times`: how often the id was deleted before. */
export function subjectOf(id: string, times: number): string {
  return times === 0 ? id : `${id}${mark}${times}`;
}

/** The id without the mark, as it is shown, and as grants name it. */
export function plainId(subject: string): string {
  const at = subject.indexOf(mark);
  return at === -1 ? subject : subject.slice(0, at);
}

/** Members of records that name a subject. */
const subjectMembers = ['createdBy', 'updatedBy', 'actsAs'] as const;
type SubjectMembers = { readonly [Name in (typeof subjectMembers)[number]]?: unknown };

/** A record as it is shown: the subjects that it names without their marks. */
export function withPlainIds<T extends SubjectMembers>(stored: T): T {
  const marked = subjectMembers.filter((name) => isMarked(stored[name]));
  if (marked.length === 0) return stored;
  const plain = marked.map((name) => [name, plainId(stored[name] as string)] as const);
  return { ...stored, ...Object.fromEntries(plain) };
}

function isMarked(value: unknown): boolean {
  return typeof value === 'string' && value.includes(mark);
}
