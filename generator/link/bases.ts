// Bases as Python resolves them: the order in which a class and its bases are asked (C3), so that a field stated in two places means
// here what it means to pydantic.
import type { Diagnostic } from '../diagnostics.ts';
import type { Declaration, Extra, FieldExpr, Place } from '../model.ts';

export type ClassDeclaration = Extract<Declaration, { kind: 'class' }>;

export interface Folded {
  readonly fields: readonly FieldExpr[];
  readonly extra: Extra | undefined;
  /** A base is used that no document defines: other fields may come from it. */
  readonly open: boolean;
}

export function foldBases(
  declarations: ReadonlyMap<string, Declaration>,
  undefinedBase: (name: string, place: Place) => void,
  report: (d: Diagnostic) => void,
): (declaration: ClassDeclaration) => Folded {
  const orders = new Map<string, readonly ClassDeclaration[] | 'busy'>();
  const folded = new Map<string, Folded>();

  const basesOf = (declaration: ClassDeclaration): ClassDeclaration[] =>
    declaration.bases.flatMap(({ name }) => {
      const base = declarations.get(name);
      return base?.kind === 'class' ? [base] : [];
    });

  function orderOf(declaration: ClassDeclaration): readonly ClassDeclaration[] {
    const known = orders.get(declaration.name);
    const refuse = (code: string, message: string, remedy: string): void =>
      report({ severity: 'error', code, message, place: declaration.place, remedy });
    if (known === 'busy') {
      refuse('base-cycle', `${declaration.name} is a base of itself.`, 'Break the circle of bases.');
      return [];
    }
    if (known !== undefined) return known;
    orders.set(declaration.name, 'busy');
    const bases = basesOf(declaration);
    const merged = merge([...bases.map(orderOf), bases]);
    if (merged === undefined)
      refuse(
        'base-order',
        `Python refuses the order of the bases of ${declaration.name}: a class stands before one that is made from it.`,
        'Name the more special class first, each class once.',
      );
    const order = [declaration, ...(merged ?? [])];
    orders.set(declaration.name, order);
    return order;
  }

  return function fold(declaration): Folded {
    const known = folded.get(declaration.name);
    if (known !== undefined) return known;
    const order = orderOf(declaration);
    const fields = new Map<string, FieldExpr>();
    for (const { fields: own } of [...order].reverse()) for (const field of own) fields.set(field.name, field);
    let open = false;
    for (const base of order.flatMap(({ bases }) => bases)) open ||= !declarations.has(base.name);
    for (const base of declaration.bases) {
      const found = declarations.get(base.name);
      if (found === undefined) undefinedBase(base.name, base.place);
      else if (found.kind !== 'class')
        report({
          severity: 'error',
          code: 'base-kind',
          message: `${base.name} is not a class and cannot be a base.`,
          place: base.place,
          remedy: 'Name a class.',
        });
    }
    const own: Folded = { fields: [...fields.values()], extra: declaration.extra, open };
    folded.set(declaration.name, own); // so that a circle of bases, which was reported, ends here
    // pydantic takes the configuration of the bases from left to right; the last one that says anything stands.
    const inherited = basesOf(declaration).flatMap((base) => fold(base).extra ?? []);
    const result = { ...own, extra: own.extra ?? inherited.at(-1) };
    folded.set(declaration.name, result);
    return result;
  };
}

/** C3: always the first class that no remaining list wants later; undefined where there is none. */
function merge(lists: readonly (readonly ClassDeclaration[])[]): ClassDeclaration[] | undefined {
  const merged: ClassDeclaration[] = [];
  let left = lists.filter((list) => list.length > 0);
  while (left.length > 0) {
    const next = left.find(([head]) => left.every((list) => list.indexOf(head as ClassDeclaration, 1) < 0))?.[0];
    if (next === undefined) return undefined;
    merged.push(next);
    left = left.map((list) => (list[0] === next ? list.slice(1) : list)).filter((list) => list.length > 0);
  }
  return merged;
}
