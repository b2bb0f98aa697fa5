/** Compares the figures of a receipt with figures that were measured again. */

import type { FormatId } from '../catalog/index.ts'
import type { OutputId } from '../catalog/outputs.ts'
import { NO_STILL_PICTURE, type PictureLoss } from '../model/loss.ts'
import { FILMS, isFilmResult } from './film-result.ts'
import { type Finding, finding, unchecked } from './finding.ts'
import type { Measured } from './measure.ts'
import type { Claims } from './receipt.ts'

/**
 * How far a claimed figure may exceed the measured one: SSIM, SSIM of films, PSNR in dB, SSIMULACRA 2 points. Decoders round
 * differently, and the SSIM of large pictures and films is sampled.
 */
const TOLERANCE = { ssim: 0.002, filmSsim: 0.005, decibels: 0.2, points: 0.5 }

/** Checks each figure of a receipt. A claim may be lower than the measured figure, but not higher. A lossy result must have figures. */
export function figureFindings(claims: Claims, { loss, unmeasured }: Measured, format: FormatId, output: OutputId): Finding[] {
  const { ssim, psnr_db, snr_db, mean_ssim, mean_psnr_db } = claims.result
  const isFilm = isFilmResult(format, output)
  const pictures = loss?.pictures
  const ssimTolerance = isFilm ? TOLERANCE.filmSsim : TOLERANCE.ssim
  const rows = [
    { field: 'ssim', claimed: ssim, measured: pictures?.ssim, tolerance: ssimTolerance },
    { field: 'psnr_db', claimed: psnr_db, measured: pictures?.psnrDb, tolerance: TOLERANCE.decibels },
    { field: 'mean_ssim', claimed: mean_ssim, measured: pictures?.mean?.ssim, tolerance: ssimTolerance },
    { field: 'mean_psnr_db', claimed: mean_psnr_db, measured: pictures?.mean?.psnrDb, tolerance: TOLERANCE.decibels },
    // The codec of a film verifies the receipt's `snr_db` itself.
    ...(isFilm ? [] : [{ field: 'snr_db', claimed: snr_db, measured: loss?.sound?.snrDb, tolerance: TOLERANCE.decibels }]),
  ]
  const figures = rows.flatMap((row) => figureFinding(row, unmeasured))
  return [...figures, ...scoreFinding(claims, pictures, unmeasured), ...measuredAtFinding(claims, format), ...shareFinding(claims, format)]
}

/** Checks the claimed SSIMULACRA 2 score. Receipts of older releases have none. */
function scoreFinding(
  { result: { ssimulacra2: claimed } }: Claims,
  pictures: PictureLoss | undefined,
  unmeasured: readonly string[],
): Finding[] {
  const field = 'ssimulacra2'
  if (claimed === undefined) return []
  if (pictures && pictures.ssimulacra2 === undefined) return [unchecked(field, 'SSIMULACRA 2 cannot be measured for these pictures')]
  if (pictures?.ssimulacra2 !== NO_STILL_PICTURE)
    return figureFinding({ field, claimed, measured: pictures?.ssimulacra2, tolerance: TOLERANCE.points }, unmeasured)
  return [finding(field, false, `the receipt says ${claimed}, but the file has no still picture of at least 64 × 64 pixels`)]
}

interface Row {
  readonly field: string
  readonly claimed: number | undefined
  readonly measured: number | undefined
  readonly tolerance: number
}

function figureFinding({ field, claimed, measured, tolerance }: Row, unmeasured: readonly string[]): Finding[] {
  if (claimed === undefined) {
    // Infinity means that no luma sample changed, so the receipt has no figure.
    if (measured === undefined || measured === Number.POSITIVE_INFINITY) return []
    return [finding(field, false, `the receipt has no value, measured ${formatFigure(measured)}`)]
  }
  if (measured === undefined) return [unchecked(field, unmeasured.join(', ') || 'there is no difference to measure')]
  const isTrue = claimed <= measured + tolerance
  const partly = isTrue && unmeasured.length > 0
  return [
    finding(field, isTrue, `the receipt says ${claimed}, measured ${formatFigure(measured)}`),
    ...(partly ? [unchecked(field, `not measured: ${unmeasured.join(', ')}`)] : []),
  ]
}

const formatFigure = (figure: number) => (figure === Number.POSITIVE_INFINITY ? 'no difference' : figure.toFixed(4))

/** Checks that `measured_at` names a place that exists in this format: a second of a film, pixels, or a PDF page at 144 dpi. */
function measuredAtFinding({ result: { measured_at } }: Claims, format: FormatId): Finding[] {
  if (measured_at === undefined) return []
  const possible = FILMS.has(format) ? ['second'] : ['pixels', ...(format === 'pdf' ? ['page_144dpi'] : [])]
  return [
    finding(
      'measured_at',
      possible.includes(measured_at),
      `the receipt says '${measured_at}'; allowed for ${format}: ${possible.join(', ')}`,
    ),
  ]
}

/** Checks the verified share: 1 for all formats except films, where any share above 0 is allowed. */
function shareFinding({ result: { verified_share } }: Claims, format: FormatId): Finding[] {
  if (verified_share === undefined) return []
  const isTrue = FILMS.has(format) ? verified_share > 0 && verified_share <= 1 : verified_share === 1
  return [
    finding(
      'verified_share',
      isTrue,
      `the receipt says ${verified_share}; allowed for ${format}: ${FILMS.has(format) ? 'above 0, at most 1' : '1'}`,
    ),
  ]
}
