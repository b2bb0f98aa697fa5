/**
 * Lossless recompression of pictures with at most 256 colours: with a palette (ISO 32000-2, 8.6.6.3) or fewer bits per sample. Every pixel
 * keeps its colour.
 */

import { setFilters } from '../filters.ts'
import { Dict, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type DeflatedData, type DeflateEffort, MAX_DECODED_BYTES, type RewrittenStream, tryDeflate } from '../recompress.ts'
import { CLOSE_TRIAL } from '../tuning.ts'
import { encodeBilevelRows } from './bilevel.ts'
import { type ImageFacts, INDEXED_BASES, imageFilter } from './facts.ts'
import { indexedSpace } from './result.ts'
import { hasExactRows, openRows } from './rows.ts'

const MOST_COLOURS = 256
/**
 * Dictionary bytes of an indexed colour space without its table (`SPACE_BYTES`), and the growth of the table by escapes (`ESCAPES`, a
 * factor).
 */
const SPACE_BYTES = 32
const ESCAPES = 1.1

interface RecodeOptions {
  /** True for a soft mask, which needs grey samples and no palette (ISO 32000-2, 11.6.5.2). */
  isMask: boolean
  effort: DeflateEffort
  /** Maximum size of the result in bytes. */
  budget: number
}

/** Returns the smallest version with a palette or fewer bits per sample. `undefined`: too many colours, or no gain. */
export async function recodeFewColours(
  reader: Reader,
  stream: Stream,
  facts: ImageFacts,
  { isMask, effort, budget }: RecodeOptions,
): Promise<RewrittenStream | undefined> {
  if (imageFilter(facts) !== '' || !hasExactRows(facts) || facts.bitsPerComponent > 8) return undefined
  if (facts.palette && !facts.palette.isComplete) return undefined
  const colours = new Colours(mostColours(facts.bitsPerComponent * facts.components))
  const { channels, strips } = await openRows(reader, stream, facts)
  for await (const strip of strips) if (!colours.add(strip, channels)) return undefined
  const table = colours.sorted(channels)
  const grey = facts.palette ? undefined : greyBits(table, channels)
  const bits = grey ?? Math.max(bitsFor(table.length), isBlackAndWhite(table, channels) ? 1 : FEWEST_COLOURED_BITS)
  const mayIndex = !isMask && !facts.decode && (facts.palette !== undefined || INDEXED_BASES.has(facts.family))
  if ((grey === undefined && !mayIndex) || bits >= facts.bitsPerComponent * facts.components) return undefined
  if (stride(facts.width, bits) * facts.height > MAX_DECODED_BYTES) return undefined
  const cost = grey === undefined ? SPACE_BYTES + table.length * channels * ESCAPES : 0
  const found = await smallest(
    reader,
    { stream, facts, colours, table, channels, grey, bits },
    { effort, budget: Math.floor(budget - cost) },
  )
  if (!found) return undefined
  const dict = new Dict(facts.dict)
  setFilters(dict, found.packed.chain)
  dict.set('BitsPerComponent', found.bits)
  if (grey === undefined) {
    dict.delete('Decode')
    dict.set('ColorSpace', indexedSpace(facts, bytesOf(table, channels)))
  }
  return { dict, data: found.packed.data }
}

const stride = (width: number, bits: number): number => Math.ceil((width * bits) / 8)

interface FewColours {
  stream: Stream
  facts: ImageFacts
  colours: Colours
  table: readonly number[]
  channels: number
  /** Bits per sample if all colours are evenly spaced greys, which need no palette. `undefined`: a palette is needed. */
  grey: number | undefined
  bits: number
}

/** Tries the fewest possible bits per pixel, and one byte per pixel, which Deflate may compress better. */
async function smallest(reader: Reader, picture: FewColours, { effort, budget }: Pick<RecodeOptions, 'effort' | 'budget'>) {
  const { facts, bits } = picture
  const packed = await samplesOf(reader, picture, bits)
  const coded = bits === 1 ? encodeBilevelRows(facts, packed, budget) : undefined
  const trials = [{ bits, trial: tryDeflate(packed, layoutOf(facts, bits), budget) }]
  const isBytes = picture.grey === undefined && facts.bitsPerComponent * facts.components > 8
  if (bits > 1 && bits < 8 && isBytes && facts.width * facts.height <= MAX_DECODED_BYTES)
    trials.push({ bits: 8, trial: tryDeflate(await samplesOf(reader, picture, 8), layoutOf(facts, 8), budget) })
  const smallestTrial = trials.reduce((least, { trial }) => Math.min(least, trial.trialBytes), Number.POSITIVE_INFINITY)
  let best: { bits: number; packed: DeflatedData } | undefined = coded && { bits, packed: { chain: [coded.filter], data: coded.data } }
  for (const { bits: each, trial } of trials) {
    if (trial.trialBytes > smallestTrial * CLOSE_TRIAL) continue
    const found = trial.finish(effort)
    if (found && found.data.length < (best?.packed.data.length ?? budget)) best = { bits: each, packed: found }
  }
  return best
}

const layoutOf = ({ width }: ImageFacts, bits: number) => ({ predictor: 15, colors: 1, bitsPerComponent: bits, columns: width })

/** Returns the picture as packed samples of `bits` bits. */
async function samplesOf(reader: Reader, { stream, facts, colours, table, channels, grey }: FewColours, bits: number): Promise<Uint8Array> {
  colours.number(table, grey === undefined ? table.map((_, i) => i) : table.map((value) => (value * (2 ** bits - 1)) / 255))
  const packer = new Packer(facts.width, facts.height, bits)
  for await (const strip of (await openRows(reader, stream, facts)).strips) packer.push(strip, channels, colours)
  return packer.bytes
}

/** Fewest bits per sample that represent all these greys exactly. `undefined`: the picture has colours, or the greys need 8 bits. */
function greyBits(table: readonly number[], channels: number): number | undefined {
  if (channels !== 1) return undefined
  return [1, 2, 4].find((bits) => table.every((value) => value % (255 / (2 ** bits - 1)) === 0))
}

/** Maximum number of colours for which fewer bits per sample are possible. Reading stops as soon as a picture has more. */
const mostColours = (bits: number): number => (bits > 8 ? MOST_COLOURS : bits === 8 ? 16 : 2 ** (bits / 2))

/**
 * Minimum bits per sample of a palette, unless it is black and white. Poppler's `pdfimages` reads one-bit samples as black and white,
 * whatever the palette contains.
 */
const FEWEST_COLOURED_BITS = 2

const isBlackAndWhite = ([black, white, ...others]: readonly number[], channels: number): boolean =>
  black === 0 && white === 2 ** (8 * channels) - 1 && others.length === 0

const bitsFor = (colours: number): number => (colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8)

function bytesOf(table: readonly number[], channels: number): Uint8Array {
  const bytes = new Uint8Array(table.length * channels)
  table.forEach((key, i) => {
    for (let c = 0; c < channels; c++) bytes[i * channels + c] = (key >>> (8 * (channels - 1 - c))) & 255
  })
  return bytes
}

/** Sum of the components of a colour. Sorting a palette by it keeps neighbouring entries similar, which helps predictors. */
const brightness = (key: number): number => (key >>> 24) + ((key >>> 16) & 255) + ((key >>> 8) & 255) + (key & 255)

const SLOTS = 1024
const EMPTY = -1

/** Hash table with open addressing for up to 256 colours and their sample values. */
class Colours {
  private readonly keys = new Uint32Array(SLOTS)
  private readonly numbers = new Int16Array(SLOTS).fill(EMPTY)
  private readonly most: number
  private count = 0

  constructor(most: number) {
    this.most = most
  }

  /** Adds the colours of whole pixels. False if the picture has more than `most` colours. */
  add(pixels: Uint8Array, channels: number): boolean {
    let last = EMPTY
    for (let at = 0; at < pixels.length; at += channels) {
      const key = keyAt(pixels, at, channels)
      if (key === last) continue
      last = key
      const slot = this.slot(key)
      if (this.numbers[slot] !== EMPTY) continue
      if (this.count === this.most) return false
      this.keys[slot] = key
      this.numbers[slot] = this.count++
    }
    return true
  }

  /** Returns all colours, from dark to light. */
  sorted(channels: number): number[] {
    const keys = [...this.keys].filter((_, slot) => this.numbers[slot] !== EMPTY)
    return channels === 1 ? keys.sort((a, b) => a - b) : keys.sort((a, b) => brightness(a) - brightness(b) || a - b)
  }

  /** Assigns a sample value from `levels` to each colour of `table`. */
  number(table: readonly number[], levels: readonly number[]): void {
    table.forEach((key, i) => {
      this.numbers[this.slot(key)] = levels[i]!
    })
  }

  numberOf(key: number): number {
    return this.numbers[this.slot(key)]!
  }

  private slot(key: number): number {
    let slot = Math.imul(key, 0x9e3779b1) >>> 22
    while (this.numbers[slot] !== EMPTY && this.keys[slot] !== key) slot = (slot + 1) % SLOTS
    return slot
  }
}

function keyAt(pixels: Uint8Array, at: number, channels: number): number {
  let key = 0
  for (let c = 0; c < channels; c++) key = key * 256 + pixels[at + c]!
  return key
}

/** Packs sample values into 1, 2, 4 or 8 bits. Each row starts at a byte boundary. */
class Packer {
  readonly bytes: Uint8Array
  private readonly width: number
  private readonly bits: number
  private readonly stride: number
  private pixel = 0

  constructor(width: number, height: number, bits: number) {
    this.width = width
    this.bits = bits
    this.stride = stride(width, bits)
    this.bytes = new Uint8Array(this.stride * height)
  }

  push(pixels: Uint8Array, channels: number, colours: Colours): void {
    const { bytes } = this
    let [last, value] = [EMPTY, 0]
    for (let at = 0; at < pixels.length; at += channels) {
      const key = keyAt(pixels, at, channels)
      if (key !== last) value = colours.numberOf(key)
      last = key
      const bit = (this.pixel % this.width) * this.bits
      const index = Math.floor(this.pixel / this.width) * this.stride + (bit >> 3)
      bytes[index] = bytes[index]! | (value << (8 - this.bits - (bit & 7)))
      this.pixel++
    }
  }
}
