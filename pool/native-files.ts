/** Files that a press shares with the program beside it, in the folder of the press. */
export const ORIGINAL = 'native-original.mp4'
export const RESULT = 'native-result.mp4'
export const LUMA = 'native-luma.raw'
export const ERRORS = 'native-errors.log'
