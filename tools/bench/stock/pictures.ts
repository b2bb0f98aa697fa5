/** Generates photographs of any size from mirrored copies of `docs/photo.jpg`, so that there are no edges between copies. */
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflate } from 'node:zlib'
import '../../wasm-hook.ts'

/** Imported dynamically, after the hook for Wasm imports is installed. */
const { encodeRows, JpegRows } = await import('../../../wasm/jpeg/jpeg.ts')

export interface Photo {
  readonly width: number
  readonly height: number
  /** Yields RGB strips of up to 64 rows. */
  strips(): Generator<Uint8Array>
}

const STRIP_ROWS = 64

/** Returns a 4:3 photograph with about this many megapixels. */
export async function photoOf(megapixels: number): Promise<Photo> {
  const rows = await JpegRows.open(readFileSync('docs/photo.jpg'), { colour: 'natural' })
  const parts: Uint8Array[] = []
  for (let part = await rows.read(STRIP_ROWS); part; part = await rows.read(STRIP_ROWS)) parts.push(part)
  const tile = Buffer.concat(parts)
  const { width: tileWidth, height: tileHeight } = rows
  const width = 16 * Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3) / 16)
  const height = Math.round((width * 3) / 4)
  const columns = Uint32Array.from({ length: width }, (_, x) => 3 * mirrored(x, tileWidth))
  return {
    width,
    height,
    *strips() {
      for (let top = 0; top < height; top += STRIP_ROWS) {
        const strip = new Uint8Array(Math.min(STRIP_ROWS, height - top) * width * 3)
        for (let y = top, to = 0; to < strip.length; y++) {
          const row = 3 * tileWidth * mirrored(y, tileHeight)
          for (const column of columns) for (let c = 0; c < 3; c++) strip[to++] = tile[row + column + c] ?? 0
        }
        yield strip
      }
    },
  }
}

/** Returns 0, 1, … n − 1, n − 1, … 1, 0, 0, 1, … for at = 0, 1, 2, … */
const mirrored = (at: number, n: number) => (Math.floor(at / n) % 2 ? n - 1 - (at % n) : at % n)

/** Writes a JPEG as cameras do: quality 92, chroma halved. */
export async function writeJpeg(path: string, photo: Photo): Promise<void> {
  const { width, height } = photo
  const { chunks } = await encodeRows({ width, height, pixels: 'rgb', quality: 92, scans: 'sequential' }, photo.strips())
  writeFileSync(path, Buffer.concat(chunks))
}

/** Writes a PNG as simple programs do: filter 1 (Sub) in every row, zlib level 6. */
export async function writePng(path: string, photo: Photo): Promise<void> {
  const deflated = `${path}.zlib`
  await pipeline(Readable.from(filtered(photo)), createDeflate({ level: 6 }), createWriteStream(deflated))
  const head = Buffer.alloc(13)
  head.writeUInt32BE(photo.width, 0)
  head.writeUInt32BE(photo.height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const out = createWriteStream(path)
  out.write(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  out.write(chunk('IHDR', head))
  for await (const piece of createReadStream(deflated, { highWaterMark: 1 << 20 })) out.write(chunk('IDAT', piece as Buffer))
  await new Promise<void>((resolve) => out.end(chunk('IEND', Buffer.alloc(0)), () => resolve()))
}

function chunk(type: string, data: Uint8Array): Buffer {
  const out = Buffer.alloc(data.length + 12)
  out.writeUInt32BE(data.length, 0)
  out.write(type, 4, 'latin1')
  out.set(data, 8)
  out.writeUInt32BE(crc32(out.subarray(4, -4)), data.length + 8)
  return out
}

/** Yields samples after PNG's filter 1 (Sub), which is the input of Deflate. */
export function* filtered(photo: Photo): Generator<Uint8Array> {
  const stride = photo.width * 3
  for (const strip of photo.strips()) {
    const rows = strip.length / stride
    const out = new Uint8Array(strip.length + rows)
    for (let row = 0, to = 0; row < rows; row++) {
      out[to++] = 1
      for (let x = 0; x < stride; x++) out[to++] = (strip[row * stride + x] ?? 0) - (x < 3 ? 0 : (strip[row * stride + x - 3] ?? 0))
    }
    yield out
  }
}
