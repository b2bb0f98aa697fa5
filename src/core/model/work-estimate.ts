/** Work limit of animations, computed from headers before anything is decoded. */

/** Decoded bytes that every animation may have, and additional decoded bytes for each byte of its file. */
const EVERY_ANIMATION_BYTES = 96 * 2 ** 20
const BYTES_PER_FILE_BYTE = 256

/**
 * Returns the largest total size of all decoded frames in bytes, for an animation of `fileBytes`. An animation above this limit has nearly
 * empty frames: recompression takes as long as for full frames and saves almost nothing.
 */
export const maxAnimationBytes = (fileBytes: number): number => EVERY_ANIMATION_BYTES + BYTES_PER_FILE_BYTE * fileBytes
