// The nonce that the server put into this answer: style sheets made by scripts need it.

export const nonce: string =
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
