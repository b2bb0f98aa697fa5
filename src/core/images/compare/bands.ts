/** Selects the rows of a picture that are measured: all rows, or bands that are spread evenly over a large picture. */

/** Rows of a band: whole tiles of the score, and high enough that rows at its edges have little weight. */
const BAND_ROWS = 256

interface Size {
  readonly width: number
  readonly height: number
}

type Push = (reference: Uint8Array, candidate: Uint8Array) => void

export interface RowSelection {
  /** Number of rows that the selection measures. */
  readonly height: number
  /** Passes the selected rows of the next strips of both pictures to `push`. */
  select(reference: Uint8Array, candidate: Uint8Array, push: Push): void
}

export const everyRow = ({ height }: Size): RowSelection => ({ height, select: (reference, candidate, push) => push(reference, candidate) })

/** Selects bands with about `mostPixels` pixels in total, or every row if the picture has no more. */
export function bandsOf({ width, height, channels }: Size & { readonly channels: number }, mostPixels: number): RowSelection {
  const every = Math.ceil((width * height) / mostPixels)
  const period = BAND_ROWS * every
  const rowBytes = width * channels
  let y = 0
  return {
    height: Math.floor(height / period) * BAND_ROWS + Math.min(BAND_ROWS, height % period),
    select(reference, candidate, push) {
      for (let at = 0; at < reference.length; ) {
        const end = Math.min(reference.length, at + (BAND_ROWS - (y % BAND_ROWS)) * rowBytes)
        if (Math.floor(y / BAND_ROWS) % every === 0) push(reference.subarray(at, end), candidate.subarray(at, end))
        y += (end - at) / rowBytes
        at = end
      }
    },
  }
}
