/** Names of files that a press process shares with FFmpeg, in the folder of the press process. */
export const ORIGINAL = 'native-original.mp4'
export const RESULT = 'native-result.mp4'
export const LUMA = 'native-luma.raw'
export const SQUARED_ERRORS = 'native-errors.log'

/** Matches the messages of FFmpeg, x264 and x265 when they reach their memory limit. */
export const OUT_OF_MEMORY = /cannot allocate memory|malloc of size|malloc failure|alloc(?:ation)? (?:of .* )?failed|bad_alloc/i
/** Error message if FFmpeg deadlocks, which some encoders do when they run out of memory. */
export const STALLED = 'FFmpeg stopped making progress'
