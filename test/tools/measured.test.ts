/** Tables of benchmark results: one per set of files, with older figures next to new ones. */
import { expect, it } from 'vitest'
import { withNewRows } from '../../tools/bench/docs.ts'
import { type Libraries, librariesOf, withLibraries } from '../../tools/bench/libraries/tables.ts'
import { withPictures } from '../../tools/bench/pictures/tables.ts'
import { sectionOf } from '../../tools/bench/sections.ts'

const row = (name: string, bytes: number, peerBytes: number) => ({
  name,
  ours: { bytes, cpuSeconds: 1, warmCpuSeconds: 0.4 },
  peers: { peer: { bytes: peerBytes, cpuSeconds: 2 } },
})

const linesOf = (text: string) => text.split('\n').filter((line) => line.startsWith('| png'))

it('keeps one table per set, and the older figures', () => {
  const first = withNewRows('', { png: [row('a.png', 90, 100)] }, 'corpus', 'monday')
  const second = withNewRows(first, { png: [row('b.png', 120, 100), row('c.png', 103, 100)] }, 'fetched', 'tuesday')
  expect(linesOf(second)).toEqual([
    '| png | peer | 1 | 0.900 |  | 0.900 a.png | 0.5 |  | 0.2 | monday |',
    '| png | peer | 2 | 1.115 |  | 1.200 b.png (2 above 1.02) | 0.5 |  | 0.2 | tuesday |',
  ])
  const third = withNewRows(second, { png: [row('a.png', 80, 100)] }, 'corpus', 'wednesday')
  expect(linesOf(third)[0]).toBe('| png | peer | 1 | 0.800 | 0.900 | 0.800 a.png | 0.5 | 0.5 | 0.2 | wednesday |')
  expect(linesOf(third)[1]).toBe(linesOf(second)[1])
  expect(withNewRows(third, {}, 'fetched', 'thursday')).toBe(third)
})

it('leaves the time of warm runs empty if the older table had none', () => {
  const before = '## Corpus\n\n| png | peer | 1 | 0.900 |  | 0.900 a.png | 0.5 |  | monday |\n'
  expect(linesOf(withNewRows(before, {}, 'corpus', 'tuesday'))).toEqual([
    '| png | peer | 1 | 0.900 |  | 0.900 a.png | 0.5 |  |  | monday |',
  ])
})

const libraries = (wallSeconds: number): Libraries => ({
  pictures: 4,
  rows: [
    { task: 'JPEG', library: 'one', compared: 4, ratio: 0.8, wallSeconds, cpuSeconds: 2 },
    { task: 'JPEG', library: 'two', compared: 0, note: 'Error: a | b' },
  ],
  installed: [{ library: 'one', bytes: 1_500_000 }],
})

it('keeps the tables of libraries beside the others, and replaces them as a whole', () => {
  const first = withLibraries(withNewRows('', { png: [row('a.png', 90, 100)] }, 'corpus', 'monday'), libraries(3), 'monday')
  expect(librariesOf(first)).toContain('| JPEG | one | 0.800 | 4 | 3.0 | 2.0 |  |\n| JPEG | two | – |  | failed |  | Error: a / b |\n')
  expect(librariesOf(first)).toContain('| one | 1.5 |  |\n')
  const second = withLibraries(withNewRows(first, { png: [row('b.png', 80, 100)] }, 'corpus', 'tuesday'), libraries(5), 'tuesday')
  expect(librariesOf(second).match(/\| JPEG \| one .*/g)).toEqual(['| JPEG | one | 0.800 | 4 | 5.0 | 2.0 |  |'])
  expect(linesOf(second)).toEqual(['| png | peer | 1 | 0.800 | 0.900 | 0.800 b.png | 0.5 | 0.5 | 0.2 | tuesday |'])
  expect(withNewRows(second, {}, 'fetched', 'wednesday')).toBe(second)
})

it('keeps the table of pictures on the fly beside the libraries', () => {
  const row = { format: 'webp', compared: 2, cold: [1, 3, 2], small: [9], warm: [], perSecond: 120.4, peakBytes: 2_500_000 } as const
  const sharp = { ...row, server: 'sharp', ratio: 0.8 }
  const first = withPictures(withLibraries('', libraries(3), 'monday'), [sharp], 'monday')
  expect(sectionOf(first, 'pictures')).toContain('| webp | sharp | 0.800 of 2 | 3 | 2, 3 | 9, 9 | 0, 0 | 120 | 3 | monday |\n')
  const second = withPictures(
    first,
    [
      { ...row, server: 'Whittle', peakBytes: undefined },
      { ...sharp, ratio: 0.9 },
    ],
    'tuesday',
  )
  expect(sectionOf(second, 'pictures').match(/\| webp .*/g)).toEqual([
    '| webp | sharp | 0.900 of 2 | 3 | 2, 3 | 9, 9 | 0, 0 | 120 | 3 | tuesday |',
    '| webp | Whittle |  | 3 | 2, 3 | 9, 9 | 0, 0 | 120 | – | tuesday |',
  ])
  const third = withNewRows(second, {}, 'corpus', 'wednesday')
  expect(third.match(/\| webp \| sharp/g)).toHaveLength(1)
  expect([librariesOf(third), sectionOf(third, 'pictures')]).toEqual([librariesOf(first), sectionOf(second, 'pictures')])
})
