/** Peers at the same score as ours: between two of their results for one picture. */
import type { Measured } from './harness.ts'

/** A result of a peer, kept as a file. */
export interface Point {
  readonly score: number
  readonly measured: Measured
  readonly file: string
}

/** Those that no other point beats in both score and bytes, from the smallest. */
function envelope(points: readonly Point[]): Point[] {
  const best: Point[] = []
  for (const point of points.toSorted((a, b) => a.measured.bytes - b.measured.bytes || b.score - a.score))
    if (point.score > (best.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) best.push(point)
  return best
}

/** The points on both sides of a score, or the first twice where that is better already. undefined: none gets there. */
export function around(points: readonly Point[], score: number): readonly [Point, Point] | undefined {
  const best = envelope(points)
  const above = best.findIndex((point) => point.score >= score)
  const [from, to] = [best[Math.max(0, above - 1)], best[above]]
  return from && to && [from, to]
}

/** Between two points, evenly by the logarithm of the bytes. */
export function between([from, to]: readonly [Point, Point], score: number): Measured {
  const share = from === to ? 1 : (score - from.score) / (to.score - from.score)
  return { ...to.measured, bytes: Math.round(from.measured.bytes ** (1 - share) * to.measured.bytes ** share) }
}

/** What a peer's results of a picture would take at our score; undefined: none gets there. */
export function bytesAt(points: readonly Point[], score: number): Measured | undefined {
  const sides = around(points, score)
  return sides && between(sides, score)
}
