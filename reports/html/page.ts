// The frame of every page: one file, offline, and a policy under which no script but ours can run.
import { createHash } from 'node:crypto';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export interface Part {
  readonly id: string;
  readonly name: string;
  /** How many there are, where that is worth knowing beforehand. */
  readonly count?: number;
  readonly body: string;
}

export interface Page {
  /** Escaped already, as everything here. */
  readonly title: string;
  readonly top: string;
  readonly parts: readonly Part[];
  readonly footer: string;
}

export function pageOf({ title, top, parts, footer }: Page): string {
  const policy = `default-src 'none'; style-src '${hash(STYLE)}'; script-src '${hash(SCRIPT)}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Runcert">
<meta name="referrer" content="no-referrer">
<title>${title} · Runcert</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the verdict</a>
<header class="bar"><div><span class="brand">Runcert</span><nav aria-label="Parts of this report">${parts.map(({ id, name, count }) => `<a href="#${id}">${name}${count === undefined ? '' : ` <span class="n">${count}</span>`}</a>`).join('')}</nav><button type="button" id="theme" class="needs-js">Dark</button></div></header>
<main id="main">
${top}
${parts.map(({ id, name, body }) => `<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>\n${body}</section>`).join('\n')}
<footer>${footer}</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** The verdict of a page: a seal, a headline and one sentence, all escaped already. */
export const heroOf = (
  kind: 'conformant' | 'not-conformant' | 'inconclusive',
  headline: string,
  sentence: string,
): string =>
  `<div class="hero ${kind}"><div class="seal" aria-hidden="true">${SEALS[kind]}</div><div><h1>${headline}</h1><p>${sentence}</p></div></div>`;

const SEALS = { conformant: '✓', 'not-conformant': '✕', inconclusive: '?' } as const;

const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
