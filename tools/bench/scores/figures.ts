/** Measures everything that can decide a search, between a picture and its result as other programs show them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../../wasm-hook.ts'
import type { PerceptualFigures } from '../../../src/core/metrics/perceptual.ts'
import type { Similarity } from '../../../src/core/metrics/ssim-psnr.ts'
import { sizeOf } from '../seen-of.ts'
import { type BlockFigures, worstBlock } from './blocks.ts'
import { renderedWorst } from './rendered.ts'

const { memorySource } = await import('../../../src/core/model/source.ts')
const { decodedRows } = await import('../../../src/core/images/convert/decoders.ts')
const { comparePictures } = await import('../../../src/core/images/compare/compare.ts')

/** Figures of the worst frame. */
export interface SeenFigures extends PerceptualFigures, Similarity, BlockFigures {
  readonly width: number
  readonly height: number
  /** SSIMULACRA 2 by ssimulacra2_rs. `undefined`: not installed. */
  readonly strangerScore?: number | undefined
}

/** Returns the figures of both files as rendered by ImageMagick. `undefined`: it is not installed, or the sizes differ. */
export async function figuresOfRenderings(path: string, result: string): Promise<SeenFigures | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-seen-'))
  try {
    const rendered = renderedWorst(path, result, folder)
    if (!rendered) return undefined
    const size = await sizeOf(rendered.before, 'png')
    const [before, after] = [await pixelsOf(rendered.before, size), await pixelsOf(rendered.after, size)]
    if (before.length !== after.length) return undefined
    const reference = { ...size, channels: 4 as const, rows: () => inOnePiece(before) }
    const found = await comparePictures(reference, inOnePiece(after), ['perceptual', 'similarity'])
    if (!found) return undefined
    return { ...size, ...found.perceptual, ...found.similarity, ...worstBlock(before, after, size.width), strangerScore: rendered.score }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function pixelsOf(path: string, size: { width: number; height: number }): Promise<Uint8Array> {
  const rows: Uint8Array[] = []
  for await (const strip of decodedRows('png', memorySource(new Uint8Array(readFileSync(path)), path), size)) rows.push(strip.slice())
  return new Uint8Array(Buffer.concat(rows))
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes
}
