import type { MembersOf, Shape } from '../../../src/kube/manifest/decode-shape.ts';
import type { Keyed } from '../../../src/kube/text/own.ts';

// Compares a shape with a type. Only the compiler runs this: each result is a union of paths.

/** The members of a type that its shape lacks or has otherwise. Decoding by the shape would lose them. */
export type MissingInShape<T, S, Path extends string = ''> = unknown extends T
  ? never
  : S extends 'any'
    ? never
    : S extends keyof Scalars
      ? NonNullable<T> extends Scalars[S]
        ? never
        : `${Path}: not ${S}`
      : S extends { readonly list: infer Of }
        ? T extends readonly (infer Item)[]
          ? MissingInShape<Item, Of, `${Path}[]`>
          : `${Path}: not a list`
        : S extends { readonly map: infer Of }
          ? T extends Keyed<infer Entry>
            ? MissingInShape<Entry, Of, `${Path}{}`>
            : `${Path}: not a map`
          : InMembers<T, MembersOf<S>, Path>;

type InMembers<T, M, Path extends string> = string extends keyof T
  ? never
  : {
      [Name in keyof T & string]: Name extends keyof M
        ? unknown extends T[Name]
          ? never
          : MissingInShape<NonNullable<T[Name]>, M[Name], `${Path}.${Name}`>
        : `${Path}.${Name}`;
    }[keyof T & string];

interface Scalars {
  string: string;
  bool: boolean;
  int: number;
  quantity: string | number;
  'int-or-string': string | number;
}

/** The members of a shape that its type lacks: they are kept, and no code reads them by that type. */
export type MissingInType<S, T, Path extends string = ''> = unknown extends T
  ? never
  : S extends { readonly list: infer Of }
    ? T extends readonly (infer Item)[]
      ? MissingInType<Of, Item, `${Path}[]`>
      : never
    : S extends { readonly map: infer Of }
      ? T extends Keyed<infer Entry>
        ? MissingInType<Of, Entry, `${Path}{}`>
        : never
      : S extends Exclude<Shape, string>
        ? string extends keyof T
          ? never
          : {
              [Name in keyof MembersOf<S> & string]: Name extends keyof T
                ? unknown extends T[Name]
                  ? never
                  : MissingInType<MembersOf<S>[Name], NonNullable<T[Name]>, `${Path}.${Name}`>
                : `${Path}.${Name}`;
            }[keyof MembersOf<S> & string]
        : never;
