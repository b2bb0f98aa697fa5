/** Frames that keep their pixels: colour tables lose unused entries, and the shown colours stay. */

import { expect, it } from 'vitest'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'

const word = (value: number) => [value & 255, value >> 8]
const TILE = 16

/** Codes of 9 bits with a clear code before they would grow. */
function codes(pixels: readonly number[]): number[] {
  const bytes: number[] = []
  let [bits, count] = [0, 0]
  const put = (code: number) => {
    bits |= code << count
    for (count += 9; count >= 8; count -= 8, bits >>= 8) bytes.push(bits & 255)
  }
  pixels.forEach((pixel, i) => {
    if (i % 200 === 0) put(256)
    put(pixel)
  })
  put(257)
  if (count) bytes.push(bits)
  const out = [8]
  for (let at = 0; at < bytes.length; at += 255) out.push(Math.min(255, bytes.length - at), ...bytes.slice(at, at + 255))
  return [...out, 0]
}

const table = (seed: number) => Array.from({ length: 768 }, (_, i) => (i * 29 * seed + (i >> 3)) & 255)
const pixelsOf = (seed: number, colours: number) =>
  Array.from({ length: TILE * TILE }, (_, i) => (((i * seed * 7 + (i >> 4)) % colours) * 2 + 1) % 256)

interface Tiles {
  readonly count: number
  /** Local colour table of each tile; `undefined`: the global table. */
  readonly tableOf: (tile: number) => readonly number[] | undefined
  readonly colours: number
  /** Bytes 3 to 6 of the graphic control extension: flags, delay and transparent index. */
  readonly control?: readonly number[]
}

/** GIF of tiles. The first one does not cover the canvas, so that each frame keeps its pixels. */
function tiled({ count, tableOf, colours, control = [4, 0, 0, 0] }: Tiles): Uint8Array {
  const out: number[] = [...new TextEncoder().encode('GIF89a'), ...word(TILE * 8), ...word(TILE * 6), 0xf7, 5, 0, ...table(3)]
  for (let tile = 0; tile < count; tile++) {
    const own = tableOf(tile)
    out.push(0x21, 0xf9, 4, ...control, 0)
    out.push(0x2c, ...word((tile % 8) * TILE), ...word(Math.floor(tile / 8) * TILE), ...word(TILE), ...word(TILE), own ? 0x87 : 0)
    for (const byte of own ?? []) out.push(byte)
    for (const byte of codes(pixelsOf(tile + 1, colours))) out.push(byte)
  }
  return Uint8Array.from([...out, 0x3b])
}

/** Colours of each frame in order, `undefined` for transparent pixels, decoded independently. */
function shown(file: Uint8Array): (number | undefined)[][] {
  const at16 = (at: number) => (file[at] ?? 0) | ((file[at + 1] ?? 0) << 8)
  const tableAt = (at: number, flags: number) => file.subarray(at, at + (flags & 0x80 ? 6 << (flags & 7) : 0))
  const screen = tableAt(13, file[10] ?? 0)
  const frames: (number | undefined)[][] = []
  let clear: number | undefined
  for (let at = 13 + screen.length; file[at] !== 0x3b; ) {
    if (file[at] === 0x21) {
      if (file[at + 1] === 0xf9) clear = (file[at + 3] ?? 0) & 1 ? file[at + 6] : undefined
      for (at += 2; file[at]; ) at += 1 + (file[at] ?? 0)
      at++
      continue
    }
    const flags = file[at + 9] ?? 0
    const own = tableAt(at + 10, flags)
    const colours = own.length > 0 ? own : screen
    const [width, height] = [at16(at + 5), at16(at + 7)]
    at += 10 + own.length
    const codeSize = file[at++] ?? 0
    const data: number[] = []
    for (; file[at]; at += 1 + (file[at] ?? 0)) for (const byte of file.subarray(at + 1, at + 1 + (file[at] ?? 0))) data.push(byte)
    at++
    const indices = unpacked(data, codeSize, width * height)
    frames.push(
      indices.map((index) =>
        index === clear
          ? undefined
          : ((colours[3 * index] ?? 0) << 16) | ((colours[3 * index + 1] ?? 0) << 8) | (colours[3 * index + 2] ?? 0),
      ),
    )
    clear = undefined
  }
  return frames
}

function unpacked(data: readonly number[], codeSize: number, count: number): number[] {
  const out: number[] = []
  const clear = 1 << codeSize
  let phrases: number[][] = []
  let [bits, have, size, at] = [0, 0, codeSize + 1, 0]
  let previous: number[] | undefined
  const restart = () => {
    phrases = Array.from({ length: clear + 2 }, (_, i) => (i < clear ? [i] : []))
    size = codeSize + 1
    previous = undefined
  }
  restart()
  while (out.length < count && at < data.length) {
    for (; have < size; have += 8) bits |= (data[at++] ?? 0) << have
    const code = bits & ((1 << size) - 1)
    bits >>= size
    have -= size
    if (code === clear) {
      restart()
      continue
    }
    if (code === clear + 1) break
    const phrase = phrases[code] ?? [...(previous ?? []), previous?.[0] ?? 0]
    if (previous && phrases.length < 4096) phrases.push([...previous, phrase[0] ?? 0])
    if (phrases.length === 1 << size && size < 12) size++
    for (const index of phrase) out.push(index)
    previous = phrase
  }
  return out
}

const press = async (file: Uint8Array) => {
  const { outcome, bytes, defect } = await pressFile(gif, file, 'a.gif', { quality: 'medium' })
  expect(defect).toBeUndefined()
  expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: [expect.stringContaining('LZW data of')] })
  expect(outcome.kind === 'compressed' && outcome.loss).toBeFalsy()
  return bytes
}
/** Bytes of the tiles' codes, without extensions and tables. */
const codeBytes = (count: number, colours: number) => {
  let sum = 0
  for (let tile = 0; tile < count; tile++) sum += codes(pixelsOf(tile + 1, colours)).length
  return sum
}

it('drops unused entries of local tables', async () => {
  const file = tiled({ count: 48, tableOf: (tile) => table(tile * 2 + 5), colours: 60 })
  const result = await press(file)
  expect(shown(result)).toEqual(shown(file))
  // Remaining: 64 of 256 entries, no graphic control extension, two entries of the global table.
  expect(result.length).toBeLessThan(codeBytes(48, 60) + 48 * (10 + 64 * 3) + 13 + 6 + 1)
})

it('drops local tables that equal the global table', async () => {
  const file = tiled({ count: 48, tableOf: () => table(3), colours: 100 })
  const result = await press(file)
  expect(shown(result)).toEqual(shown(file))
  expect(result.length).toBeLessThan(codeBytes(48, 100) + 48 * 10 + 13 + 768 + 1)
})

it('keeps delays, disposal and the transparent colour with smaller tables', async () => {
  for (const disposal of [0, 1, 2, 3]) {
    const file = tiled({
      count: 12,
      tableOf: (tile) => (tile % 3 ? table(tile + 4) : undefined),
      colours: 40,
      control: [1 | (disposal << 2), 7, 0, 9],
    })
    // The first frame has a transparent colour, so that frames are drawn on a canvas. A canvas above the memory budget keeps them as
    // stored.
    const { bytes } = await pressFile(gif, file, 'a.gif', { quality: 'medium', memoryBudget: 4 * 1024 * 1024 + 1000 })
    expect(shown(bytes)).toEqual(shown(file))
    const controls = (of: Uint8Array) =>
      Buffer.from(of)
        .toString('hex')
        .match(/21f904.{6}/g)
    expect(controls(bytes)).toEqual(controls(file))
  }
})

it('keeps the background colour', async () => {
  const file = tiled({ count: 48, tableOf: (tile) => table(tile * 2 + 5), colours: 60 })
  const result = await press(file)
  const background = (of: Uint8Array) => [...of.subarray(13 + 3 * (of[11] ?? 0), 16 + 3 * (of[11] ?? 0))]
  expect(background(result)).toEqual(background(file))
})
