/**
 * Modes of the option `metadata`. `keep`: everything stays. `safe`: keeps what changes the look (colour profile, orientation) or the law
 * (copyright, author of a picture). `strip`: keeps only what changes the look.
 */
export type MetadataMode = 'keep' | 'safe' | 'strip'

/** Modes that remove something. */
export type RemovingMode = Exclude<MetadataMode, 'keep'>
