// Digests of what a certificate covers: a file by its bytes, a folder by the names and bytes of all in it.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { RuncertError } from '../../common/error.ts';

export interface Resource {
  readonly name: string;
  /** `sha256` for a file; `dirHash` for a folder, as in-toto's digest set names it. */
  readonly digest: Readonly<Record<string, string>>;
}

/** The most files that a folder may hold. */
const MOST_FILES = 200_000;

export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The digest of a subject on disk. A link is not followed: name what is meant. */
export async function subjectOf(path: string): Promise<Resource> {
  const name = basename(resolve(path));
  const found = await lstat(path).catch((cause: Error) => {
    throw new RuncertError('RUNCERT_SUBJECT', `The subject cannot be read: ${cause.message}.`, {
      place: path,
      remedy: 'Give the package, folder or file that was certified.',
      cause,
    });
  });
  if (found.isFile()) return { name, digest: { sha256: await fileDigest(path) } };
  if (found.isDirectory()) return { name, digest: { dirHash: await folderDigest(path) } };
  throw new RuncertError(
    'RUNCERT_SUBJECT',
    `The subject is ${found.isSymbolicLink() ? 'a symbolic link' : 'neither a file nor a folder'}.`,
    { place: path, remedy: 'Give the file or folder itself.' },
  );
}

/**
 * The digest of a folder, as Go's dirhash.Hash1 and in-toto's `dirHash`, in hex: SHA-256 over a line a file,
 * `<sha256 of the file>  <path with slashes>\n`, sorted by path. A symbolic link is not followed: its line carries
 * the digest of what it points to as text, and `\0link` behind its path. Empty folders, times and modes do not count.
 */
export async function folderDigest(root: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await entriesOf(root, '');
  for (const { path, link } of entries.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))) {
    const digest =
      link === undefined ? await fileDigest(join(root, path)) : createHash('sha256').update(link).digest('hex');
    hash.update(`${digest}  ${path}${link === undefined ? '' : '\0link'}\n`);
  }
  return hash.digest('hex');
}

interface Entry {
  readonly path: string;
  readonly link?: string;
}

async function entriesOf(root: string, folder: string, found: Entry[] = []): Promise<Entry[]> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const place = join(root, path);
    if (found.length >= MOST_FILES)
      throw new RuncertError('RUNCERT_SUBJECT', `The folder holds more than ${MOST_FILES} files.`, {
        place: root,
        remedy: 'Certify the package that is made of it.',
      });
    if (entry.name.includes('\n'))
      throw new RuncertError('RUNCERT_SUBJECT', 'A file name with a line break cannot be certified.', { place });
    if (entry.isDirectory()) await entriesOf(root, path, found);
    else if (entry.isFile()) found.push({ path });
    else if (entry.isSymbolicLink()) found.push({ path, link: await readlink(place) });
    else
      throw new RuncertError('RUNCERT_SUBJECT', 'A socket, pipe or device cannot be certified.', {
        place,
        remedy: 'Certify a folder of files.',
      });
  }
  return found;
}

/** The evidence in a report folder that a certificate covers: outcome, cases and recordings; other formats are views of them. */
export async function evidenceOf(dir: string): Promise<Resource[]> {
  const names = ['outcome.json'];
  for (const folder of ['cases', 'recordings']) {
    const entries = await lstat(join(dir, folder)).then(
      (found) => (found.isDirectory() ? entriesOf(dir, folder) : []),
      () => [],
    );
    for (const { path, link } of entries) {
      if (link !== undefined)
        throw new RuncertError('RUNCERT_EVIDENCE', 'Evidence must be files, not links.', { place: join(dir, path) });
      names.push(path);
    }
  }
  return Promise.all(
    names.sort().map(async (name) => ({ name, digest: { sha256: await fileDigest(join(dir, name)) } })),
  );
}
