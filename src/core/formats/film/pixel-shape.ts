/**
 * Width and height of a pixel without common divisor, for the `pasp` box (ISO/IEC 14496-12, 12.1.4). Both must be above 0.
 * `undefined`: more than 32 bits.
 */
export function pixelShape(width: number, height: number): readonly [number, number] | undefined {
  let [a, b] = [width, height]
  while (b > 0) [a, b] = [b, a % b]
  const [x, y] = [width / a, height / a]
  return x < 2 ** 32 && y < 2 ** 32 ? [x, y] : undefined
}
