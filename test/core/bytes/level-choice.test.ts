import { describe, expect, it } from 'vitest'
import { BEST_LEVEL, deflateRaw } from '../../../src/core/bytes/deflate.ts'
import { LevelChoice, NEAR_LEVEL } from '../../../src/core/bytes/level-choice.ts'

const PIECE_BYTES = 1000
/** Sizes of a piece of each kind at the levels 6, 10 and 12. */
const SIZES = {
  noise: { 6: 1000, 10: 1000, 12: 1000 },
  photograph: { 6: 650, 10: 600, 12: 599 },
  'repeats of many lengths': { 6: 60, 10: 50, 12: 43 },
  'plain repeats': { 6: 160, 10: 150, 12: 150 },
  'other plain repeats': { 6: 70, 10: 60, 12: 60 },
} as const
type Kind = keyof typeof SIZES
const many = (kind: Kind, count: number): Kind[] => Array.from({ length: count }, () => kind)

/** Levels that each piece was compressed with, and the size of all results. */
function run(kinds: readonly Kind[], share?: number, isAlwaysBest?: boolean) {
  const choice = new LevelChoice(share, isAlwaysBest)
  const levels: number[][] = []
  let bytes = 0
  for (const kind of kinds) {
    const tried: number[] = []
    const result = choice.compress(new Uint8Array(PIECE_BYTES), (_, level) => {
      tried.push(level)
      return new Uint8Array(SIZES[kind][level as 6 | 10 | 12])
    })
    levels.push(tried)
    bytes += result.length
  }
  return { levels, bytes, slow: levels.flat().filter((level) => level === BEST_LEVEL).length }
}

describe('LevelChoice', () => {
  it('never uses the slowest level where few bytes repeat', () => {
    expect(run(many('photograph', 50)).levels.flat()).toEqual(Array(50).fill(NEAR_LEVEL))
    const noise = run(many('noise', 50))
    expect(noise.slow).toBe(0)
    expect(noise.levels.slice(1).flat()).toEqual(Array(49).fill(6))
  })

  it('uses the slowest level for every piece in which it pays, and the other one for a few of them', () => {
    const { levels, slow, bytes } = run(many('repeats of many lengths', 100), 0.05)
    expect(slow).toBe(100)
    expect(bytes).toBe(100 * 43)
    expect(levels.flat().length).toBeLessThan(110)
    // A set of two pieces is not compared: it would not gain.
    expect(run(many('repeats of many lengths', 2), 0.05).levels).toEqual([[12], [12]])
  })

  it('compares few pieces where repeats need no slow level', () => {
    const { slow, bytes } = run(many('plain repeats', 200), 0.16)
    expect(slow).toBeLessThan(12)
    expect(bytes).toBe(200 * 150)
  })

  it.each<[Kind, Kind]>([
    ['noise', 'repeats of many lengths'],
    ['photograph', 'repeats of many lengths'],
    ['plain repeats', 'repeats of many lengths'],
    ['other plain repeats', 'plain repeats'],
  ])('notices when %s become %s in the middle of a dataset', (before, after) => {
    const [first, second] = [many(before, 100), many(after, 100)]
    const { levels, bytes } = run([...first, ...second])
    const best = [...first, ...second].reduce((sum, kind) => sum + SIZES[kind][12], 0)
    expect(bytes).toBeLessThanOrEqual(best * 1.002)
    if (after === 'repeats of many lengths') expect(levels.slice(100).every((tried) => tried.includes(BEST_LEVEL))).toBe(true)
  })

  it('notices a change to which only the slow level tells the difference at the next comparison', () => {
    const choice = new LevelChoice(0.15)
    const size = (piece: number, level: number) => (level === BEST_LEVEL && piece >= 100 ? 120 : 150)
    const slow: number[] = []
    for (let piece = 0; piece < 200; piece++)
      choice.compress(new Uint8Array(PIECE_BYTES), (_, level) => {
        if (level === BEST_LEVEL) slow.push(piece)
        return new Uint8Array(size(piece, level))
      })
    const noticed = slow.find((piece) => piece >= 100)!
    expect(noticed).toBeLessThanOrEqual(100 + 32)
    expect(slow.filter((piece) => piece >= noticed).length).toBe(200 - noticed)
  })

  it('uses the slowest level everywhere if asked to', () => {
    expect(run([...many('noise', 3), ...many('photograph', 3)], 0.9, true).levels).toEqual(Array(6).fill([BEST_LEVEL]))
  })

  it('decides alike for the same pieces', () => {
    const kinds = [...many('plain repeats', 20), ...many('noise', 3), ...many('repeats of many lengths', 20), ...many('photograph', 3)]
    expect(run(kinds)).toEqual(run(kinds))
  })

  it('gives real data nearly the size of the slowest level', () => {
    let state = 7
    const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16
    const noisy = () => Uint8Array.from({ length: 20_000 }, () => (next() & 63) + (next() & 63))
    const words = Array.from({ length: 50 }, () => String.fromCharCode(...Array.from({ length: 9 }, () => 97 + (next() % 26))))
    const text = () => new TextEncoder().encode(Array.from({ length: 2_000 }, () => words[next() % 50]!).join(' '))
    const pieces = [...Array.from({ length: 10 }, noisy), ...Array.from({ length: 10 }, text), ...Array.from({ length: 5 }, noisy)]
    const choice = new LevelChoice()
    const chosen = pieces.reduce((sum, piece) => sum + choice.compress(piece, deflateRaw).length, 0)
    const best = pieces.reduce((sum, piece) => sum + deflateRaw(piece).length, 0)
    expect(chosen).toBeLessThanOrEqual(best * 1.005)
  })
})
