/**
 * What the X.509 library's dependency injection wants of `Reflect` before it loads: to ask for metadata of classes, of
 * which there are none unless somebody sets some. Import this before the library.
 */
interface MetadataReflection {
  getMetadata?: (key: unknown, target: object) => unknown;
  getOwnMetadata?: (key: unknown, target: object) => unknown;
  hasOwnMetadata?: (key: unknown, target: object) => boolean;
  defineMetadata?: (key: unknown, value: unknown, target: object) => void;
}

// The library looks for it there and nowhere else.
const reflection = Reflect as MetadataReflection;

if (reflection.getMetadata === undefined) {
  const known = new WeakMap<object, Map<unknown, unknown>>();
  const get = (key: unknown, target: object): unknown => known.get(target)?.get(key);
  reflection.getMetadata = get;
  reflection.getOwnMetadata = get;
  reflection.hasOwnMetadata = (key, target) => known.get(target)?.has(key) === true;
  reflection.defineMetadata = (key, value, target) => {
    const of = known.get(target) ?? new Map<unknown, unknown>();
    known.set(target, of.set(key, value));
  };
}
