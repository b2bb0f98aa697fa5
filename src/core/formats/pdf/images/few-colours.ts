/** Pictures with at most 256 colours: stored with a palette (8.6.6.3), or with fewer bits a sample. Every pixel keeps its colour. */

import { setFilters } from '../filters.ts'
import { Dict, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { deflation, type Effort, MAX_DECODED_BYTES, type Packed, type Rewritten } from '../recompress.ts'
import { CLOSE_TRIAL } from '../tuning.ts'
import { codeBits } from './bilevel.ts'
import { type ImageFacts, INDEXED_BASES, imageFilter } from './facts.ts'
import { indexedSpace } from './result.ts'
import { hasExactRows, openRows } from './rows.ts'

const MOST_COLOURS = 256
/** [/Indexed base hival (…)] beside its table, and escapes in the table. */
const SPACE_BYTES = 32
const ESCAPES = 1.1

interface Wanted {
  /** A soft mask has grey samples (11.6.5.2), never a palette. */
  isMask: boolean
  effort: Effort
  /** Only fewer bytes than this are of use. */
  budget: number
}

/** The smallest form with a palette or with fewer bits; undefined where the picture has too many colours, or nothing is gained. */
export async function recodeFewColours(
  reader: Reader,
  stream: Stream,
  facts: ImageFacts,
  { isMask, effort, budget }: Wanted,
): Promise<Rewritten | undefined> {
  if (imageFilter(facts) !== '' || !hasExactRows(facts) || facts.bitsPerComponent > 8) return undefined
  if (facts.palette && !facts.palette.complete) return undefined
  const seen = new Colours(mostColours(facts.bitsPerComponent * facts.components))
  const { channels, strips } = await openRows(reader, stream, facts)
  for await (const strip of strips) if (!seen.add(strip, channels)) return undefined
  const table = seen.sorted(channels)
  const grey = facts.palette ? undefined : greyBits(table, channels)
  const bits = grey ?? Math.max(bitsFor(table.length), isBlackAndWhite(table, channels) ? 1 : FEWEST_COLOURED_BITS)
  const mayIndex = !isMask && !facts.decode && (facts.palette !== undefined || INDEXED_BASES.has(facts.family))
  if ((grey === undefined && !mayIndex) || bits >= facts.bitsPerComponent * facts.components) return undefined
  if (stride(facts.width, bits) * facts.height > MAX_DECODED_BYTES) return undefined
  const cost = grey === undefined ? SPACE_BYTES + table.length * channels * ESCAPES : 0
  const found = await smallest(reader, { stream, facts, seen, table, channels, grey, bits }, { effort, budget: Math.floor(budget - cost) })
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
  seen: Colours
  table: readonly number[]
  channels: number
  /** Bits of evenly spaced greys, which need no palette. */
  grey: number | undefined
  bits: number
}

/** With as few bits as there can be, or a byte for each pixel, where Deflate finds more repetitions. */
async function smallest(reader: Reader, picture: FewColours, { effort, budget }: Pick<Wanted, 'effort' | 'budget'>) {
  const { facts, bits } = picture
  const packed = await samplesOf(reader, picture, bits)
  const coded = bits === 1 ? codeBits(facts, packed, budget) : undefined
  const trials = [{ bits, trial: deflation(packed, layoutOf(facts, bits), budget) }]
  const isBytes = picture.grey === undefined && facts.bitsPerComponent * facts.components > 8
  if (bits > 1 && bits < 8 && isBytes && facts.width * facts.height <= MAX_DECODED_BYTES)
    trials.push({ bits: 8, trial: deflation(await samplesOf(reader, picture, 8), layoutOf(facts, 8), budget) })
  const quick = trials.reduce((least, { trial }) => Math.min(least, trial.quickBytes), Number.POSITIVE_INFINITY)
  let best: { bits: number; packed: Packed } | undefined = coded && { bits, packed: { chain: [coded.filter], data: coded.data } }
  for (const { bits: each, trial } of trials) {
    if (trial.quickBytes > quick * CLOSE_TRIAL) continue
    const found = trial.finish(effort)
    if (found && found.data.length < (best?.packed.data.length ?? budget)) best = { bits: each, packed: found }
  }
  return best
}

const layoutOf = ({ width }: ImageFacts, bits: number) => ({ predictor: 15, colors: 1, bitsPerComponent: bits, columns: width })

/** The picture as samples of so many bits. */
async function samplesOf(reader: Reader, { stream, facts, seen, table, channels, grey }: FewColours, bits: number): Promise<Uint8Array> {
  seen.number(table, grey === undefined ? table.map((_, i) => i) : table.map((value) => (value * (2 ** bits - 1)) / 255))
  const packer = new Packer(facts.width, facts.height, bits)
  for await (const strip of (await openRows(reader, stream, facts)).strips) packer.push(strip, channels, seen)
  return packer.bytes
}

/** Fewest bits a sample with which all of these greys are what they are now; undefined for colours, and for greys that need 8. */
function greyBits(table: readonly number[], channels: number): number | undefined {
  if (channels !== 1) return undefined
  return [1, 2, 4].find((bits) => table.every((value) => value % (255 / (2 ** bits - 1)) === 0))
}

/** More than these take as many bits as the samples have: grey pictures are read no further than that. */
const mostColours = (bits: number): number => (bits > 8 ? MOST_COLOURS : bits === 8 ? 16 : 2 ** (bits / 2))

/** Poppler's `pdfimages` takes one-bit samples for black and white, whatever their palette says. */
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

/** Sum of the components: neighbours in a palette differ little, which is what predictors need. */
const brightness = (key: number): number => (key >>> 24) + ((key >>> 16) & 255) + ((key >>> 8) & 255) + (key & 255)

const SLOTS = 1024
const EMPTY = -1

/** Up to 256 colours and a number for each, in a table with open addressing. */
class Colours {
  private readonly keys = new Uint32Array(SLOTS)
  private readonly numbers = new Int16Array(SLOTS).fill(EMPTY)
  private readonly most: number
  private count = 0

  constructor(most: number) {
    this.most = most
  }

  /** Takes whole pixels; false when there are more than `most` colours. */
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

  /** All colours, dark to light. */
  sorted(channels: number): number[] {
    const keys = [...this.keys].filter((_, slot) => this.numbers[slot] !== EMPTY)
    return channels === 1 ? keys.sort((a, b) => a - b) : keys.sort((a, b) => brightness(a) - brightness(b) || a - b)
  }

  /** Gives each colour of `table` its value of `levels`. */
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

/** Numbers of colours as samples of 1, 2, 4 or 8 bits, each row in whole bytes. */
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
