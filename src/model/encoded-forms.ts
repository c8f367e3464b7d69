// Other spellings of a text that must not be shown. A secret that stands in a URL, a form or a
// header comes back as that was written: percent-encoded, in base64 beside other bytes (as in
// `Authorization: Basic`), in lower case, as hosts and names of headers are, or in upper case, as
// methods.

/** Shorter pieces of base64 stand for too many other texts. */
const base64CharsMin = 8;

/** The text itself and every other spelling of it. */
export function encodedForms(text: string): string[] {
  const forms = new Set([text]);
  for (const encoded of [...percentForms(text), JSON.stringify(text).slice(1, -1)]) {
    forms.add(encoded);
    // Hexadecimal digits of an escape are written both ways.
    forms.add(encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()));
  }
  for (const form of [...forms]) forms.add(form.toLowerCase()).add(form.toUpperCase());
  for (const form of base64Forms(text)) forms.add(form);
  return [...forms];
}

function percentForms(text: string): string[] {
  // A lone surrogate has no percent-encoding.
  const whole = Buffer.from(text).toString();
  const component = encodeURIComponent(whole);
  return [
    component,
    encodeURI(whole),
    strictly(component),
    new URLSearchParams([['', whole]]).toString().slice(1),
    new URLSearchParams([['', whole]]).toString().slice(1).replaceAll('+', '%20'),
    urlPart(whole, '/'),
    urlPart(whole, '/?'),
  ];
}

/** As RFC 3986 reserves: `encodeURIComponent` leaves these as they are. */
function strictly(component: string): string {
  return component.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** As the parser of URLs writes a path or a query. */
function urlPart(text: string, before: '/' | '/?'): string {
  const { pathname, search } = new URL(`http://x${before}${text}`);
  return before === '/' ? pathname.slice(1) : search.slice(1);
}

/** The base64 forms of a text at each offset in a group of three bytes, without shared letters. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms: string[] = [];
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const wholeBits = (before + bytes.length) * 8;
    // The first characters hold bits of what is before, the last ones bits of what follows.
    const part = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(wholeBits / 6));
    if (part.length < base64CharsMin) continue;
    forms.push(part, part.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}
