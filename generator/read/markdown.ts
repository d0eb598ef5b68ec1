// Markdown → the parts of a document that carry structure: sections, fenced blocks, tables, notes on fields; all with places.
import type { Nodes, PhrasingContent, Root, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { type Diagnostic, Unreadable } from '../diagnostics.ts';
import type { Place, Section } from '../model.ts';
import type { DocumentText } from './document-text.ts';

export interface Block {
  readonly language: string;
  /** What stands after the language in the fence line. */
  readonly words: readonly string[];
  readonly text: string;
  /** The place of an offset in `text`. */
  readonly placeAt: (offset: number) => Place;
  readonly place: Place;
}

export interface Cell {
  readonly text: string;
  /** The content of each code span in the cell. */
  readonly codes: readonly string[];
  readonly place: Place;
}

export interface TablePart {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly place: Place;
}

/** A list item that begins with a name in code: what the document says about a field. */
export interface FieldNote {
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

export type Part =
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'table'; readonly table: TablePart }
  | { readonly kind: 'note'; readonly note: FieldNote };

export interface MarkdownDocument {
  readonly sections: readonly Section[];
  readonly parts: readonly Part[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Deeper than any document a person writes; beyond it a parser's time grows without bound. */
const MAX_CONTAINERS = 50;

export function readMarkdown(doc: DocumentText): MarkdownDocument {
  refuseDeepNesting(doc);
  const tree = fromMarkdown(doc.text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  const sections: Section[] = [];
  const parts: Part[] = [];
  const diagnostics: Diagnostic[] = [];
  let section = '';
  const place = (node: Nodes): Place => ({
    file: doc.file,
    line: node.position?.start.line ?? 1,
    column: node.position?.start.column ?? 1,
    section,
  });

  for (const node of inOrder(tree)) {
    if (node.type === 'heading') {
      const title = plainText(node);
      const numbered = /^(?:§\s*)?(\d+(?:\.\d+)*)[.、:)]?\s+(.*)$/u.exec(title);
      section = numbered?.[1] ?? title;
      sections.push({
        id: section,
        title: numbered?.[2] ?? title,
        depth: node.depth,
        file: doc.file,
        line: place(node).line,
      });
    } else if (node.type === 'code') {
      const info = `${node.lang ?? ''} ${node.meta ?? ''}`.trim().split(/\s+/);
      const at = place(node);
      // An indented block has no fence: it is quoted text, not a statement of the protocol.
      const fence = /^[ \t>*+\-0-9.)]*(`{3,}|~{3,})/u.exec(doc.lines[at.line - 1] ?? '')?.[1];
      if (fence === undefined) {
        if (/^class\s+\w+.*:\s*$/mu.test(node.value))
          diagnostics.push({
            severity: 'warning',
            code: 'unmarked-python',
            message: 'A class stands here in text that is only indented, so it is not read.',
            remedy: 'Put it between ```python and ```; or between ```text ignore and ``` to say that this is meant.',
            place: at,
          });
        continue;
      }
      if (!isClosed(doc, fence, at.line, node.position?.end.line ?? at.line)) {
        diagnostics.push({
          severity: 'error',
          code: 'unclosed-block',
          message: 'This code block is never closed, so everything after it would be read as code.',
          remedy: `Add a line with ${fence} after the block.`,
          place: at,
        });
      }
      parts.push({
        kind: 'block',
        block: {
          language: (info[0] ?? '').toLowerCase(),
          words: info.slice(1),
          text: node.value,
          place: at,
          placeAt: placesIn(doc, node.value, at),
        },
      });
    } else if (node.type === 'table') {
      parts.push({ kind: 'table', table: readTable(node, place) });
    } else if (node.type === 'paragraph' && looksLikeTable(doc, node)) {
      diagnostics.push({
        severity: 'warning',
        code: 'broken-table',
        message:
          'This looks like a table and is none: the line of dashes has another number of columns than the header.',
        remedy: 'Give every column of the header its dashes.',
        place: place(node),
      });
    } else if (node.type === 'listItem') {
      const first = node.children[0];
      const name = first?.type === 'paragraph' ? first.children[0] : undefined;
      if (first?.type === 'paragraph' && name?.type === 'inlineCode') {
        const text = first.children.slice(1).map(plainText).join('').replace(/\s+/gu, ' ');
        parts.push({
          kind: 'note',
          note: { name: name.value, text: text.replace(/^\s*[:：,，]?\s*/u, ''), place: place(node) },
        });
      }
    }
  }
  return { sections, parts, diagnostics };
}

function refuseDeepNesting(doc: DocumentText): void {
  for (const [index, line] of doc.lines.entries()) {
    // The markers of block quotes and lists at the start of a line each open a container.
    const markers = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))*/u.exec(line)?.[0] ?? '';
    const depth = (markers.match(/[>*+\-.)]/gu) ?? []).length;
    const indented = /^([ \t]*)(?:>|[-*+]\s|\d{1,9}[.)]\s)/u.exec(line)?.[1]?.length ?? 0;
    if (depth > MAX_CONTAINERS || indented > 4 * MAX_CONTAINERS) {
      throw new Unreadable(
        'too-deep',
        `Lists or quotes are nested more than ${MAX_CONTAINERS} deep here.`,
        { file: doc.file, line: index + 1, column: 1, section: '' },
        'A specification needs no such nesting; flatten it.',
      );
    }
  }
}

/** All nodes in document order, without recursion. Table cells and headings are read where they are met. */
function* inOrder(root: Root): Generator<Nodes> {
  const stack: Nodes[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if ('children' in node && node.type !== 'table' && node.type !== 'heading' && node.type !== 'paragraph') {
      for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i] as Nodes);
    }
  }
}

function readTable(table: Table, place: (node: Nodes) => Place): TablePart {
  const rows = table.children.map((row) =>
    row.children.map((cell) => ({
      text: cell.children.map(plainText).join('').trim(),
      codes: codesIn(cell.children),
      place: place(cell),
    })),
  );
  return { header: rows[0] ?? [], rows: rows.slice(1), place: place(table) };
}

/** Markdown takes a table whose line of dashes is too short or too long for a paragraph, without a word. */
function looksLikeTable(doc: DocumentText, paragraph: Nodes): boolean {
  const { start, end } = paragraph.position ?? {};
  if (start === undefined || end === undefined || end.line <= start.line) return false;
  const [header, dashes] = doc.lines.slice(start.line - 1, start.line + 1);
  return header?.includes('|') === true && /^[ \t>]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/u.test(dashes ?? '');
}

const codesIn = (nodes: readonly PhrasingContent[]): string[] =>
  nodes.flatMap((node) =>
    node.type === 'inlineCode' ? [node.value] : 'children' in node ? codesIn(node.children) : [],
  );

function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map((child) => plainText(child as Nodes)).join('') : '';
}

function isClosed(doc: DocumentText, fence: string, from: number, to: number): boolean {
  if (to <= from) return false;
  const last = (doc.lines[to - 1] ?? '').replace(/^[ \t>]*/u, '').trimEnd();
  return last.length >= fence.length && last === fence.charAt(0).repeat(last.length);
}

/** A block's text has lost its indentation and quote marks; its lines end as the document's lines do. */
function placesIn(doc: DocumentText, text: string, at: Place): (offset: number) => Place {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] as number;
    const line = at.line + 1 + low;
    const length = (starts[low + 1] ?? text.length + 1) - 1 - start;
    const lost = Math.max(0, (doc.lines[line - 1]?.length ?? length) - length);
    return { file: at.file, line, column: lost + offset - start + 1, section: at.section };
  };
}
