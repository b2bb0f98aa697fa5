/** Writes the pictures of the benchmark: parts of real photographs and screenshots, all of the same size. */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import '../../wasm-hook.ts'
import { files } from '../harness.ts'
import { sizeOf } from '../seen-of.ts'
import { type Photo, writeJpeg, writePng } from '../stock/pictures.ts'

const { memorySource } = await import('../../../src/core/model/source.ts')
const { decodedRows } = await import('../../../src/core/images/convert/decoders.ts')

/** Small enough for 100 AVIF files in a benchmark of ten minutes. */
const [WIDTH, HEIGHT] = [320, 240]
/** Screenshots of this repository. */
const SCREENSHOTS = ['docs/users/screenshots', 'docs/users/first-minutes']

interface Picture {
  readonly width: number
  readonly height: number
  /** Samples of RGBA. */
  readonly rgba: Uint8Array
}

/** Writes `count` files per kind into the folders `jpg`, `png` and `svg` below `folder`. A kind without sources has no files. */
export async function writePictures(corpus: string, folder: string, count: number): Promise<void> {
  for (const kind of ['jpg', 'png', 'svg']) mkdirSync(join(folder, kind), { recursive: true })
  const photographs = await openAll(files(join(corpus, 'image'), 'jpg', 'jpeg'), 'jpg')
  // Halved, because the artefacts of the JPEG would otherwise be encoded again.
  for (const [i, part] of parts(photographs.map(halved), count)) await writeJpeg(join(folder, `jpg/${i}.jpg`), part)
  const screenshots = await openAll(
    SCREENSHOTS.flatMap((from) => files(from, 'png')),
    'png',
  )
  for (const [i, part] of parts(screenshots, count)) {
    const path = join(folder, `png/${i}.png`)
    await writePng(path, part)
    rmSync(`${path}.zlib`)
  }
  const drawings = files(corpus, 'svg')
  for (let i = 0; i < count && drawings.length > 0; i++) cpSync(drawings[i % drawings.length]!, join(folder, `svg/${i}.svg`))
}

/** Decodes the pictures that are not smaller than a part. Other colour spaces and damaged files are skipped. */
async function openAll(paths: readonly string[], format: 'jpg' | 'png'): Promise<Picture[]> {
  const opened: Picture[] = []
  for (const path of paths) {
    try {
      const size = await sizeOf(path, format)
      if (size.width < WIDTH || size.height < HEIGHT) continue
      const strips: Uint8Array[] = []
      for await (const strip of decodedRows(format, memorySource(new Uint8Array(readFileSync(path)), path), size))
        strips.push(strip.slice())
      const rgba = Buffer.concat(strips)
      if (rgba.length === size.width * size.height * 4) opened.push({ ...size, rgba })
    } catch (error) {
      console.log(`  ${path} is not used: ${error instanceof Error ? error.message : error}`)
    }
  }
  return opened
}

/** Reduces a picture to half of its width and height, if a part still fits. */
function halved(picture: Picture): Picture {
  const [width, height] = [picture.width >> 1, picture.height >> 1]
  if (width < WIDTH || height < HEIGHT) return picture
  const rgba = new Uint8Array(width * height * 4)
  const stride = picture.width * 4
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * 2 * stride + x * 8
      for (let c = from; c < from + 4; c++)
        rgba[to++] = (picture.rgba[c]! + picture.rgba[c + 4]! + picture.rgba[c + stride]! + picture.rgba[c + stride + 4]! + 2) >> 2
    }
  }
  return { width, height, rgba }
}

/** Fractions of the golden ratio and of its counterpart in two dimensions: any number of positions is spread evenly. */
const [STEP_X, STEP_Y] = [0.7548776662, 0.5698402909]

/** Yields `count` parts, from each picture in turn, with their number. */
function* parts(pictures: readonly Picture[], count: number): Generator<[number, Photo]> {
  for (let i = 0; i < count && pictures.length > 0; i++) {
    const picture = pictures[i % pictures.length]!
    const left = Math.floor(((i * STEP_X) % 1) * (picture.width - WIDTH + 1))
    const top = Math.floor(((i * STEP_Y) % 1) * (picture.height - HEIGHT + 1))
    yield [i, { width: WIDTH, height: HEIGHT, strips: () => strip(picture, left, top) }]
  }
}

function* strip({ width, rgba }: Picture, left: number, top: number): Generator<Uint8Array> {
  const rgb = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let y = 0, to = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const from = ((top + y) * width + left + x) * 4
      for (let c = 0; c < 3; c++) rgb[to++] = rgba[from + c]!
    }
  }
  yield rgb
}
