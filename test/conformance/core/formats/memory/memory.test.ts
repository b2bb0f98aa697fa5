import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deck } from '../../../../support/deck.ts'

const root = join(import.meta.dirname, '../../../../..')

/** Memory above the loaded modules, in MB: heap, Wasm, native zlib. */
function peak(...args: string[]): number {
  const done = spawnSync(
    process.execPath,
    ['--expose-gc', '--import', './tools/wasm-hook.ts', 'test/conformance/core/formats/memory/peak.ts', ...args],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  const said = JSON.parse(done.stdout || '{}') as { kind?: string; peakMB?: number }
  expect(said.kind, done.stderr).toBe('compressed')
  return said.peakMB!
}

// 10 MB is more than a window of zstd: its memory does not grow after that.
test.each<[what: string, output: string, megabytes: string, limitMB: number, effort?: string]>([
  ['text', 'zst', '10', 110],
  ['text', 'gz', '3', 60],
  ['text', 'br', '3', 96],
  ['tiff', 'tiff', '60', 30],
  // One strip of 4 MB of JPEG, whose coefficients are held: 16 MB, and 30 for the longest that is.
  ['tiff-jpeg', 'tiff', '6', 30],
  // Megapixels: coded, looked at in bands beside what it was made of, and coded again.
  ['jpg', 'jpg', '108', 90],
  // Megapixels, as many as an isolate's engine holds.
  ['jpg', 'jxl', '14', 92],
  // Megapixels, nearly as many as an isolate's engine encodes.
  ['png-photo', 'jxl', '12', 110],
  // Megapixels of a grid of tiles, as phones write them.
  ['heic', 'jpg', '48', 110],
  // Megapixels of one picture. A workbook has it in the stream of its cells.
  ['ppt', 'ppt', '24', 110],
  ['xls', 'xls', '24', 110],
  ['rtf', 'rtf', '24', 110],
  // One packet a page.
  ['opus', 'opus', '20', 15],
  // Minutes of sound with the largest tags: memory does not grow with the length.
  ['long-opus', 'opus', '6', 45],
  ['long-opus', 'm4a', '6', 45],
  ['long-opus', 'mp3', '6', 45],
  ['long-vorbis', 'm4a', '6', 45],
  ['long-flac', 'opus', '20', 45],
  // Thousands of entries of an index, of five elements each: 90 % of the most elements.
  ['mkv', 'mkv', '90', 20],
  // 900,000 frames: 90 % of the most frames, and of the most elements.
  ['mkv-sound', 'mp4', '90', 30],
  // 900,000 pictures: 90 % of the most.
  ['ts', 'mp4', '90', 45],
  ['flv', 'mp4', '90', 45],
  // One member, in segments.
  ['gz', 'gz', '20', 30],
  // The largest file that the effort `best` parses as a whole.
  ['text', 'gz', '16', 110, 'best'],
  // One member, the largest that is deflated in memory.
  ['zip', 'zip', '25', 110, 'best'],
])('%s to %s, %s MB, in at most %i MB', { timeout: 400_000 }, (what, output, megabytes, limitMB, effort = 'balanced') => {
  expect(peak(what, output, megabytes, effort)).toBeLessThanOrEqual(limitMB)
})

// Megapixels: the largest JPEG, a large one whose rendition is nearly as large as may stay in memory, and nearly the largest HEIC.
test.each([
  ['jpg', '268', 'fast', '2560'],
  ['jpg', '108', 'balanced', '3300'],
  ['heic', '54', 'fast', '2560'],
])('a rendition of %s, %s megapixels, %s, of %s pixels, in at most 110 MB', { timeout: 400_000 }, (what, megapixels, effort, side) => {
  expect(peak(what, 'avif', megapixels, effort, side)).toBeLessThanOrEqual(110)
})

test('a presentation of photographs, garbage and all, in at most 110 MB', { timeout: 180_000 }, async () => {
  const path = join(tmpdir(), `whittle-deck-test-${process.pid}.pptx`)
  writeFileSync(path, await deck(6, 4e6))
  const held = (...options: string[]) => {
    const script = ['--expose-gc', '--import', './tools/wasm-hook.ts', 'test/conformance/core/formats/memory/deck.ts', path, ...options]
    const done = spawnSync(process.execPath, script, { cwd: root, encoding: 'utf8' })
    const said = JSON.parse(done.stdout || '{}') as { kind?: string; all: number; live: number; whole: number }
    expect(said.kind, done.stderr).toBe('compressed')
    return said
  }
  expect(held().whole).toBeLessThanOrEqual(110)
  const { live } = held('--live')
  rmSync(path)
  // One picture, its result and the engine that makes it; the other five are not here any more.
  expect(live).toBeGreaterThan(1)
  expect(live).toBeLessThanOrEqual(40)
})
