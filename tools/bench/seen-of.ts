/** Measures the perceptual figures of a result against its original, both decoded as readers do. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../wasm-hook.ts'
import type { PerceptualFigures } from '../../src/core/metrics/perceptual.ts'
import type { Source } from '../../src/core/model/codec.ts'

const { memorySource } = await import('../../src/core/model/source.ts')
const { AvifCodec } = await import('../../src/core/images/avif/libaom.ts')
const { decodedRows } = await import('../../src/core/images/convert/decoders.ts')
const { canBeScored, perceptualFiguresOf } = await import('../../src/core/images/search/perceptual-search.ts')
const { JpegRows } = await import('../../wasm/jpeg/jpeg.ts')
const { readPngInfo } = await import('../../wasm/png/png.ts')

type Input = 'jpg' | 'png'

/** Returns the figures. `undefined`: a CMYK picture, too small, or another orientation than the original (EXIF). */
export async function perceptualFiguresOfFiles(
  path: string,
  format: Input,
  result: string,
  output: Input | 'webp' | 'avif' | 'jxl',
): Promise<PerceptualFigures | undefined> {
  const [before, after] = [path, result].map((name) => memorySource(new Uint8Array(readFileSync(name)), name))
  try {
    const size = await sizeOf(path, format)
    if (!before || !after || !canBeScored(size)) return undefined
    const reference = { ...size, channels: 4 as const, rows: () => decodedRows(format, before, size) }
    const rows = output === 'avif' ? avifRows(after, size) : decodedRows(output, after, size)
    return await perceptualFiguresOf(reference, rows)
  } catch {
    return undefined
  }
}

/**
 * Returns the figures of both files as rendered by ImageMagick (of animations, the first frame). `undefined`: ImageMagick is not installed.
 */
export async function perceptualFiguresOfRenderings(path: string, result: string): Promise<PerceptualFigures | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-seen-'))
  const [before, after] = [join(folder, 'before.png'), join(folder, 'after.png')]
  const isRendered =
    spawnSync('convert', [`${path}[0]`, `PNG32:${before}`]).status === 0 &&
    spawnSync('convert', [`${result}[0]`, `PNG32:${after}`]).status === 0
  const figures = isRendered ? await perceptualFiguresOfFiles(before, 'png', after, 'png') : undefined
  rmSync(folder, { recursive: true })
  return figures
}

export async function sizeOf(path: string, format: Input): Promise<{ width: number; height: number }> {
  const bytes = new Uint8Array(readFileSync(path))
  if (format === 'png') return (await readPngInfo(inOnePiece(bytes))).header
  using jpeg = await JpegRows.open(bytes, { colour: 'rgb' })
  return { width: jpeg.width, height: jpeg.height }
}

/** Decodes the AVIF files of every encoder. The decoder of results reads only those of Whittle. */
async function* avifRows(file: Source, size: { width: number; height: number }): AsyncGenerator<Uint8Array> {
  using codec = await AvifCodec.open('decoder')
  const decoded = codec.decode(new Uint8Array(await file.read(0, file.size)))
  if (decoded?.width === size.width && decoded.height === size.height) yield new Uint8Array(decoded.pixels)
  else yield* decodedRows('avif', file, size)
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes
}
