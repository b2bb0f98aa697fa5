/** Distances of scores to their goals: what decided a result, the order of levels, and the table. */
import { expect, it } from 'vitest'
import { worstBlock } from '../../tools/bench/scores/blocks.ts'
import { distancesOf } from '../../tools/bench/scores/distances.ts'
import type { SeenFigures } from '../../tools/bench/scores/figures.ts'
import { withScores } from '../../tools/bench/scores/tables.ts'
import { sectionOf } from '../../tools/bench/sections.ts'

/** Figures far from every limit of `medium`. */
const FINE: SeenFigures = {
  ...{ width: 200, height: 200, score: 95, worstTile: 95, cast: 0.1, steps: 0.1, bands: 0.05, specks: 0.1, dirt: 0 },
  ...{ ssim: 0.999, psnrDb: 48, psnrRgbDb: 46, blockPsnrDb: 44, blockRgbPsnrDb: 42 },
}
const JPEG = { kind: 'JPEG', folder: 'image', extensions: ['jpg'], format: undefined, steering: 'photograph' } as const
const PNG = { ...JPEG, kind: 'PNG', steering: 'palette' } as const

const result = (path: string, score: number, out: number, figures: Partial<SeenFigures> = {}, steps = ['quality 60']) => ({
  line: { path, in: 1000, out, cpuSeconds: 0.5, ssimulacra2: score, steps },
  figures: { ...FINE, strangerScore: score - 0.25, ...figures },
})

it('names the figure that is closest to its limit', () => {
  const medium = [
    result('a', 72.5, 500),
    result('b', 76, 500, { worstTile: 52.5 }),
    result('c', 90, 500, { cast: 3.9 }),
    result('d', 90, 500, { steps: 0.59 }),
    result('e', 90, 500, { ssim: 0.931 }),
    result('f', 90, 500, {}, ['requantised to JPEG quality 25, trellis quantisation']),
    { line: { path: 'g', in: 1000, out: 900, cpuSeconds: 0.5 } },
  ]
  const row = distancesOf(JPEG, 'medium', { medium })
  expect(row.gates).toEqual({ score: 1, tile: 1, casts: 1, steps: 1, floors: 1, lowest: 1, other: 1 })
  expect(row.byScore).toEqual({ files: 1, median: 0.5, within: 1 })
  expect([row.scored, row.claim?.median]).toEqual([6, 0.25])
  const palettes = [
    result('a', 75, 500),
    result('b', 90, 500, { bands: 0.33 }, ['reduced to a palette of 40 colours']),
    result('c', 90, 500, {}, ['reduced to a palette of 12 colours']),
  ]
  expect(distancesOf(PNG, 'medium', { medium: palettes }).gates).toMatchObject({ score: 1, steps: 1, lowest: 1 })
})

it('counts results that a gentler level gives as well, and those that break the order', () => {
  const high = [result('a', 83, 500), result('b', 83, 600), result('c', 83, 700)]
  const medium = [result('a', 83, 500), result('b', 72.5, 650), result('c', 73, 1001)]
  const row = distancesOf(JPEG, 'medium', { high, medium })
  expect(row.gates).toMatchObject({ score: 2, other: 1 })
  expect([row.disordered, row.larger]).toEqual([['b', 'c'], ['c']])
})

it('writes its table as a section', () => {
  const row = distancesOf(JPEG, 'medium', { medium: [result('a', 71.5, 500), result('b', 73, 300)] })
  const text = withScores('# Page\n', [row], 'monday')
  expect(sectionOf(text, 'scores')).toContain(
    '| JPEG | medium | 2 | 2 | 0.400 | 0.50 | −0.5 1.0 1.0, −0.5 | 2, 1.0, 2 | 2, 0, 0, 0, 0, 0, 0 | 0.3, 0.3 | 0 |\n',
  )
  expect(withScores(text, [row], 'monday')).toBe(text)
  const palettes = distancesOf(PNG, 'medium', { medium: [result('a', 75, 500)] })
  expect(withScores(text, [palettes], 'monday').match(/^\| (JPEG|PNG) /gm)).toEqual(['| JPEG ', '| PNG '])
})

it('finds the worst block of 32 pixels', () => {
  const before = new Uint8Array(64 * 64 * 4).fill(100)
  for (let at = 3; at < before.length; at += 4) before[at] = 255
  const after = before.slice()
  for (let y = 32; y < 64; y++) for (let x = 0; x < 32; x++) after[(y * 64 + x) * 4] = 110
  const { blockPsnrDb, blockRgbPsnrDb } = worstBlock(before, after, 64)
  expect(blockRgbPsnrDb).toBeCloseTo(10 * Math.log10(255 ** 2 / (100 / 3)), 6)
  expect(blockPsnrDb).toBeCloseTo(10 * Math.log10(255 ** 2 / 2.99 ** 2), 6)
  expect(worstBlock(before, before, 64).blockPsnrDb).toBe(Number.POSITIVE_INFINITY)
})
