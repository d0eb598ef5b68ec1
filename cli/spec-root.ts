// Where spec/ and schemas/ are: in the folder the user stands in, or in this package.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../common/package-root.ts';

/** The checkout that the user stands in where it has a specification of its own, else the package. */
export const specRoot = (): string => (existsSync(join(process.cwd(), 'spec')) ? process.cwd() : packageRoot());
