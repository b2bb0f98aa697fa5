/** Memory of decoding HEIF pictures. Constants without a source were measured with the project's fixtures. */
import type { Coding } from '../../containers/heif/tiled-picture.ts'

/**
 * Memory of a decoder: bytes per pixel besides the planes, factor of the planes, and copies of the coded picture, one of them as read from
 * the source. HEVC: measured with pictures of 12 megapixels (8 bits) and 3 megapixels (10 bits) in one piece.
 */
export const DECODER_MEMORY = {
  av01: { bytesPerPixel: 0.8, planes: 1, codedCopies: 2 },
  hvc1: { bytesPerPixel: 0.4, planes: 1.75, codedCopies: 4 },
} as const satisfies { readonly [coding in Coding]: object }

/** Fixed memory in bytes of a decoder. */
export const DECODER_BASE_BYTES = 3 * 1024 * 1024
