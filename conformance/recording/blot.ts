// Secrets are blotted out before anything is kept: in texts, in values and in keys, plain or encoded.

/** Shorter values are no secrets worth the name: blotting them would hit innocent text. */
export const SECRET_LENGTH = 8;
export const BLOT = '[blotted]';

export interface Blotter {
  text(text: string): string;
  /** The same value when nothing had to be blotted. */
  json<T>(value: T): T;
  /** The length of the longest form: who cuts text must leave that much more before blotting it. */
  readonly reach: number;
}

const NOTHING: Blotter = { text: (text) => text, json: (value) => value, reach: 0 };

/**
 * Blots the given values out, and their JSON, URL and base64 forms.
 * @example blotter(['s3cret-t0ken']).text('key=s3cret-t0ken') // 'key=[blotted]'
 */
export function blotter(secrets: readonly string[]): Blotter {
  const forms = new Set(secrets.filter((secret) => secret.length >= SECRET_LENGTH).flatMap(formsOf));
  if (forms.size === 0) return NOTHING;
  // The longest first, so that a secret that holds another goes as a whole.
  const ordered = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const pattern = new RegExp(ordered.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  const text = (value: string): string => value.replace(pattern, BLOT);
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), json(member)]));
  };
  return {
    text,
    // Most values hold no secret; one search in their text is cheaper than building them anew.
    json: <T>(value: T): T => {
      const whole = JSON.stringify(value) ?? '';
      pattern.lastIndex = 0;
      return pattern.test(whole) ? (json(value) as T) : value;
    },
    reach: ordered[0]?.length ?? 0,
  };
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64].filter(
    (form) => form.length >= SECRET_LENGTH,
  );
}
