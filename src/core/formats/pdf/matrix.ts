/** Transformation matrices [a b c d e f] (ISO 32000-2, 8.3.3). */

import { maxOf, minOf } from '../../bytes/min-max.ts'
import { hypot } from '../../bytes/same-math.ts'
export type Matrix = readonly [number, number, number, number, number, number]

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/** Combines two matrices: `inner` is applied first, then `outer`. Points are row vectors, as in ISO 32000-2. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner
  const [p, q, r, s, t, u] = outer
  return [a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u]
}

/** Lengths of the transformed sides of the unit square. This is the drawn size of an image (ISO 32000-2, 8.9.5.1). */
export const sideLengths = ([a, b, c, d]: Matrix) => ({ width: hypot(a, b), height: hypot(c, d) })

export function toMatrix(values: readonly unknown[]): Matrix | undefined {
  if (values.length !== 6 || !values.every((v): v is number => typeof v === 'number' && Number.isFinite(v))) return undefined
  return values as unknown as Matrix
}

/** Bounding box of the transformed unit square: left, bottom, right, top. */
export function boundsOf([a, b, c, d, e, f]: Matrix): readonly [number, number, number, number] {
  const [x, y] = [
    [e, e + a, e + c, e + a + c],
    [f, f + b, f + d, f + b + d],
  ]
  return [minOf(x!), minOf(y!), maxOf(x!), maxOf(y!)]
}
