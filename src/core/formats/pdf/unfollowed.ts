/**
 * Images that may be drawn at an unknown size, because something other than a page draws them: annotation appearances, page templates, Type
 * 3 glyphs or scripts.
 */
import type { Duplicates } from './duplicates.ts'
import { type Dict, Ref, Stream } from './objects.ts'
import type { Reader } from './reader.ts'

const MAX_DEPTH = 12

export class UnscannedImages {
  private readonly reader: Reader
  private readonly duplicates: Duplicates
  private readonly numbers = new Set<number>()

  constructor(reader: Reader, duplicates: Duplicates) {
    this.reader = reader
    this.duplicates = duplicates
  }

  /** Adds the images of a resource dictionary, including those of its forms and patterns. */
  async add(resources: Dict | undefined, depth = 0): Promise<void> {
    if (depth > MAX_DEPTH || !resources) return
    for (const key of ['XObject', 'Pattern']) {
      for (const value of (await this.reader.dict(resources.get(key)))?.values() ?? []) {
        if (!(value instanceof Ref)) continue
        const number = this.duplicates.originalOf(value.number)
        const stream = this.numbers.has(number) ? undefined : await this.reader.get(number)
        if (!(stream instanceof Stream)) continue
        this.numbers.add(number)
        for (const mask of [stream.dict.get('SMask'), stream.dict.get('Mask')]) {
          if (mask instanceof Ref) this.numbers.add(this.duplicates.originalOf(mask.number))
        }
        await this.add(await this.reader.dict(stream.dict.get('Resources')), depth + 1)
      }
    }
  }

  /** Keeps these images at their stored size, whatever the size at which pages draw them. */
  keepSize(images: ReadonlyMap<number, { width: number; height: number }>): void {
    for (const number of this.numbers) {
      const drawn = images.get(number)
      if (!drawn) continue
      drawn.width = Number.POSITIVE_INFINITY
      drawn.height = Number.POSITIVE_INFINITY
    }
  }
}
