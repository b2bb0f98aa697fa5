/** Reads TIFFs that all readers show alike and that a PNG can represent completely: one opaque picture of 8 bits a sample, in strips. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import type { AncillaryChunk } from '../../../wasm/png/png.ts'
import { concat } from '../bytes/concat.ts'
import { zlibCompress } from '../bytes/deflate.ts'
import { latin1Of } from '../bytes/latin1.ts'
import { checkChunkSize, planeRows } from '../containers/tiff/decode.ts'
import { findEntry, readNumbers, readValue, TAG, type TiffDirectory, type TiffFile, viewOf } from '../containers/tiff/directory.ts'
import { isFax, type PixelStorage, readPixels } from '../containers/tiff/pixels.ts'
import { readTiff } from '../containers/tiff/read-directories.ts'
import { isCodecError } from '../model/error.ts'
import { memorySource } from '../model/source.ts'
import { type PlainPicture, physicalSize } from './plain-picture.ts'
import { MAX_PROFILE_BYTES, MAX_REPLACED_PIXELS, MAX_TEXT_BYTES } from './tuning.ts'

/** Tags about the stored form or the scanner, which a PNG does not need. A TIFF with other tags that a PNG cannot store stays a TIFF. */
const FORM: ReadonlySet<number> = new Set([
  ...[TAG.newSubfileType, 255, TAG.imageWidth, TAG.imageLength, TAG.bitsPerSample, TAG.compression, TAG.photometric, TAG.fillOrder],
  ...[TAG.stripOffsets, TAG.samplesPerPixel, TAG.rowsPerStrip, TAG.stripByteCounts, TAG.planarConfiguration, TAG.predictor],
  ...[TAG.sampleFormat, 280, 281, 338],
])
const ORIENTATION = 274
const RESOLUTION = { across: 282, down: 283, unit: 296 } as const
const PROFILE = 34675
/** PNG keywords of text tags (W3C PNG, 11.3.3.1). */
const TEXTS: { readonly [tag: number]: string } = {
  [TAG.imageDescription]: 'Description',
  305: 'Software',
  306: 'Creation Time',
  315: 'Author',
  316: 'Source',
  33432: 'Copyright',
}
const KNOWN: ReadonlySet<number> = new Set([...FORM, ORIENTATION, ...Object.values(RESOLUTION), PROFILE, ...Object.keys(TEXTS).map(Number)])

/** `undefined`: another kind of TIFF, a damaged TIFF, or another format. */
export async function readPlainTiff(bytes: Uint8Array): Promise<PlainPicture | undefined> {
  const start = latin1Of(bytes.subarray(0, 4))
  if (start !== 'II*\0' && start !== 'MM\0*') return undefined
  try {
    const file = await readTiff(memorySource(bytes, 'picture.tif'), 'tif')
    const [directory] = file.all
    if (!directory || file.all.length !== 1 || file.brokenLinks.length > 0 || directory.entries.some(({ tag }) => !KNOWN.has(tag)))
      return undefined
    const pixels = await readPixels(file, directory)
    const chunks = pixels && (await chunksOf(file, directory))
    if (!pixels || !chunks || !(await isPlain(file, pixels))) return undefined
    const { width, height } = pixels
    return { width, height, chunks, rows: () => rgbRows(file, pixels) }
  } catch (error) {
    if (isCodecError(error) || isEngineError(error) || error instanceof RangeError) return undefined
    throw error
  }
}

/** True for upright 8-bit RGB or grey with black at 0 and only opaque pixels. Premultiplied alpha then makes no difference. */
async function isPlain(file: TiffFile, pixels: PixelStorage): Promise<boolean> {
  const { directory, tiled, planes, bits, floating, samples, mirrored, decodable, compression } = pixels
  if (tiled || planes !== 1 || bits !== 8 || floating || mirrored || !decodable || isFax(compression)) return false
  if (pixels.width * pixels.height > MAX_REPLACED_PIXELS || pixels.lengths.some((length) => length === 0)) return false
  const number = async (tag: number, usual: number) => {
    const entry = findEntry(directory, tag)
    return entry ? ((await readNumbers(file, entry))[0] ?? usual) : usual
  }
  if ((await number(ORIENTATION, 1)) !== 1 || (await number(TAG.sampleFormat, 1)) !== 1) return false
  const colours = COLOURS[await number(TAG.photometric, -1)]
  if (colours === undefined || (samples !== colours && samples !== colours + 1)) return false
  checkChunkSize(pixels)
  if (samples === colours) return true
  for await (const rows of planeRows(file, pixels, 0)) {
    for (let at = colours; at < rows.length; at += samples) if (rows[at] !== 255) return false
    discard(rows)
  }
  return true
}

/** Colour samples a pixel by PhotometricInterpretation: 1 BlackIsZero, 2 RGB. */
const COLOURS: { readonly [photometric: number]: number | undefined } = { 1: 1, 2: 3 }

async function* rgbRows(file: TiffFile, pixels: PixelStorage): AsyncGenerator<Uint8Array> {
  const { samples, width } = pixels
  const [green, blue] = samples < 3 ? [0, 0] : [1, 2]
  for await (const rows of planeRows(file, pixels, 0)) {
    for (let at = 0; at < rows.length; at += width * samples) {
      const out = new Uint8Array(width * 3)
      for (let x = 0, from = at; x < out.length; x += 3, from += samples) {
        out[x] = rows[from] ?? 0
        out[x + 1] = rows[from + green] ?? 0
        out[x + 2] = rows[from + blue] ?? 0
      }
      yield out
    }
    discard(rows)
  }
}

/** Returns the PNG chunks for resolution, colour profile and texts. `undefined`: a PNG cannot represent them. */
async function chunksOf(file: TiffFile, directory: TiffDirectory): Promise<AncillaryChunk[] | undefined> {
  const text = (value: string) => new TextEncoder().encode(value)
  const chunks = await physicalSizeOf(file, directory)
  const profile = findEntry(directory, PROFILE)
  if (profile) {
    if (profile.byteLength > MAX_PROFILE_BYTES) return undefined
    const bytes = await readValue(file.source, profile)
    // ICC.1:2022, 7.2.6: colour space of the profile. A grey profile does not fit RGB samples.
    if (latin1Of(bytes.subarray(16, 20)) !== 'RGB ') return undefined
    chunks.push({ type: 'iCCP', data: concat([text('ICC profile\0\0'), zlibCompress(bytes)]) })
  }
  for (const [tag, keyword] of Object.entries(TEXTS)) {
    const entry = findEntry(directory, Number(tag))
    if (!entry) continue
    if (entry.byteLength > MAX_TEXT_BYTES) return undefined
    const value = new TextDecoder('latin1').decode(await readValue(file.source, entry)).replace(/\0+$/, '')
    if (/[^\n\x20-\x7e]/.test(value)) return undefined
    if (value.length > 0) chunks.push({ type: 'tEXt', data: text(`${keyword}\0${value}`) })
  }
  return chunks
}

/** Metres of a ResolutionUnit: 2 inch, 3 centimetre. */
const METRES: { readonly [unit: number]: number | undefined } = { 2: 0.0254, 3: 0.01 }

async function physicalSizeOf(file: TiffFile, directory: TiffDirectory): Promise<AncillaryChunk[]> {
  const rational = async (tag: number) => {
    const entry = findEntry(directory, tag)
    if (entry?.type !== 5 || entry.count !== 1) return Number.NaN
    const view = viewOf(await readValue(file.source, entry))
    return view.getUint32(0, file.littleEndian) / view.getUint32(4, file.littleEndian)
  }
  const unit = findEntry(directory, RESOLUTION.unit)
  const metres = METRES[unit ? ((await readNumbers(file, unit))[0] ?? 2) : 2] ?? Number.NaN
  const perMetre = async (tag: number) => Math.round((await rational(tag)) / metres)
  return physicalSize(await perMetre(RESOLUTION.across), await perMetre(RESOLUTION.down))
}
