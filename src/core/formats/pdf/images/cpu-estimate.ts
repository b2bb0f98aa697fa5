/** Estimates the CPU time of recompressing an image. */
import type { ImageFacts } from './facts.ts'

/**
 * CPU seconds per picture, per megapixel and per megabyte. Measured on colour scans and on deflated noise of 64 × 64 to 1000 × 1000 pixels.
 */
const SECONDS = {
  jpeg: { ofPicture: 0.02, ofMegapixel: 0.22, ofMegabyte: 0 },
  samples: { ofPicture: 0.03, ofMegapixel: 0.22, ofMegabyte: 0.5 },
  exact: { ofPicture: 0.01, ofMegapixel: 0.06, ofMegabyte: 0 },
} as const

/** CPU seconds for a picture that is stored as JPEG or as samples, or for its lossless forms. */
export function estimateImageSeconds({ width, height, length }: ImageFacts, kind: keyof typeof SECONDS): number {
  const { ofPicture, ofMegapixel, ofMegabyte } = SECONDS[kind]
  return ofPicture + (width * height * ofMegapixel + length * ofMegabyte) / 1e6
}
