// Where spec/ and schemas/ are: in the folder the user stands in, or in this package.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package that this code came with. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string }).name === 'runcert')
      return folder;
    if (folder === dirname(folder)) throw new Error('The package runcert has no package.json.');
  }
}

/** The checkout that the user stands in where it has a specification of its own, else the package. */
export const specRoot = (): string => (existsSync(join(process.cwd(), 'spec')) ? process.cwd() : packageRoot());
