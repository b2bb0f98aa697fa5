/** What files inside of others take of the processor, estimated before they are tried (`TimeBudget`). */
import type { PictureFacts } from './image-header.ts'

/**
 * Seconds that pictures have taken at every level, of the largest kind: however small one is, by megapixel, and by megabyte,
 * as noise takes time. PNGs of some kilobytes are tried in every way there is; of large photographs the search sees samples, so that
 * the first megabyte takes the most: 0.4 megapixels (0.5 MB) 3.6 s at `medium`, 0.8 (1.0 MB) 4.8, at `low` 6.8, 1.9 (4.8 MB) 10.
 */
const SECONDS = {
  jpg: { ofPicture: 0.02, ofMegapixel: 0.15, ofFirstMegabyte: 1, ofMegabyte: 1 },
  png: { ofPicture: 0.1, ofMegapixel: 0.5, ofFirstMegabyte: 5.5, ofMegabyte: 2 },
  gif: { ofPicture: 0.01, ofMegapixel: 0.5, ofFirstMegabyte: 2, ofMegabyte: 2 },
  bmp: { ofPicture: 0.05, ofMegapixel: 3, ofFirstMegabyte: 0.5, ofMegabyte: 0.5 },
} as const satisfies Record<PictureFacts['kind'], object>

export function secondsOf({ kind, width, height }: PictureFacts, bytes: number): number {
  const { ofPicture, ofMegapixel, ofFirstMegabyte, ofMegabyte } = SECONDS[kind]
  const first = Math.min(bytes, 1e6)
  return ofPicture + (width * height * ofMegapixel + first * ofFirstMegabyte + (bytes - first) * ofMegabyte) / 1e6
}

/** Without loss: nothing is searched for. 0.06 to 0.25 s a megabyte were measured of photographs of 9 to 18 megapixels. */
const EXACT = { ofPicture: 0.02, ofMegabyte: 0.25 }

/** Of a JPEG whose coefficients stay; undefined of other kinds, whose exact forms are searched for, too. */
export const exactSecondsOf = ({ kind }: PictureFacts, bytes: number): number | undefined =>
  kind === 'jpg' ? EXACT.ofPicture + (bytes * EXACT.ofMegabyte) / 1e6 : undefined

/** Of any other file, whose codec finds out what it is: Brotli takes longest. What drawings take beyond is told afterwards. */
const OF_A_FILE = 0.05
const OF_A_MEGABYTE = 2.5

export const secondsOfFile = (bytes: number): number => OF_A_FILE + (bytes * OF_A_MEGABYTE) / 1e6
