/** What the encoders of `raster/` are asked for, and what they hand back. */
import type { Options } from '../codec/codec.ts'
import type { Target } from '../quality/levels.ts'

export interface Wish {
  readonly target: Target
  /** Bytes the result may have at most (`target_size`); the best quality that fits, floors kept. */
  readonly targetSize?: number | undefined
  /** Only an exact result will do. */
  readonly lossless?: boolean | undefined
  /** The picture was never lossy: an exact result is worth a try. */
  readonly pristine: boolean
  /** Bytes at which the result stops being of use: the size of the upload. */
  readonly sizeLimit: number
  readonly options: Options
}

export type Encoded = {
  readonly chunks: readonly Uint8Array[]
  readonly step: string
} & ({ readonly fidelity: 'lossless' } | { readonly fidelity: 'perceptual'; readonly ssim: number; readonly psnrDb: number })

/** Colour may be this much noisier than luma: the eye sees less of it. */
export const COLOUR_ALLOWANCE_DB = 5

export interface Figures {
  readonly ssim: number
  readonly psnrDb: number
  readonly colourPsnrDb: number
}

export function reaches(figures: Figures, target: Pick<Target, 'ssim' | 'psnrDb'>, slack: { ssim: number; psnrDb: number }): boolean {
  return (
    figures.ssim >= target.ssim + slack.ssim &&
    figures.psnrDb >= target.psnrDb + slack.psnrDb &&
    figures.colourPsnrDb >= target.psnrDb - COLOUR_ALLOWANCE_DB
  )
}

/**
 * Lowest whole number in a range for which `holds`, by bisection, or the upper end. The tree of probes is the same for
 * every target, so a lower target never ends higher.
 */
export async function lowest(from: number, to: number, holds: (value: number) => Promise<boolean>): Promise<number> {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >> 1
    if (await holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Highest whole number in a range for which `fits`, by bisection; undefined when none does. */
export async function highest(from: number, to: number, fits: (value: number) => Promise<boolean>): Promise<number | undefined> {
  const first = await lowest(from, to + 1, async (value) => !(await fits(value)))
  return first === from ? undefined : first - 1
}
