/** Finds styles that show only a part of a picture (`fo:clip`, OpenDocument 1.3 part 3, 20.187). */
import type { Tag } from '../../containers/xml/scan.ts'
import { MAX_STYLE_PARENTS } from './tuning.ts'

export class CroppingStyles {
  readonly #cropping = new Set<string>()
  /** Styles that each style may inherit from. Two files may define different styles of one name. */
  readonly #parents = new Map<string, Set<string>>()
  #current: string | undefined
  #defaultCrops = false

  beginFile(): void {
    this.#current = undefined
  }

  /** Reads the next tag of a file. */
  read(tag: Tag): void {
    if (tag.local === 'style' || tag.local === 'default-style') {
      this.#current = tag.kind === 'open' ? (tag.get('name') ?? '') : undefined
      const parent = tag.kind === 'close' ? undefined : tag.get('parent-style-name')
      const name = tag.get('name')
      if (name !== undefined && parent !== undefined && tag.kind !== 'close') {
        const parents = this.#parents.get(name) ?? new Set()
        this.#parents.set(name, parents.add(parent))
      }
    }
    if (tag.local !== 'graphic-properties' || tag.kind === 'close' || !crops(tag.get('clip'))) return
    if (this.#current) this.#cropping.add(this.#current)
    else this.#defaultCrops = true
  }

  /** True if a style, or one that it inherits from, may crop pictures. */
  mayCrop(style: string): boolean {
    if (this.#defaultCrops) return true
    const seen = new Set([style])
    for (const each of seen) {
      if (this.#cropping.has(each) || seen.size > MAX_STYLE_PARENTS) return true
      for (const parent of this.#parents.get(each) ?? []) seen.add(parent)
    }
    return false
  }
}

/** True if a clip is neither `auto` nor a rectangle whose four margins are 0. */
function crops(clip: string | undefined): boolean {
  if (clip === undefined || /^\s*auto\s*$/.test(clip)) return false
  const margins = /^\s*rect\s*\(([^()]*)\)\s*$/.exec(clip)?.[1]
  return (
    margins === undefined ||
    !margins.split(/[\s,]+/).every((margin) => margin === '' || margin === 'auto' || Number.parseFloat(margin) === 0)
  )
}
