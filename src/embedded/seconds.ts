/** What files inside of others take of the processor, estimated before they are tried (`TimeBudget`). */
import type { PictureFacts } from './facts.ts'

/**
 * Seconds that pictures have taken at every level, of the largest kind: however small one is, by megapixel, and by megabyte,
 * as noise takes time. PNGs of some kilobytes are tried in every way there is.
 */
const SECONDS = {
  jpg: { ofPicture: 0.02, ofMegapixel: 0.15, ofMegabyte: 1 },
  png: { ofPicture: 0.1, ofMegapixel: 0.5, ofMegabyte: 4 },
  gif: { ofPicture: 0.01, ofMegapixel: 0.5, ofMegabyte: 2 },
  bmp: { ofPicture: 0.05, ofMegapixel: 3, ofMegabyte: 0.2 },
} as const satisfies Record<PictureFacts['kind'], object>

export function secondsOf({ kind, width, height }: PictureFacts, bytes: number): number {
  const { ofPicture, ofMegapixel, ofMegabyte } = SECONDS[kind]
  return ofPicture + (width * height * ofMegapixel + bytes * ofMegabyte) / 1e6
}

/** Of any other file, whose codec finds out what it is: Brotli takes longest. What drawings take beyond is told afterwards. */
const OF_A_FILE = 0.05
const OF_A_MEGABYTE = 2.5

export const secondsOfFile = (bytes: number): number => OF_A_FILE + (bytes * OF_A_MEGABYTE) / 1e6
