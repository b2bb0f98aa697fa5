/** CPU time of files inside other files, estimated before they are compressed (`TimeBudget`). */
import type { PictureFacts } from './image-header.ts'

/**
 * CPU seconds of pictures by kind: a fixed part, a part for each megapixel and a part for each megabyte (noisy pictures take longer).
 * Measured at all levels; the largest values are used.
 * Small PNGs are tried with every method, and the search in large photographs uses samples, so the first megabyte takes longest. PNG: 0.4
 * megapixels (0.5 MB) 3.6 s at `medium`; 0.8 (1.0 MB) 4.8 s, and 6.8 s at `low`; 1.9 (4.8 MB) 10 s.
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

/** CPU seconds of lossless JPEG recompression. Measured: 0.06 to 0.25 s a megabyte on photographs of 9 to 18 megapixels. */
const EXACT = { ofPicture: 0.02, ofMegabyte: 0.25 }

/** CPU seconds of lossless recompression. `undefined` for all kinds except JPEG, whose lossless forms need a search. */
export const exactSecondsOf = ({ kind }: PictureFacts, bytes: number): number | undefined =>
  kind === 'jpg' ? EXACT.ofPicture + (bytes * EXACT.ofMegabyte) / 1e6 : undefined

/**
 * CPU seconds of any other file. Its codec is not known yet, so the slowest (Brotli) is assumed. Additional time of vector drawings is
 * reported afterwards.
 */
const OF_A_FILE = 0.05
const OF_A_MEGABYTE = 2.5

export const secondsOfFile = (bytes: number): number => OF_A_FILE + (bytes * OF_A_MEGABYTE) / 1e6
