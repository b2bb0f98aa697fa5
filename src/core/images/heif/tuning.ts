/** Memory of decoding HEIF pictures. Constants without a source were measured with the project's fixtures. */

/** Memory in bytes per pixel of a frame while it is decoded, besides its planes. */
export const EXTRA_BYTES_PER_PIXEL = 0.8

/** Fixed memory in bytes of a decoder. */
export const DECODER_BASE_BYTES = 3 * 1024 * 1024

/** Copies of a coded picture in memory: read from the source, and in the engine. */
export const COPIES_OF_CODED = 2
