/** Sums up the scores of one kind of files at one level: distances to the goal, gates, order of levels, and the other program's scores. */

import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { PERCEPTUAL_RANGE as AVIF_SCALE } from '../../../src/core/images/avif/tuning.ts'
import { PERCEPTUAL_SCALE as JPEG_SCALE } from '../../../src/core/images/jpeg/tuning.ts'
import { PERCEPTUAL_SCALE as WEBP_SCALE } from '../../../src/core/images/webp/tuning.ts'
import { closestOf, GATES, type Gate, goalOf, type Margins, marginsOf } from './gates.ts'
import type { Found, Kind, Level } from './kinds.ts'

export interface Distances {
  readonly kind: string
  readonly level: Level
  readonly files: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly cpuSeconds: number
  /** Number of files whose receipt has a score. Other results are lossless, or have no still picture of 64 × 64 pixels. */
  readonly scored: number
  /** Score minus goal. `undefined`: no file was scored. */
  readonly distance?: Spread
  /** Files whose search the score stopped; `within`: those at most `WITHIN_POINTS` above the goal. */
  readonly byScore?: { readonly files: number; readonly median: number; readonly within: number }
  readonly gates: Readonly<Record<Gate, number>>
  /** Files larger than at the next gentler level. */
  readonly disordered: readonly string[]
  /** Files larger than the original in the same format. */
  readonly larger: readonly string[]
  /** Score of the receipt minus that of ssimulacra2_rs. */
  readonly claim?: Spread
}

/** Quartiles and extremes. */
export interface Spread {
  readonly least: number
  readonly lower: number
  readonly median: number
  readonly upper: number
  readonly most: number
}

/** Points above the goal that count as near, where the score stops the search. */
export const WITHIN_POINTS = { high: 3, medium: 3, low: 5 } as const
const GENTLER = { high: undefined, medium: 'high', low: 'medium' } as const
/** Lowest quality that encoders try, by the name in the receipt's step. */
const LOWEST = { JPEG: JPEG_SCALE.lowest, WebP: WEBP_SCALE.lowest, AVIF: AVIF_SCALE.lowest }

type Levels = Readonly<Partial<Record<Level, readonly Found[]>>>

export function distancesOf(kind: Kind, level: Level, levels: Levels): Distances {
  const found = (levels[level] ?? []).filter(({ line }) => line.in > 0)
  const gentler = new Map(levels[GENTLER[level] ?? level]?.map((one) => [one.line.path, one]))
  const scored = found.flatMap((one) => scoreOf(kind, level, one, GENTLER[level] && gentler.get(one.line.path)))
  const sum = (of: (one: Found) => number) => found.reduce((sums, one) => sums + of(one), 0)
  const names = (is: (one: Found) => boolean) => found.filter(is).map(({ line }) => line.path)
  const stopped = scored.filter(({ gate }) => gate === 'score').map(({ distance }) => distance)
  const claims = found.flatMap(({ line, figures }) =>
    figures?.strangerScore == null || line.ssimulacra2 == null ? [] : [line.ssimulacra2 - figures.strangerScore],
  )
  return {
    kind: kind.kind,
    level,
    files: found.length,
    bytesIn: sum(({ line }) => line.in),
    bytesOut: sum(({ line }) => line.out),
    cpuSeconds: sum(({ line }) => line.cpuSeconds),
    scored: scored.length,
    ...(scored.length > 0 && { distance: spreadOf(scored.map(({ distance }) => distance)) }),
    ...(stopped.length > 0 && {
      byScore: {
        files: stopped.length,
        median: spreadOf(stopped).median,
        within: stopped.filter((distance) => distance <= WITHIN_POINTS[level]).length,
      },
    }),
    gates: Object.fromEntries(
      GATES.map((gate) => [gate, scored.filter((one) => one.gate === gate).length + (gate === 'other' ? found.length - scored.length : 0)]),
    ) as Record<Gate, number>,
    disordered: names(({ line }) => line.out > (gentler.get(line.path)?.line.out ?? line.out)),
    larger: names(({ line }) => kind.format === undefined && line.out > line.in),
    ...(claims.length > 0 && { claim: spreadOf(claims) }),
  }
}

/** Distance to the goal and gate of a lossy result; none if the result has no score. */
export function scoreOf(
  { steering }: Kind,
  level: Level,
  { line, figures }: Found,
  gentler: Found | undefined,
): { readonly distance: number; readonly gate: Gate; readonly margins?: Margins }[] {
  if (steering === undefined || line.ssimulacra2 == null || !figures) return []
  const distance = line.ssimulacra2 - goalOf(steering, level, figures)
  const steps = line.steps?.join(' ') ?? ''
  if (gentler?.line.out === line.out && gentler.line.ssimulacra2 === line.ssimulacra2) return [{ distance, gate: 'other' }]
  const margins = marginsOf(steering, level, { ...figures, score: line.ssimulacra2 }, !/palette/.test(steps))
  const isLowest = steering === 'photograph' ? isLowestQuality(steps) : hasLeastColours(steps, level)
  return [{ distance, gate: isLowest ? 'lowest' : closestOf(margins), margins }]
}

function isLowestQuality(steps: string): boolean {
  const [, coder, quality] = /(JPEG|WebP|AVIF)(?: quality|, quality) (\d+)/.exec(steps) ?? []
  return Number(quality) <= (LOWEST[coder as keyof typeof LOWEST] ?? 0)
}

function hasLeastColours(steps: string, level: Level): boolean {
  const [, colours] = /(?:palette of|→) (\d+) colours/.exec(steps) ?? []
  return Number(colours) <= LEVELS.palette[level === 'high' ? 'medium' : level].leastColours
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
  return { least: at(0), lower: at(0.25), median: at(0.5), upper: at(0.75), most: at(1) }
}
