/** Two PNG pictures side by side, measured at the depth of the upload: rounding sixteen bits to eight counts, too. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { type PictureHeader, PngEngine } from '../../../../wasm/png/engine.ts'
import { type Bytes, pngRows } from '../../../../wasm/png/png.ts'
import { leastOf } from '../../bytes/min-max.ts'
import { type Similarity, SimilarityMeter } from '../../metrics/ssim-psnr.ts'

import type { PngFile } from './file.ts'

type Rows = AsyncGenerator<{ rows: Uint8Array }>

/** Figures of a stored result against the upload, or what is wrong with its rows. Both must be as large as `header` says. */
export async function similarityOf(original: Bytes, result: Bytes, header: PictureHeader): Promise<Similarity | string> {
  const form = header.bitDepth === 16 ? 'rgba16' : 'rgba8'
  return measure(pngRows(original, form), pngRows(result, form), header)
}

/** Figures of the same picture with eight bits a sample. */
export async function similarityOfRounding(picture: () => Bytes, header: PictureHeader): Promise<Similarity | string> {
  return measure(pngRows(picture(), 'rgba16'), widened(pngRows(picture(), 'rgba8')), header)
}

/** Samples of eight bits as samples of sixteen: 255 is 65535. */
async function* widened(narrow: Rows): Rows {
  for await (const { rows } of narrow) {
    const wide = new Uint8Array(rows.length * 2)
    for (let i = 0; i < rows.length; i++) wide[2 * i] = wide[2 * i + 1] = rows[i]!
    discard(rows)
    yield { rows: wide }
  }
}

async function measure(left: Rows, right: Rows, { width, height, bitDepth }: PictureHeader): Promise<Similarity | string> {
  const bits = bitDepth === 16 ? 16 : 8
  using meter = new SimilarityMeter(width, height, 4, bits)
  const rowBytes = (width * 4 * bits) / 8
  const sides = [left, right]
  let rest: Uint8Array[] = sides.map(() => new Uint8Array())
  for (let rows = 0; rows < height; ) {
    rest = await Promise.all(
      rest.map(async (bytes, i) => {
        if (bytes.length) return bytes
        const next = await sides[i]?.next()
        return next && !next.done ? next.value.rows : new Uint8Array()
      }),
    )
    const ready = leastOf(rest.map(({ length }) => length))
    if (ready === 0) return `only ${rows} of ${height} rows`
    const [a, b] = rest.map((bytes) => bytes.subarray(0, ready))
    if (a && b) meter.push(a, b)
    rest = rest.map((bytes) => {
      if (bytes.length > ready) return bytes.subarray(ready)
      discard(new Uint8Array(bytes.buffer))
      return new Uint8Array()
    })
    rows += ready / rowBytes
  }
  for (const side of sides) await side.return?.(undefined)
  return meter.finish()
}

/** Equal for equal samples, whatever their form. */
export async function digestOf(file: PngFile): Promise<bigint> {
  using engine = new PngEngine(file.header)
  engine.begin('digest')
  await file.visit(engine)
  return engine.digest()
}
