/**
 * Measures HDR pictures in their own transfer function.
 * SSIM and PSNR compare the stored samples at 16 bits, because equal steps of PQ and HLG look equal. SSIMULACRA 2 supports SDR only. The
 * picture is therefore decoded to linear light and converted to SDR at several exposures: diffuse white, eight times that, and the
 * brightest light of PQ. The worst score counts.
 */

import { minOf } from '../../bytes/min-max.ts'
import { exp, pow } from '../../bytes/same-math.ts'
import { MAX_MEASURED_WIDTH, MIN_SCORED_SIDE, ScoreMeter } from '../../metrics/perceptual.ts'
import { type Similarity, SimilarityMeter } from '../../metrics/ssim-psnr.ts'
import { type ColourSignalling, HLG, isHdr, PQ } from '../raster/colour-signalling.ts'
import type { Raster16 } from '../raster/raster16.ts'

export type HdrFigures = Similarity & {
  /** SSIMULACRA 2 score of the worst exposure. `undefined`: the picture is too small or too wide. */
  readonly score: number | undefined
}

/** White levels of the exposures in cd/m²: diffuse white of HDR pictures (ITU-R BT.2408), and two brighter ones. */
const WHITES = [203, 1_624, 10_000]
const HLG_PEAK = 1_000
/** System gamma of HLG at its peak (BT.2100, table 5). */
const HLG_GAMMA = 1.2

/** Light in cd/m² of a PQ signal from 0 to 1 (SMPTE ST 2084). */
export function pqLight(signal: number): number {
  const [m1, m2, c1, c2, c3] = [2610 / 16384, (2523 / 4096) * 128, 3424 / 4096, (2413 / 4096) * 32, (2392 / 4096) * 32]
  const power = pow(signal, 1 / m2)
  return 10_000 * pow(Math.max(0, power - c1) / (c2 - c3 * power), 1 / m1)
}

/** Light in cd/m² of an HLG signal on a screen of `HLG_PEAK` (BT.2100, table 5), for a single channel. */
export function hlgLight(signal: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073]
  const scene = signal <= 0.5 ? signal ** 2 / 3 : (exp((signal - c) / a) + b) / 12
  return HLG_PEAK * pow(scene, HLG_GAMMA)
}

/** Table of 8-bit sRGB samples for all 16-bit samples, with `white` cd/m² as white. */
function exposure(light: (signal: number) => number, white: number): Uint8Array {
  return Uint8Array.from({ length: 65536 }, (_, sample) => {
    const linear = Math.min(1, light(sample / 65535) / white)
    return Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055))
  })
}

const EIGHT_BITS = Uint8Array.from({ length: 65536 }, (_, sample) => Math.round(sample / 257))

function exposures(signalling: ColourSignalling): readonly Uint8Array[] {
  if (!isHdr(signalling)) return [EIGHT_BITS]
  const light = { [PQ]: pqLight, [HLG]: hlgLight }[signalling.transfer] ?? pqLight
  const most = light(1)
  // Stop at the exposure that shows the brightest light; further ones would only be darker.
  const last = WHITES.findIndex((white) => white >= most)
  return WHITES.slice(0, last < 0 ? undefined : last + 1).map((white) => exposure(light, white))
}

/** Compares 16-bit RGBA rows of a picture and its result. */
export class HdrMeter implements Disposable {
  readonly #similarity: SimilarityMeter
  readonly #scores: readonly { readonly table: Uint8Array; readonly meter: ScoreMeter }[]
  readonly #channels: 3 | 4

  constructor({ width, height }: Pick<Raster16, 'width' | 'height'>, signalling: ColourSignalling, hasAlpha: boolean) {
    this.#channels = hasAlpha ? 4 : 3
    this.#similarity = new SimilarityMeter(width, height, 4, 16)
    const isScored = Math.min(width, height) >= MIN_SCORED_SIDE && width <= MAX_MEASURED_WIDTH
    this.#scores = (isScored ? exposures(signalling) : []).map((table) => ({ table, meter: new ScoreMeter(width, height, this.#channels) }))
  }

  push(reference: Uint16Array, candidate: Uint16Array): void {
    const bytes = (row: Uint16Array) => new Uint8Array(row.buffer, row.byteOffset, row.byteLength)
    this.#similarity.push(bytes(reference), bytes(candidate))
    for (const { table, meter } of this.#scores) meter.push(this.#shown(reference, table), this.#shown(candidate, table))
  }

  #shown(row: Uint16Array, table: Uint8Array): Uint8Array {
    const channels = this.#channels
    const out = new Uint8Array((row.length / 4) * channels)
    for (let from = 0, to = 0; from < row.length; from += 4, to += channels) {
      for (let c = 0; c < 3; c++) out[to + c] = table[row[from + c]!]!
      if (channels === 4) out[to + 3] = EIGHT_BITS[row[from + 3]!]!
    }
    return out
  }

  finish(): HdrFigures {
    const found = this.#similarity.finish()
    const scores = this.#scores.flatMap(({ meter }) => meter.finish() ?? [])
    return { ...found, score: scores.length > 0 ? minOf(scores) : undefined }
  }

  [Symbol.dispose](): void {
    this.#similarity[Symbol.dispose]()
    for (const { meter } of this.#scores) meter[Symbol.dispose]()
  }
}
