/** Figures of a receipt against those that were measured anew. */

import type { FormatId } from '../catalog/index.ts'
import { NO_STILL_PICTURE, type PictureLoss } from '../model/loss.ts'
import { type Finding, finding, unchecked } from './finding.ts'
import type { Measured } from './measure.ts'
import type { Claims } from './receipt.ts'

/** By how much a claim may be above what is measured here: other decoders round in other ways, and SSIM of large pictures and of films is sampled. */
const TOLERANCE = { ssim: 0.002, filmSsim: 0.005, decibels: 0.2, points: 0.5 }

export const FILMS: ReadonlySet<FormatId> = new Set(['mp4', 'mov', 'avi'])

/** Claims may be less than what is found, never more; what lost something has figures. */
export function figureFindings(claims: Claims, { loss, unmeasured }: Measured, format: FormatId): Finding[] {
  const { ssim, psnr_db, snr_db, mean_ssim, mean_psnr_db } = claims.result
  const isFilm = FILMS.has(format)
  const pictures = loss?.pictures
  const ofSsim = isFilm ? TOLERANCE.filmSsim : TOLERANCE.ssim
  const rows = [
    { field: 'ssim', said: ssim, measured: pictures?.ssim, tolerance: ofSsim },
    { field: 'psnr_db', said: psnr_db, measured: pictures?.psnrDb, tolerance: TOLERANCE.decibels },
    { field: 'mean_ssim', said: mean_ssim, measured: pictures?.mean?.ssim, tolerance: ofSsim },
    { field: 'mean_psnr_db', said: mean_psnr_db, measured: pictures?.mean?.psnrDb, tolerance: TOLERANCE.decibels },
    // That of films is held against their receipt by their codec.
    ...(isFilm ? [] : [{ field: 'snr_db', said: snr_db, measured: loss?.sound?.snrDb, tolerance: TOLERANCE.decibels }]),
  ]
  const figures = rows.flatMap((row) => figureFinding(row, unmeasured))
  return [...figures, ...scoreFinding(claims, pictures, unmeasured), ...placeFinding(claims, format), ...shareFinding(claims, format)]
}

/** Receipts of older releases have none. */
function scoreFinding(
  { result: { ssimulacra2: said } }: Claims,
  pictures: PictureLoss | undefined,
  unmeasured: readonly string[],
): Finding[] {
  const field = 'ssimulacra2'
  if (said === undefined) return []
  if (pictures && pictures.ssimulacra2 === undefined) return [unchecked(field, 'it cannot be measured of such pictures')]
  if (pictures?.ssimulacra2 !== NO_STILL_PICTURE)
    return figureFinding({ field, said, measured: pictures?.ssimulacra2, tolerance: TOLERANCE.points }, unmeasured)
  return [finding(field, false, `the receipt says ${said}, but there is no still picture of at least 64 × 64`)]
}

interface Row {
  readonly field: string
  readonly said: number | undefined
  readonly measured: number | undefined
  readonly tolerance: number
}

function figureFinding({ field, said, measured, tolerance }: Row, unmeasured: readonly string[]): Finding[] {
  if (said === undefined) {
    // Infinity is no figure: no luma changed.
    if (measured === undefined || measured === Number.POSITIVE_INFINITY) return []
    return [finding(field, false, `the receipt has none, measured ${shown(measured)}`)]
  }
  if (measured === undefined) return [unchecked(field, unmeasured.join(', ') || 'nothing differs that it could be of')]
  const isTrue = said <= measured + tolerance
  const partly = isTrue && unmeasured.length > 0
  return [
    finding(field, isTrue, `the receipt says ${said}, measured ${shown(measured)}`),
    ...(partly ? [unchecked(field, `not measured: ${unmeasured.join(', ')}`)] : []),
  ]
}

const shown = (figure: number) => (figure === Number.POSITIVE_INFINITY ? 'no difference' : figure.toFixed(4))

/** Where the worst can have been found in a file of this format. */
function placeFinding({ result: { measured_at } }: Claims, format: FormatId): Finding[] {
  if (measured_at === undefined) return []
  const possible = FILMS.has(format) ? ['second'] : ['pixels', ...(format === 'pdf' ? ['page_144dpi'] : [])]
  return [finding('measured_at', possible.includes(measured_at), `'${measured_at}' is no place in a file of ${format}`)]
}

/** All of it, but of films. */
function shareFinding({ result: { verified_share } }: Claims, format: FormatId): Finding[] {
  if (verified_share === undefined) return []
  const isTrue = FILMS.has(format) ? verified_share > 0 && verified_share <= 1 : verified_share === 1
  return [finding('verified_share', isTrue, `${verified_share} of a file of ${format}`)]
}
