// The layout of a form (`templateUI`): which fields stand in which order, in groups, and what they
// are called. Controls name a property by `scope`, such as `#/properties/amount`; groups and
// layouts hold `elements`. Properties that no control names come last, so that none is out of
// reach.
import type { FormSchema } from './schema-form';

export interface FormPart {
  /** '' for fields that are in no group. */
  readonly title: string;
  readonly fields: readonly FormField[];
}

export interface FormField {
  readonly name: string;
  /** The label in the layout; absent: the schema's. */
  readonly label?: string;
}

interface Element {
  readonly type?: unknown;
  readonly scope?: unknown;
  readonly label?: unknown;
  readonly elements?: unknown;
}

export function partsOf({ properties = {} }: FormSchema, layout: unknown): readonly FormPart[] {
  const left = new Set(Object.keys(properties));
  const parts: { title: string; fields: FormField[] }[] = [];
  const place = (element: Element, title: string): void => {
    const name = nameOf(element);
    if (name !== undefined && left.delete(name)) {
      const label = typeof element.label === 'string' ? { label: element.label } : {};
      if (parts.at(-1)?.title !== title) parts.push({ title, fields: [] });
      parts.at(-1)?.fields.push({ name, ...label });
    }
    const isGroup = element.type === 'Group' && typeof element.label === 'string';
    for (const below of elementsOf(element)) place(below, isGroup ? String(element.label) : title);
  };
  place(isElement(layout) ? layout : {}, '');
  const rest = [...left].map((name): FormField => ({ name }));
  return rest.length === 0 ? parts : [...parts, { title: '', fields: rest }];
}

function nameOf({ scope }: Element): string | undefined {
  return typeof scope === 'string' ? /^#\/properties\/([^/]+)$/.exec(scope)?.[1] : undefined;
}

function elementsOf({ elements }: Element): readonly Element[] {
  return Array.isArray(elements) ? elements.filter(isElement) : [];
}

function isElement(value: unknown): value is Element {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
