/** Frame of a file, from its image descriptor and the graphic control extension before it (GIF89a, 20 and 23). */
export interface GifFrame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isInterlaced: boolean
  /** Offset and number of colours of the local table. 0 colours: the frame uses the global one. */
  readonly table: { readonly at: number; readonly colours: number }
  /** Offset of the byte with the code size, before the sub-blocks. */
  readonly dataAt: number
  /** Delay in 1/100 s. */
  readonly delay: number
  readonly disposal: number
  /** Index of the transparent colour. `undefined`: none. */
  readonly transparent: number | undefined
}
