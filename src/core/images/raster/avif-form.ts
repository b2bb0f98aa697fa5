/** How an AVIF file codes and shows its picture, which a smaller AVIF of it keeps. */

export interface AvifForm {
  readonly coding: ColourCoding
  /** True: luma only. */
  readonly isGrey: boolean
  /** Properties that decoders apply to the coded picture: crop, rotation, mirroring and pixel shape. */
  readonly properties: readonly KeptProperty[]
  /** Those of the alpha plane. */
  readonly alphaProperties: readonly KeptProperty[]
  /** EXIF with the orientation of the file, which viewers ignore. `undefined`: none. */
  readonly exif: Uint8Array | undefined
}

/** Code points of ITU-T H.273, and the weights of red and blue in luma that `matrix` stands for. */
export interface ColourCoding {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  readonly fullRange: boolean
  readonly redWeight: number
  readonly blueWeight: number
}

export interface KeptProperty {
  /** Complete box. */
  readonly box: Uint8Array
  readonly essential: boolean
}

/** Matrix of colours that are coded as green, blue and red. */
export const IDENTITY = 0

/** Coding of pictures of other formats: BT.601 in full range, with colours that are not specified. */
export const USUAL_CODING: ColourCoding = { primaries: 2, transfer: 2, matrix: 6, fullRange: true, redWeight: 0.299, blueWeight: 0.114 }
