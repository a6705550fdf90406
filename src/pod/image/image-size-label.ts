const MiB = 2 ** 20;

/** The lower bound of each size class in MiB, and the kubelet's label for images of at least that size. */
const sizes: readonly (readonly [fromMiB: number, label: string])[] = [
  [102_400, 'GT100GB'],
  [61_440, '60GB-100GB'],
  [40_960, '40GB-60GB'],
  [30_720, '30GB-40GB'],
  [20_480, '20GB-30GB'],
  [10_240, '10GB-20GB'],
  [5_120, '5GB-10GB'],
  [1_024, '1GB-5GB'],
  [500, '500MB-1GB'],
  [100, '100MB-500MB'],
  [10, '10MB-100MB'],
];

/** Returns the size class of an image. A runtime that does not report sizes gives 0. */
export function imageSizeLabel(bytes: number): string {
  if (bytes <= 0) return 'N/A';
  return sizes.find(([from]) => bytes >= from * MiB)?.[1] ?? '0-10MB';
}
