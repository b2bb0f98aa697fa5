/** Distinguishes photos from graphics: a photo has many colours, and few pixels that equal their left neighbour. */
import { MIN_VISIBLE_OPACITY, MOST_COLOURS_COUNTED, MOST_EQUAL_NEIGHBOURS } from '../tuning.ts'

const LEAST_COLOURS = { gray: 100, colour: 500 }

export class ToneStatistics {
  private readonly width: number
  private readonly channels: number
  private readonly colours = new Set<number>()
  private equal = 0
  private total = 0

  constructor(width: number, channels: number) {
    this.width = width
    this.channels = channels
  }

  /**
   * Adds whole rows to the statistics and examines one row in four. Pixels hidden by `opacity` are skipped, because they usually have a
   * single colour.
   */
  push(rows: Uint8Array, opacity?: Uint8Array): void {
    const width = this.width
    const channels = this.channels
    const colours = this.colours
    const stride = width * channels
    for (let start = 0; start + stride <= rows.length; start += stride * 4) {
      for (let i = start + channels; i < start + stride; i += channels) {
        if (opacity && opacity[i / channels]! < MIN_VISIBLE_OPACITY) continue
        this.total++
        let same = true
        let colour = 0
        for (let c = 0; c < channels; c++) {
          const value = rows[i + c]!
          if (value !== rows[i + c - channels]) same = false
          colour = colour * 256 + value
        }
        if (same) this.equal++
        else if (colours.size < MOST_COLOURS_COUNTED) colours.add(colour)
      }
    }
  }

  get isPhoto(): boolean {
    const least = this.channels === 1 ? LEAST_COLOURS.gray : LEAST_COLOURS.colour
    return this.equal < this.total * MOST_EQUAL_NEIGHBOURS && this.colours.size >= least
  }
}
