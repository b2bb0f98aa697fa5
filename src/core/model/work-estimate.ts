/** How much an animation may hold, estimated from its headers before anything is decoded. */

/** Bytes of pixels that any animation may have, and further ones for each byte of its file. */
const EVERY_ANIMATION_BYTES = 96 * 2 ** 20
const BYTES_PER_FILE_BYTE = 256

/**
 * The most bytes of pixels that all frames of an animation of `fileBytes` may have together. Frames that are far larger than their file
 * are nearly empty: coding them anew takes as long as coding full ones, and there is next to nothing to gain.
 */
export const mostAnimationBytes = (fileBytes: number): number => EVERY_ANIMATION_BYTES + BYTES_PER_FILE_BYTE * fileBytes
