/** Interpolates the size of a peer's result at the score of Whittle's result. */
import type { Measured } from './harness.ts'

/** Result of a peer, stored as a file. */
export interface Point {
  readonly score: number
  readonly measured: Measured
  readonly file: string
}

/** Returns the points that no other point beats in both score and bytes, smallest first. */
function envelope(points: readonly Point[]): Point[] {
  const best: Point[] = []
  for (const point of points.toSorted((a, b) => a.measured.bytes - b.measured.bytes || b.score - a.score))
    if (point.score > (best.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) best.push(point)
  return best
}

/**
 * Returns the two points whose scores enclose `score`, or the first point twice if it is already better. `undefined`: no point reaches it.
 */
export function pointsAround(points: readonly Point[], score: number): readonly [Point, Point] | undefined {
  const best = envelope(points)
  const above = best.findIndex((point) => point.score >= score)
  const [from, to] = [best[Math.max(0, above - 1)], best[above]]
  return from && to && [from, to]
}

/** Interpolates between two points, linearly in the logarithm of the bytes. */
export function interpolate([from, to]: readonly [Point, Point], score: number): Measured {
  const share = from === to ? 1 : (score - from.score) / (to.score - from.score)
  return { ...to.measured, bytes: Math.round(from.measured.bytes ** (1 - share) * to.measured.bytes ** share) }
}

/** Returns the interpolated size of a peer's result at `score`. `undefined`: no result reaches it. */
export function bytesAt(points: readonly Point[], score: number): Measured | undefined {
  const sides = pointsAround(points, score)
  return sides && interpolate(sides, score)
}
