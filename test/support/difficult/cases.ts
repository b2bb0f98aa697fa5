/** Forty difficult pictures, and the perceptual figures of their results at several levels. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PictureOutput } from '../../../src/core/catalog/outputs.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { decodedRows } from '../../../src/core/images/convert/decoders.ts'
import { PerceptualMeter } from '../../../src/core/metrics/perceptual.ts'
import type { Codec, Quality } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { GifEngine } from '../../../wasm/gif/gif.ts'
import { JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { PngEncoder, QUICK_EFFORT, readPngInfo } from '../../../wasm/png/png.ts'
import { gifFile } from '../picture-files.ts'
import { pressFile } from '../press-file.ts'
import { GENERATED_PICTURES, generatePicture, SIDE } from './made.ts'

/** Figures of a result. Lower is better for the last four. */
export interface Figures {
  readonly score: number
  readonly worstTile: number
  /** Colour cast in CIE Lab, as in `PerceptualFigures`. */
  readonly cast: number
  readonly steps: number
  readonly dirt: number
  /** Bytes of the result divided by the bytes of the original. */
  readonly share: number
}

type Format = 'png' | 'jpg' | 'gif'
type Output = PictureOutput | 'gif'

export interface Difficult {
  readonly name: string
  readonly format: Format
  /** Results to check, as `output level`. */
  readonly results: readonly string[]
  bytes(): Uint8Array
}

/** Folder with photographs and JPEG drawings: crops of public domain pictures (CC0, NASA) from scikit-image. */
const FIXTURES = join(import.meta.dirname, '../../fixtures/difficult')
/** Pictures that have few colours, or are dithered to a palette, and are also tested as GIF. */
const AS_GIF = ['sky with grain', 'comic', 'pixel art']
const ALSO_WEBP = new Set(['skin.png', 'coffee.png', 'red text on blue', 'card with a soft shadow'])

export const DIFFICULT: readonly Difficult[] = [
  ...Object.keys(GENERATED_PICTURES).map((name) => difficult(name, 'png', () => asPng(generatePicture(name)))),
  ...AS_GIF.map((name) => difficult(`${name}.gif`, 'gif', () => asGif(generatePicture(name)))),
  ...readdirSync(FIXTURES)
    .filter((name) => /\.(png|jpg)$/.test(name))
    .sort()
    .map((name) => difficult(name, name.endsWith('.png') ? 'png' : 'jpg', () => new Uint8Array(readFileSync(join(FIXTURES, name))))),
]

function difficult(name: string, format: Format, bytes: () => Uint8Array): Difficult {
  const levels = format === 'jpg' ? ['high', 'medium', 'low'] : ['medium', 'low']
  const webp = ALSO_WEBP.has(name) ? ['webp medium', 'webp low'] : []
  return { name, format, results: [...levels.map((level) => `${format} ${level}`), ...webp], bytes }
}

/** Compresses a picture as `result` says and measures the outcome. Also returns both files. */
export async function measureResult(
  picture: Difficult,
  result: string,
): Promise<{ figures: Figures; before: Uint8Array; after: Uint8Array }> {
  const [output, quality] = result.split(' ') as [Output, Quality]
  const before = picture.bytes()
  const codec: Codec = PRESS_CODECS[picture.format]!
  const { outcome, bytes: after, defect } = await pressFile(codec, before, `picture.${picture.format}`, { quality, output })
  if (defect) throw new Error(`${picture.name}, ${result}: ${defect}`)
  const made = outcome.kind === 'compressed' ? output : picture.format
  const [one, other] = [await pixelsOf(picture.format, before), await pixelsOf(made, after)]
  using meter = new PerceptualMeter(one.width, one.height, 4)
  meter.push(one.rgba, other.rgba)
  const { score = 100, worstTile = 100, cast, steps, dirt } = meter.finish()
  return { figures: { score, worstTile, cast, steps, dirt, share: after.length / before.length }, before, after }
}

interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

async function pixelsOf(output: Output, file: Uint8Array): Promise<Pixels> {
  if (output === 'gif') return pixelsOfGif(file)
  const size = await sizeOf(output, file)
  const rows: Uint8Array[] = []
  for await (const strip of decodedRows(output, memorySource(file, `picture.${output}`), size)) rows.push(strip.slice())
  return { ...size, rgba: Buffer.concat(rows) }
}

async function sizeOf(output: Output, file: Uint8Array): Promise<{ width: number; height: number }> {
  if (output === 'png') return (await readPngInfo(inOnePiece(file))).header
  if (output !== 'jpg') return { width: SIDE, height: SIDE }
  using jpeg = await JpegRows.open(file, { colour: 'rgb' })
  return { width: jpeg.width, height: jpeg.height }
}

async function* inOnePiece(file: Uint8Array) {
  yield file.slice()
}

/** Returns the pixels of the first frame. */
function pixelsOfGif(file: Uint8Array): Pixels {
  using engine = new GifEngine(() => undefined)
  engine.begin('look')
  for (let at = 0; at < file.length; ) {
    const { taken, frame } = engine.push(file.subarray(at))
    at += taken
    if (!frame) continue
    const rgba = new Uint8Array(SIDE * SIDE * 4)
    for (let y = 0; y < SIDE; y++) rgba.set(engine.row(y).subarray(0, SIDE * 4), y * SIDE * 4)
    return { width: SIDE, height: SIDE, rgba }
  }
  throw new Error('a GIF without a frame')
}

function asPng(rgba: Uint8ClampedArray): Uint8Array {
  using encoder = new PngEncoder({ width: SIDE, height: SIDE, colourType: 6, bitDepth: 8 }, QUICK_EFFORT)
  for (let at = 0; at < rgba.length; at += SIDE * 4) encoder.writeRow(new Uint8Array(rgba.buffer, at, SIDE * 4))
  return Buffer.concat(encoder.finish())
}

/** Converts a picture to a GIF with 6 shades of red, 7 of green and 6 of blue, with ordered dithering. */
function asGif(rgba: Uint8ClampedArray): Uint8Array {
  const palette = Array.from({ length: 256 }, (_, i) => [(i % 6) * 51, (Math.floor(i / 6) % 7) * 42.5, Math.floor(i / 42) * 51])
  const pixels = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => {
    const threshold = BAYER[(Math.floor(i / SIDE) & 3) * 4 + ((i % SIDE) & 3)]! / 16
    const level = (c: number, levels: number) => Math.min(levels, Math.floor((rgba[i * 4 + c]! / 255) * levels + threshold))
    return level(0, 5) + 6 * level(1, 6) + 42 * level(2, 5)
  })
  return gifFile(
    SIDE,
    SIDE,
    palette.flat().map((v) => Math.min(255, Math.round(v))),
    [{ pixels, delay: 0 }],
  )
}
const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
