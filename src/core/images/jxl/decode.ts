/** Decodes still JPEG XL pictures, and reads the metadata boxes of their container. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JxlPixels } from '../../../../wasm/jxl-decoder/jxl-decoder.ts'
import { JobMemory } from '../../../../wasm/memories/memories.ts'
import { boxes } from '../../containers/isobmff/box.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { memorySource, readAll } from '../../model/source.ts'
import { asRgba, type Raster } from '../raster/raster.ts'

type Size = Pick<Raster, 'width' | 'height'>

/**
 * Decodes a file to 8 bits a sample and runs `work` with its rows and its ICC profile, which are valid during the call. Returns its result,
 * or a text that says why the file cannot be decoded: damaged, an animation, more than `mostPixels` pixels.
 * @throws EngineError `memory`
 */
export async function withJxl<Result>(
  file: Source,
  mostPixels: number,
  work: (picture: Raster, icc: Uint8Array) => Promise<Result>,
): Promise<Result | string> {
  using memory = new JobMemory()
  try {
    using pixels = await JxlPixels.open({ chunks: file.stream(), size: file.size }, { memory, mostPixels })
    return await work(rasterOf(pixels), pixels.icc)
  } catch (error) {
    if (isEngineError(error, 'jxl') && error.failure !== 'memory') return error.message
    throw error
  }
}

/**
 * Yields RGBA strips of a result of this size. They end early if `file` is damaged or has another size.
 * @param memory memory of the engine. `undefined`: one from the pool
 */
export async function* jxlRows(file: Source, { width, height }: Size, memory?: JobMemory): AsyncGenerator<Uint8Array> {
  using own = memory ? undefined : new JobMemory()
  const pixels = await JxlPixels.open(
    { chunks: file.stream(), size: file.size },
    { memory: memory ?? own ?? new JobMemory(), mostPixels: width * height },
  ).catch(unlessDamaged)
  if (!pixels) return
  using _ = pixels
  if (pixels.width === width && pixels.height === height) yield* asRgba(rasterOf(pixels)).rows()
}

function unlessDamaged(error: unknown): undefined {
  if (!isEngineError(error, 'jxl') || error.failure === 'memory') throw error
}

const rasterOf = (pixels: JxlPixels): Raster => ({
  width: pixels.width,
  height: pixels.height,
  channels: pixels.channels,
  async *rows() {
    yield* pixels.strips()
  },
})

/** A result in memory, as RGBA, for audits. @throws CodecError if it cannot be decoded */
export async function jxlRaster(file: Source, mostPixels: number): Promise<Raster> {
  const strips: Uint8Array[] = []
  const size = await withJxl(file, mostPixels, async (picture) => {
    for await (const strip of asRgba(picture).rows()) strips.push(strip.slice())
    return { width: picture.width, height: picture.height }
  })
  if (typeof size === 'string') throw malformed('jxl', 0, message('engine_reports', { problem: size }))
  return {
    ...size,
    channels: 4,
    async *rows() {
      // Readers may discard what they get.
      for (const strip of strips) yield strip.slice()
    },
  }
}

/** Metadata of a container (ISO/IEC 18181-2): the contents of its boxes. EXIF begins with its TIFF header. */
export interface JxlMetadata {
  readonly exif?: Uint8Array | undefined
  readonly xmp?: Uint8Array | undefined
}

/** Bytes of the offset of the TIFF header in an Exif box. */
const EXIF_OFFSET_BYTES = 4

export async function metadataOfJxl(file: Source): Promise<JxlMetadata> {
  const bytes = await readAll(file)
  const all = [...boxes(bytes, 0, bytes.length)]
  const content = (type: string) => {
    const found = all.find((box) => box.type === type)
    return found && bytes.subarray(found.body, found.end)
  }
  return { exif: content('Exif')?.subarray(EXIF_OFFSET_BYTES), xmp: content('xml ') }
}

/** Source of a file in pieces. */
export const sourceOfPieces = (pieces: readonly Uint8Array[]): Source => {
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  const file = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    file.set(piece, at)
    at += piece.length
  }
  return memorySource(file, '')
}
