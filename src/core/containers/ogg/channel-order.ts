/**
 * Channels of Vorbis and Opus (Vorbis I, section 4.3.9; RFC 7845, section 5.1.1.2), by their number. Each row has, for each channel in the
 * order of WAVE, its index in the order of Vorbis.
 */
export const VORBIS_ORDERS: readonly (readonly number[])[] = [
  [],
  [0],
  [0, 1],
  [0, 2, 1],
  [0, 1, 2, 3],
  [0, 2, 1, 3, 4],
  [0, 2, 1, 5, 3, 4],
  [0, 2, 1, 6, 5, 3, 4],
  [0, 2, 1, 7, 5, 6, 3, 4],
]
export const MAX_VORBIS_CHANNELS = VORBIS_ORDERS.length - 1
