// Every format by its name. A new one is a file beside this and a line here.
import { badge } from './badge.ts';
import { ctrf } from './ctrf.ts';
import type { Reporter } from './extras.ts';
import type { Format } from './format-names.ts';
import { github } from './github.ts';
import { html } from './html.ts';
import { json } from './json.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import { sarif } from './sarif.ts';
import { terminal } from './terminal.ts';

export interface Described {
  readonly report: Reporter;
  /** Its file in the report folder. */
  readonly file: string;
}

export const reporters: Readonly<Record<Format, Described>> = {
  terminal: { report: terminal, file: 'summary.txt' },
  html: { report: html, file: 'report.html' },
  junit: { report: junit, file: 'junit.xml' },
  sarif: { report: sarif, file: 'results.sarif' },
  ctrf: { report: ctrf, file: 'ctrf.json' },
  markdown: { report: markdown, file: 'summary.md' },
  github: { report: github, file: 'annotations.txt' },
  badge: { report: badge, file: 'badge.json' },
  json: { report: json, file: 'outcome.json' },
};
