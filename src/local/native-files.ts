/** Files that a press shares with the program beside it, in the folder of the press. */
export const ORIGINAL = 'native-original.mp4'
export const RESULT = 'native-result.mp4'
export const LUMA = 'native-luma.raw'
export const ERRORS = 'native-errors.log'

/** What FFmpeg, x264 and x265 say where the limit of their memory is reached. */
export const NO_MEMORY = /cannot allocate memory|malloc of size|malloc failure|alloc(?:ation)? (?:of .* )?failed|bad_alloc/i
/** And what is said of it where it waits for itself, as some encoders do then. */
export const STALLED = 'it did nothing any more'
