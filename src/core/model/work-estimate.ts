/** Estimates of CPU time, computed from the headers of a file before anything is decoded. Measured on one core of 2.5 GHz. */
import type { Family } from '../catalog/format.ts'
import { message } from '../i18n/message.ts'
import type { Options } from './codec.ts'
import { overBudget } from './error.ts'

/** Format families that take about five times as long per byte: 4 to 11 s/MB measured, other families 0.4 to 2 s/MB. */
const SLOW_FAMILIES: readonly Family[] = ['document', 'ebook', 'video']
const SECONDS_PER_MB = 1.2
const SLOW_SECONDS_PER_MB = 6

/** CPU seconds that a file of `bytes` takes on average. Single files may take a fifth or five times as much. */
export const averageSeconds = (family: Family | undefined, bytes: number): number =>
  (bytes / 1e6) * (family !== undefined && SLOW_FAMILIES.includes(family) ? SLOW_SECONDS_PER_MB : SECONDS_PER_MB)

/** CPU seconds for each MB of decoded rows in an animated PNG. Measured: 29.4 s for 192 MB. */
const PNG_SECONDS_PER_MB = 0.153
/** CPU seconds for each million frame pixels of an animated GIF. Measured: 0.06 to 0.25. */
const GIF_SECONDS_PER_MEGAPIXEL = 0.153

/** Estimated CPU seconds for an animated PNG whose frames have `rowBytes` bytes of decoded rows together. */
export const animatedPngSeconds = (rowBytes: number): number => (rowBytes / 1e6) * PNG_SECONDS_PER_MB

/** Estimated CPU seconds for an animated GIF whose frames have `pixels` pixels together. */
export const animatedGifSeconds = (pixels: number): number => (pixels / 1e6) * GIF_SECONDS_PER_MEGAPIXEL

/**
 * Refuses work that the caller does not pay for. All files embedded in one container also share its time budget.
 * @throws CodecError `over_budget` if `seconds` exceeds `maxWorkSeconds` or the rest of the time budget
 */
export function checkWork(seconds: number, { maxWorkSeconds, inner }: Pick<Options, 'maxWorkSeconds' | 'inner'>): void {
  if (maxWorkSeconds !== undefined && seconds > maxWorkSeconds)
    throw overBudget(message('work_over_limit', { seconds: Math.ceil(seconds), limit: Math.floor(maxWorkSeconds) }))
  if (inner.depth > 0 && inner.time?.take(seconds, 'file') === false) throw overBudget('file_left_for_want_of_time')
}
