// `runcert validate MODEL FILE…`: JSON or NDJSON against a model, with errors that a person can act on.
import { open, readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { EXIT, RuncertError } from '../../common/error.ts';
import { nearest } from '../nearest.ts';
import { newestRevisions, type ValidatorModule, type Violation, validatorsOf } from '../published.ts';

interface Flags {
  readonly protocol?: string;
  readonly revision?: string;
  readonly spec?: string;
  readonly json?: boolean;
}

interface FileResult {
  readonly file: string;
  readonly values: number;
  readonly invalid: number;
  /** The first of them; `line` is the line of the value in an NDJSON file. */
  readonly errors: readonly (Violation & { readonly line: number })[];
}

/** A value larger than this is no message of a protocol. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TOLD = 100;

export default function validate(command: Command): void {
  command
    .argument('<model>', 'the model, e.g. AgentRunContext; `runcert list models` names them')
    .argument('<file...>', 'JSON, or NDJSON (one value a line); - reads the standard input')
    .option('--protocol <name>', 'the protocol, where several have a model of that name')
    .option('--revision <date>', 'the revision (default: the newest)')
    .option('--spec <file>', 'a document of your own instead')
    .option('--json', 'print the result as JSON and nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert validate AgentRunContext context.json\n  $ runcert validate AgentRunResult results.ndjson --json\n\nExit 1 when a value does not fit.',
    )
    .action(async (model: string, files: string[], flags: Flags) => {
      const validators =
        flags.spec === undefined ? await publishedModel(model, flags) : await modelOfDocument(model, flags.spec);
      const results: FileResult[] = [];
      for (const file of files) results.push(await validateFile(file, (value) => validators.check(model, value)));
      if (flags.json) process.stdout.write(`${JSON.stringify({ model, files: results }, null, 2)}\n`);
      else for (const result of results) process.stdout.write(words(model, result));
      const empty = results.some(({ values }) => values === 0);
      process.exitCode = results.some(({ invalid }) => invalid > 0)
        ? EXIT.notConformant
        : empty
          ? EXIT.inconclusive
          : EXIT.conformant;
    });
}

async function publishedModel(model: string, flags: Flags): Promise<ValidatorModule> {
  const revisions = newestRevisions(flags);
  const modules = await Promise.all(revisions.map(validatorsOf));
  const having = modules.filter(({ shapes }) => Object.hasOwn(shapes, model));
  const [only, more] = having;
  if (more !== undefined)
    throw new RuncertError('RUNCERT_AMBIGUOUS_MODEL', `Several protocols have a model ${model}.`, {
      remedy: `Say which: --protocol ${revisions.map(({ protocol }) => protocol).join(' or --protocol ')}.`,
    });
  return (
    only ??
    unknownModel(
      model,
      modules.flatMap(({ shapes }) => Object.keys(shapes)),
    )
  );
}

function unknownModel(model: string, names: readonly string[]): never {
  const close = nearest(model, names);
  throw new RuncertError('RUNCERT_UNKNOWN_MODEL', `There is no model "${model}".`, {
    remedy: close.length === 0 ? '`runcert list models` names them all.' : `Did you mean ${close.join(', ')}?`,
  });
}

async function modelOfDocument(model: string, spec: string): Promise<ValidatorModule> {
  const [{ generateDocument }, { diagnosticText, hasErrors }] = await Promise.all([
    import('../../generator/generate.ts'),
    import('../../generator/diagnostics.ts'),
  ]);
  const { files, diagnostics } = generateDocument(spec);
  if (hasErrors(diagnostics)) {
    throw new RuncertError(
      'RUNCERT_SPEC_ERROR',
      `${spec} has errors:\n${diagnostics
        .filter((d) => d.severity === 'error')
        .map(diagnosticText)
        .join('\n')}`,
      { remedy: 'Correct the document.', exit: EXIT.notConformant },
    );
  }
  const source = Buffer.from(files.get('validators.js') ?? '').toString('base64');
  const validators = (await import(`data:text/javascript;base64,${source}`)) as ValidatorModule;
  return Object.hasOwn(validators.shapes, model) ? validators : unknownModel(model, Object.keys(validators.shapes));
}

async function validateFile(file: string, check: (value: unknown) => Violation[]): Promise<FileResult> {
  let values = 0;
  let invalid = 0;
  const errors: (Violation & { line: number })[] = [];
  const take = (value: unknown, line: number): void => {
    values += 1;
    const found = check(value);
    if (found.length > 0) invalid += 1;
    if (errors.length < MAX_TOLD) errors.push(...found.map((error) => ({ ...error, line })));
  };
  if (/\.(?:ndjson|jsonl)$/u.test(file)) {
    for await (const { text, line } of linesOf(file)) if (text.trim() !== '') take(parse(text, file, line), line);
  } else {
    const text = await textOf(file);
    const whole = tryParse(text);
    // Without the ending of its name a file of lines is known by not being one value.
    if (whole !== undefined) take(whole.value, 1);
    else
      for (const [index, line] of text.split('\n').entries())
        if (line.trim() !== '') take(parse(line, file, index + 1), index + 1);
  }
  return { file, values, invalid, errors };
}

async function* linesOf(file: string): AsyncGenerator<{ text: string; line: number }> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => unreadable(file, error));
  let line = 0;
  try {
    for await (const text of handle.readLines()) {
      line += 1;
      if (text.length > MAX_BYTES)
        throw new RuncertError('RUNCERT_TOO_LARGE', `The line is longer than ${MAX_BYTES} characters.`, {
          place: `${file}:${line}`,
          remedy: 'Split the file.',
        });
      yield { text, line };
    }
  } finally {
    await handle.close().catch(() => undefined);
  }
}

async function textOf(file: string): Promise<string> {
  const bytes =
    file === '-'
      ? await standardInput()
      : await readFile(file).catch((error: NodeJS.ErrnoException) => unreadable(file, error));
  if (bytes.length > MAX_BYTES)
    throw new RuncertError('RUNCERT_TOO_LARGE', `${file} has more than ${MAX_BYTES} bytes.`, {
      remedy: 'Give it as NDJSON, one value a line, in a file that ends in .ndjson.',
    });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RuncertError('RUNCERT_NOT_UTF8', `${file} is not UTF-8.`, { remedy: 'JSON is UTF-8; save it so.' });
  }
}

async function standardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  throw new RuncertError('RUNCERT_UNREADABLE', `${file} cannot be read: ${error.code ?? error.message}.`, {
    remedy: 'Check the path and your rights to it.',
  });
}

function tryParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function parse(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RuncertError('RUNCERT_NOT_JSON', `This is not JSON: ${(error as Error).message}.`, {
      place: `${file}:${line}`,
      remedy: 'Give one JSON value, or one value a line.',
      exit: EXIT.notConformant,
    });
  }
}

function words(model: string, { file, values, invalid, errors }: FileResult): string {
  const many = values !== 1;
  const told = errors.map(
    ({ line, path, expected, found, section }) =>
      `${file}${many ? `:${line}` : ''}: ${path || '/'}: expected ${expected}, found ${found}${section === '' ? '' : ` (§${section})`}\n`,
  );
  const sum =
    values === 0
      ? 'no value in it'
      : invalid === 0
        ? `${many ? `${values} values fit` : 'fits'} ${model}`
        : `${many ? `${invalid} of ${values} values do` : 'does'} not fit ${model}`;
  return `${told.join('')}${file}: ${sum}\n`;
}
