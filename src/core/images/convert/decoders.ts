/** Decodes results of every output format to RGBA rows of 8 bits, as viewers show them. */
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import type { PictureOutput } from '../../catalog/outputs.ts'
import type { Source } from '../../model/codec.ts'
import { freedChunks, readAll } from '../../model/source.ts'
import { gridRows } from '../avif/grid.ts'
import { AvifCodec, discardPixels } from '../avif/libaom.ts'
import { asRgba, type Raster } from '../raster/raster.ts'

type Size = Pick<Raster, 'width' | 'height'>

/**
 * Yields strips of whole rows, each valid until the next one is requested. The strips end early if `file` is damaged or has another size.
 */
export function decodedRows(output: string, file: Source, size: Size): AsyncIterable<Uint8Array> {
  const decode = DECODERS[output]
  if (!decode) throw new RangeError(`no decoder for ${output}`)
  return decode(file, size)
}

type Decoder = (file: Source, size: Size) => AsyncIterable<Uint8Array>

const DECODERS: { readonly [output: string]: Decoder | undefined } = {
  png: async function* (file, size) {
    const { pngRows } = await withEngines(import('../../../../wasm/png/png.ts'))
    for await (const { rows, info } of pngRows(file.stream(), 'rgba8')) {
      if (info.header.width !== size.width || info.header.height !== size.height) return
      yield rows
      discard(rows)
    }
  },
  webp: async function* (source, { width, height }) {
    const { decodeWebp, WebpRows } = await withEngines(import('../../../../wasm/webp/webp.ts'))
    const file = await readAll(source)
    using rows = WebpRows.open(file, width, height)
    if (rows) return yield* rows.strips()
    const whole = decodeWebp(file, width, height)
    if (whole) yield whole
  },
  jpg: async function* (file, { width, height }) {
    using jpeg = await JpegRows.open(freedChunks(file), { colour: 'rgb' })
    if (jpeg.width === width && jpeg.height === height) yield* asRgba({ width, height, channels: 3, rows: () => jpeg.strips(64) }).rows()
  },
  avif: async function* (source, { width, height }) {
    const file = await readAll(source)
    const grid = gridRows(file, width, height)
    if (grid) return yield* grid
    using codec = await AvifCodec.open('decoder')
    const decoded = codec.decode(file)
    if (!decoded) return
    if (decoded.width === width && decoded.height === height)
      yield new Uint8Array(decoded.pixels.buffer, decoded.pixels.byteOffset, decoded.pixels.length)
    discardPixels(decoded)
  },
  jxl: async function* (file, size) {
    const { jxlRows } = await withEngines(import('../jxl/decode.ts'))
    yield* jxlRows(file, size)
  },
} satisfies Readonly<Record<PictureOutput, Decoder>>
