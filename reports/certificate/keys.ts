// Ed25519 keys from files or the environment, never from arguments, and never printed.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RuncertError } from '../../common/error.ts';

export interface KeyPair {
  /** PKCS #8, PEM: keep it secret. */
  readonly privateKey: string;
  /** SPKI, PEM: give it to whoever shall verify. */
  readonly publicKey: string;
  readonly keyId: string;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyId: keyIdOf(publicKey),
  };
}

/** `sha256:` and the digest of the public key in DER. */
export const keyIdOf = (publicKey: KeyObject): string =>
  `sha256:${createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a private key from `FILE` or `env:NAME`. */
export async function readPrivateKey(source: string, env: Environment): Promise<KeyObject> {
  const text = await keyText(source, env);
  if (/BEGIN PUBLIC KEY/.test(text)) throw wrong(source, 'It is a public key; signing needs the private one.');
  if (/ENCRYPTED/.test(text)) throw wrong(source, 'It is encrypted, and Runcert does not ask for passphrases.');
  return ed25519(source, () => createPrivateKey(text));
}

/** Reads a public key from `FILE` or `env:NAME`. */
export async function readPublicKey(source: string, env: Environment): Promise<KeyObject> {
  const text = await keyText(source, env);
  if (/PRIVATE KEY/.test(text)) throw wrong(source, 'It is a private key; whoever verifies needs only the public one.');
  return ed25519(source, () => createPublicKey(text));
}

async function keyText(source: string, env: Environment): Promise<string> {
  if (/BEGIN [A-Z ]*KEY/.test(source)) {
    throw new RuncertError(
      'RUNCERT_KEY',
      'A key was given as an argument, where everybody on the machine can read it.',
      {
        remedy:
          'Put it in a file or an environment variable: --key FILE or --key env:NAME. Make a new key; this one is known now.',
      },
    );
  }
  if (!source.startsWith('env:')) {
    return readFile(source, 'utf8').catch((cause: Error) => {
      throw wrong(source, `It cannot be read: ${cause.message}.`);
    });
  }
  const value = env[source.slice(4)];
  if (value === undefined || value.trim() === '') throw wrong(source, 'The variable is not set.');
  const text = value.replaceAll('\\n', '\n');
  return text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8');
}

function ed25519(source: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw wrong(source, 'It is no key in PEM.');
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw wrong(source, `It is a ${key.asymmetricKeyType ?? 'strange'} key, not Ed25519.`);
  return key;
}

const wrong = (source: string, message: string): RuncertError =>
  new RuncertError('RUNCERT_KEY', `The key cannot be used. ${message}`, {
    place: source,
    remedy: '`runcert sign --new-key` makes a pair.',
  });
