// What a child sees of the environment: what it needs to run at all, what was passed on by name, what was set.
import { RuncertError } from '../../common/error.ts';

const NEEDED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LANGUAGE'];
const isLocale = (name: string): boolean => name.startsWith('LC_');

export interface ChildEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** The values passed on by name: they came from outside and may be secret. */
  readonly secrets: readonly string[];
}

/** `NAME` passes a variable on and keeps its value secret; `NAME=VALUE` sets one that is not. */
export function childEnvironment(
  given: readonly string[],
  outside: Readonly<Record<string, string | undefined>>,
): ChildEnvironment {
  const env: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(outside))
    if (value !== undefined && (NEEDED.includes(name) || isLocale(name))) env[name] = value;
  for (const entry of given) {
    const at = entry.indexOf('=');
    const name = at === -1 ? entry : entry.slice(0, at);
    const value = at === -1 ? outside[name] : entry.slice(at + 1);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value?.includes('\0'))
      throw new RuncertError('RUNCERT_ENV', `--env ${name} names no environment variable.`, {
        remedy: 'Write --env NAME to pass one on, or --env NAME=VALUE to set one.',
      });
    if (value === undefined)
      throw new RuncertError('RUNCERT_ENV', `--env ${name}: the variable is not set.`, {
        remedy: `Set ${name} before you start Runcert, or write --env ${name}=VALUE.`,
      });
    env[name] = value;
    if (at === -1) secrets.push(value);
  }
  return { env, secrets };
}
