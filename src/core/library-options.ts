/** Checks the options of `compress`, and converts them to those of a job. */

import { DOCUMENT_DPI } from './catalog/levels.ts'
import type { MetadataMode } from './catalog/metadata.ts'
import type { KnownFormat } from './catalog/outputs.ts'
import { TARGET_SCORES } from './catalog/score-goal.ts'
import type { Quality } from './model/codec.ts'

/** Options of `compress` that depend on the format. */
interface FormatOptions {
  readonly quality?: Quality
  readonly metadata?: MetadataMode
  readonly targetScore?: number
  readonly targetSize?: number
  readonly maxWidth?: number
  readonly maxHeight?: number
  readonly dpi?: number
  readonly lossless?: boolean
}

/**
 * Checks the options for a file of this format.
 * @throws RangeError if an option is out of its range, or the format does not have it
 */
export function checkOptions(format: KnownFormat, options: FormatOptions): void {
  const { quality, metadata, maxWidth, maxHeight, lossless } = options
  if (quality === 'ultra' && !format.ultra) throw new RangeError(`${format.title} has no quality 'ultra'; use 'low', 'medium' or 'high'`)
  if (metadata && metadata !== 'keep' && !format.metadata)
    throw new RangeError(`the metadata of ${format.title} files cannot be removed; 'metadata' must be 'keep'`)
  checkTargetScore(format, options)
  checkDpi(format, options)
  for (const [name, pixels] of Object.entries({ maxWidth, maxHeight })) {
    if (pixels === undefined) continue
    if (!Number.isSafeInteger(pixels) || pixels < 1)
      throw new RangeError(`'${name}' must be a whole number of pixels from 1, got ${pixels}`)
    if (!format.resizes) throw new RangeError(`a file of the format ${format.title} cannot be reduced to '${name}'`)
    if (lossless) throw new RangeError(`'${name}' cannot be combined with 'lossless'`)
  }
}

function checkDpi({ title, hasPages }: KnownFormat, { dpi }: FormatOptions): void {
  if (dpi === undefined) return
  const { least, most } = DOCUMENT_DPI
  if (!(dpi >= least && dpi <= most)) throw new RangeError(`'dpi' must be a number from ${least} to ${most}, got ${dpi}`)
  if (!hasPages) throw new RangeError(`'dpi' needs a document with pages, and the format ${title} has none`)
}

function checkTargetScore(format: KnownFormat, { quality, targetScore, targetSize }: FormatOptions): void {
  if (targetScore === undefined) return
  const { least, most } = TARGET_SCORES
  if (!(targetScore >= least && targetScore <= most))
    throw new RangeError(`'targetScore' must be a number from ${least} to ${most}, got ${targetScore}`)
  if (!format.scored) throw new RangeError(`'targetScore' needs pictures, and the format ${format.title} has none`)
  for (const [name, value] of Object.entries({ quality, targetSize }))
    if (value !== undefined) throw new RangeError(`'targetScore' cannot be combined with '${name}'`)
}
