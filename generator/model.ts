// The protocol as data: what the documents say, with the place of every statement. All outputs are views of it.
import type { JsonValue } from '../common/json.ts';

/** Where something stands. Lines and columns count from 1; `section` is the heading number, or its words where it has none. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly section: string;
}

export type LiteralValue = string | number | boolean | null;

/** Limits that `Field(ge=…, max_length=…)` states; they are named as JSON Schema names them. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

export type TypeExpr =
  | { readonly kind: 'any' | 'null' | 'boolean' }
  | { readonly kind: 'string' | 'integer' | 'number'; readonly bounds?: Bounds }
  | { readonly kind: 'list'; readonly items: TypeExpr; readonly bounds?: Bounds }
  | { readonly kind: 'map'; readonly values: TypeExpr }
  | { readonly kind: 'literal'; readonly values: readonly LiteralValue[] }
  | { readonly kind: 'union'; readonly members: readonly TypeExpr[] }
  | { readonly kind: 'ref'; readonly name: string; readonly place: Place };

/** A default as written: a literal, an instance of a class (`StorageResource()`) or a member of an enum (`Speed.SLOW`). */
export type DefaultExpr =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'instance'; readonly name: string; readonly place: Place }
  | { readonly kind: 'member'; readonly name: string; readonly member: string; readonly place: Place };

export interface FieldExpr {
  readonly name: string;
  readonly type: TypeExpr;
  readonly default?: DefaultExpr;
  readonly place: Place;
  readonly doc?: string;
}

export type Extra = 'ignore' | 'allow' | 'forbid';

/** A class, alias or enum as one block states it, before bases are folded and names are looked up. */
export type Declaration =
  | {
      readonly kind: 'class';
      readonly name: string;
      readonly bases: readonly { readonly name: string; readonly place: Place }[];
      readonly fields: readonly FieldExpr[];
      readonly extra?: Extra;
      readonly doc?: string;
      readonly place: Place;
    }
  | {
      readonly kind: 'alias';
      readonly name: string;
      readonly type: TypeExpr;
      readonly doc?: string;
      readonly place: Place;
    }
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly members: readonly { readonly name: string; readonly value: LiteralValue }[];
      readonly doc?: string;
      readonly place: Place;
    };

export interface Field {
  readonly name: string;
  readonly type: TypeExpr;
  readonly required: boolean;
  /** What a reader takes when the field is absent; `undefined` where it is required. */
  readonly default?: JsonValue;
  /** The class whose instance the default is, where it was written `Class()`. */
  readonly instance?: string;
  readonly place: Place;
  readonly doc?: string;
}

export interface ObjectModel {
  readonly kind: 'object';
  readonly name: string;
  /** The documented classes that it extends; their fields are among `fields` already. */
  readonly bases: readonly string[];
  readonly fields: readonly Field[];
  /** True where the document forbids fields it does not name. */
  readonly closed: boolean;
  readonly doc?: string;
  readonly place: Place;
}

export interface AliasModel {
  readonly kind: 'alias';
  readonly name: string;
  readonly type: TypeExpr;
  readonly doc?: string;
  readonly place: Place;
}

/** A name that is used and nowhere defined: it stays open. `place` is its first use. */
export interface OpenModel {
  readonly kind: 'open';
  readonly name: string;
  readonly place: Place;
}

/** An enum is an alias of its values by the time models are linked. */
export type Model = ObjectModel | AliasModel | OpenModel;

export interface ApiParameter {
  readonly name: string;
  readonly default?: JsonValue;
  readonly type?: TypeExpr;
}

/** One call of the API surface, e.g. `api.history.page(…)`. */
export interface ApiCall {
  /** The words after the proxy's own name: `['history', 'page']`. */
  readonly path: readonly string[];
  readonly parameters: readonly ApiParameter[];
  readonly streams: boolean;
  readonly group?: string;
  readonly returns?: TypeExpr;
  /** The model of what is sent for it, where a table says so. */
  readonly request?: string;
  readonly place: Place;
}

/** A table of the values that a text field is known to take: result types, error codes. Others stay allowed. */
export interface Catalogue {
  readonly model: string;
  readonly field: string;
  readonly values: readonly { readonly value: string; readonly note: string; readonly place: Place }[];
  readonly place: Place;
}

/** A table that says which model one field holds, by the value of another: `type` is X, so `data` is Y. */
export interface Variants {
  /** The definition it makes: `Typed` before the model's name. */
  readonly name: string;
  readonly model: string;
  readonly tag: string;
  readonly content: string;
  readonly rows: readonly {
    readonly value: string;
    readonly payload: string;
    readonly note: string;
    readonly place: Place;
  }[];
  readonly place: Place;
}

/** Every table whose first column is code, as records: a catalogue that code can look things up in. */
export interface TableData {
  readonly place: Place;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Example {
  readonly model?: string;
  readonly value: JsonValue;
  readonly place: Place;
  /** True where the document shows it as a thing that must be refused. */
  readonly wrong: boolean;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  readonly file: string;
  readonly line: number;
}

/** Everything that one set of documents says. */
export interface Protocol {
  readonly name: string;
  readonly revision: string;
  readonly files: readonly string[];
  readonly sections: readonly Section[];
  readonly models: readonly Model[];
  readonly api: readonly ApiCall[];
  readonly catalogues: readonly Catalogue[];
  readonly variants: readonly Variants[];
  readonly examples: readonly Example[];
  readonly tables: readonly TableData[];
  readonly counts: { readonly blocks: number; readonly classes: number; readonly fields: number };
}
