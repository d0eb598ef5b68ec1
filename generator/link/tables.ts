// Tables that carry structure. Three kinds are understood, by their header cells alone; every other table is prose.
//   | `Model.field` | … |                     the values that a text field is known to take (also: a bare `field`, near its model)
//   | `Model.tag` | `Model.content` | … |     which model `content` holds, by the value of `tag`
//   | call | request | answer | … |            which models go with a call of the API
import { type Diagnostic, Unreadable } from '../diagnostics.ts';
import type { ApiCall, Catalogue, Declaration, Model, Place, TableData, TypeExpr, Variants } from '../model.ts';
import type { SpecDocument } from '../read/document.ts';
import type { Cell, TablePart } from '../read/markdown.ts';
import { readAnnotation } from '../read/python/annotations.ts';

type ClassDeclaration = Extract<Declaration, { kind: 'class' }>;

export interface CallTypes {
  readonly call: string;
  readonly request: TypeExpr | undefined;
  readonly answer: TypeExpr | undefined;
  readonly place: Place;
}

export interface Tables {
  readonly catalogues: readonly Catalogue[];
  readonly variants: readonly Variants[];
  readonly answers: readonly CallTypes[];
  readonly tables: readonly TableData[];
}

export function readTables(documents: readonly SpecDocument[], report: (d: Diagnostic) => void): Tables {
  const classes = new Map<string, ClassDeclaration>();
  for (const document of documents) {
    for (const statement of document.statements)
      if (statement.kind === 'declaration' && statement.declaration.kind === 'class')
        classes.set(statement.declaration.name, statement.declaration);
  }
  const catalogues = new Map<string, Catalogue>();
  const variants: Variants[] = [];
  const answers: CallTypes[] = [];
  const tables: TableData[] = [];
  const add = (model: string, field: string, table: TablePart): void => {
    const key = `${model}.${field}`;
    const earlier = catalogues.get(key);
    const values = table.rows.flatMap((row) =>
      (row[0]?.codes ?? []).map((value) => ({
        value,
        note: noteOf(row.slice(1)),
        place: row[0]?.place ?? table.place,
      })),
    );
    const fresh = values.filter(({ value }) => !earlier?.values.some((known) => known.value === value));
    catalogues.set(key, {
      model,
      field,
      place: earlier?.place ?? table.place,
      values: [...(earlier?.values ?? []), ...fresh],
    });
  };

  for (const document of documents) {
    const before: ClassDeclaration[] = [];
    for (const statement of document.statements) {
      if (statement.kind === 'declaration' && statement.declaration.kind === 'class')
        before.push(statement.declaration);
      if (statement.kind !== 'table') continue;
      const { table } = statement;
      if (table.rows.length > 0 && table.rows.every((row) => isCodes(row[0]))) tables.push(dataOf(table));
      try {
        const tag = memberOf(table.header[0]);
        const content = memberOf(table.header[1]);
        if (tag !== undefined) {
          known(classes, tag, table.header[0] as Cell);
          if (!table.rows.every((row) => isCodes(row[0])))
            throw new Unreadable(
              'table-values',
              `The first column must give the values of ${tag.model}.${tag.field} in code.`,
              table.place,
              'Put each value in `backquotes`.',
            );
          add(tag.model, tag.field, table);
          if (content?.model === tag.model) {
            known(classes, content, table.header[1] as Cell);
            variants.push(variantsOf(tag.model, tag.field, content.field, table));
          }
        } else if (/^(?:api )?call$/iu.test(table.header[0]?.text ?? '')) answers.push(...answersOf(table));
        else {
          const field = table.header[0]?.text ?? '';
          const owner =
            /^[a-z_]\w*$/u.test(field) && table.rows.length > 0 && table.rows.every((row) => isCodes(row[0]))
              ? ownerOf(before, field, table.place)
              : undefined;
          if (owner !== undefined) add(owner.name, field, table);
        }
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        report(error.diagnostic);
      }
    }
  }
  return { catalogues: [...catalogues.values()], variants, answers, tables };
}

/** What a table tells about a call, beside the call that a block shows. A call listed several times is told by the first row. */
export function withAnswers(
  calls: readonly ApiCall[],
  answers: Tables['answers'],
  models: ReadonlyMap<string, Model>,
  report: (d: Diagnostic) => void,
): ApiCall[] {
  for (const { call, place } of answers) {
    if (!calls.some(({ path }) => path.join('.') === call)) {
      report({
        severity: 'error',
        code: 'unknown-call',
        message: `No block shows a call "${call}".`,
        place,
        remedy: 'Correct the name, or show the call in the block of the API.',
      });
    }
  }
  return calls.map((call) => {
    const told = answers.find((entry) => entry.call === call.path.join('.'));
    const request = told?.request?.kind === 'ref' ? models.get(told.request.name) : undefined;
    const fields = request?.kind === 'object' ? request.fields : [];
    return {
      ...call,
      parameters: call.parameters.map((parameter) => {
        const field = fields.find(({ name }) => name === parameter.name);
        return field === undefined ? parameter : { ...parameter, type: field.type };
      }),
      ...(told?.answer === undefined ? {} : { returns: told.answer }),
      ...(request === undefined ? {} : { request: request.name }),
    };
  });
}

/** A cell that is nothing but code: `a`, or `a`, `b`. */
const isCodes = (cell: Cell | undefined): boolean =>
  cell !== undefined &&
  cell.codes.length > 0 &&
  cell.text.replace(/[\s,/、]/gu, '') === cell.codes.join('').replace(/[\s,/、]/gu, '');

function memberOf(cell: Cell | undefined): { model: string; field: string } | undefined {
  const found = /^([A-Z]\w*)\.([a-z_]\w*)$/u.exec(cell?.codes[0] ?? '');
  return found === null ? undefined : { model: found[1] as string, field: found[2] as string };
}

function known(
  classes: ReadonlyMap<string, ClassDeclaration>,
  { model, field }: { model: string; field: string },
  cell: Cell,
): void {
  const seen = new Set<string>();
  const queue = [model];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const declaration = classes.get(name);
    if (declaration === undefined || seen.has(name)) continue;
    if (declaration.fields.some((candidate) => candidate.name === field)) return;
    seen.add(name);
    queue.push(...declaration.bases.map((base) => base.name));
  }
  throw new Unreadable(
    'unknown-member',
    `There is no ${model}.${field}.`,
    cell.place,
    'Name a class and a field of it.',
  );
}

function variantsOf(model: string, tag: string, content: string, table: TablePart): Variants {
  const rows = table.rows.flatMap((row) => {
    const payload = row[1]?.codes[0] ?? row[1]?.text ?? '';
    // A dash leaves the content of that variant as open as the model has it.
    if (/^[-–—]?$/u.test(payload)) return [];
    if (!/^[A-Za-z_]\w*$/u.test(payload))
      throw new Unreadable(
        'table-payload',
        `"${payload}" is not the name of a model.`,
        row[1]?.place ?? table.place,
        'Name a class or an alias; or put a dash where nothing is said.',
      );
    return (row[0]?.codes ?? []).map((value) => ({
      value,
      payload,
      note: noteOf(row.slice(2)),
      place: row[0]?.place ?? table.place,
    }));
  });
  const twice = rows.find((row, index) => rows.findIndex((other) => other.value === row.value) < index);
  if (twice !== undefined)
    throw new Unreadable(
      'table-twice',
      `"${twice.value}" stands twice in this table.`,
      twice.place,
      'Keep one of the two.',
    );
  return { name: `Typed${model}`, model, tag, content, rows, place: table.place };
}

/** `| call | request | answer |`: the model that is sent for a call, and what comes back; either may be left out. */
function answersOf(table: TablePart): CallTypes[] {
  const column = (name: RegExp): number => table.header.findIndex((cell) => name.test(cell.text));
  const answer = column(/^(?:answers?|returns?)$/iu);
  const request = column(/^(?:requests?|takes)$/iu);
  if (answer < 0 && request < 0) return [];
  const typeIn = (cell: Cell | undefined): TypeExpr | undefined =>
    cell?.codes[0] === undefined ? undefined : readAnnotation(cell.codes[0], cell.place);
  return table.rows.flatMap((row) => {
    const types = { answer: typeIn(row[answer]), request: typeIn(row[request]) };
    return (row[0]?.codes ?? []).map((code) => ({
      call: code.replace(/^(?:await\s+)?api\./u, '').replace(/\(.*$/su, ''),
      ...types,
      place: row[0]?.place ?? table.place,
    }));
  });
}

/** The nearest class above, in the same chapter, that has such a text field. */
function ownerOf(before: readonly ClassDeclaration[], field: string, place: Place): ClassDeclaration | undefined {
  const chapter = (section: string): string => section.split('.')[0] as string;
  return before.findLast(
    (declaration) =>
      chapter(declaration.place.section) === chapter(place.section) &&
      declaration.fields.some((candidate) => candidate.name === field && takesText(candidate.type)),
  );
}

const takesText = (type: TypeExpr): boolean =>
  type.kind === 'string' || type.kind === 'ref' || (type.kind === 'union' && type.members.some(takesText));

const noteOf = (cells: readonly Cell[]): string =>
  cells
    .map((cell) => cell.text)
    .filter((text) => text !== '')
    .join('; ');

const dataOf = (table: TablePart): TableData => ({
  place: table.place,
  columns: table.header.map((cell) => cell.codes[0] ?? cell.text),
  rows: table.rows.flatMap((row) =>
    (row[0]?.codes ?? []).map((code) => [code, ...row.slice(1).map((cell) => cell.text)]),
  ),
});
