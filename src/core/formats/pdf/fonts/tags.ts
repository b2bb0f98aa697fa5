/** Subset tags in font names (ISO 32000-2, 9.9.2): six capital letters and a plus sign. */
import { sha256HexOf } from '../../../bytes/digest.ts'
import type { Duplicates } from '../duplicates.ts'
import { Dict, Name, nameOf, type PdfObject, Ref } from '../objects.ts'
import type { Reader } from '../reader.ts'
import type { FontProgram, ShownFont } from './shown.ts'

const TAG = /^[A-Z]{6}\+/
const LETTERS = 26
const FILE_KEYS = ['FontFile', 'FontFile2', 'FontFile3'] as const

export const isTagged = (name: string): boolean => TAG.test(name)

/** True if `after` is the untagged name `before` with a subset tag. */
export const isTaggedVersion = (before: string, after: string): boolean => !isTagged(before) && isTagged(after) && after.slice(7) === before

/** Font names in all dictionaries of a program: fonts, descendant fonts and font descriptors. */
export async function namesOf(reader: Reader, { fonts }: FontProgram): Promise<string[]> {
  const names: string[] = []
  for (const { dict, cidFont } of fonts) {
    const descriptor = await reader.dict((cidFont ?? dict).get('FontDescriptor'))
    for (const holder of [dict, cidFont]) if (holder?.has('BaseFont')) names.push(nameOf(await reader.entry(holder, 'BaseFont')))
    if (descriptor?.has('FontName')) names.push(nameOf(await reader.entry(descriptor, 'FontName')))
  }
  return names
}

export class SubsetTags {
  private readonly duplicates: Duplicates
  private readonly used = new Set<string>()
  /** Subset tags by object number, for font programs (`programs`) and for their descriptors and descendant fonts (`holders`). */
  private readonly programs = new Map<number, string>()
  private readonly holders = new Map<number, string>()

  constructor(duplicates: Duplicates) {
    this.duplicates = duplicates
  }

  /** Assigns one tag to all fonts of a program: an existing tag of one of them, or a new tag derived from `data`. */
  assign(number: number, fonts: readonly ShownFont[], names: readonly string[], data: Uint8Array): void {
    const known = names.find(isTagged)?.slice(0, 7)
    const tag = known ?? this.newTag(data)
    this.programs.set(number, tag)
    for (const { dict, cidFont } of fonts) {
      const descendants = dict.get('DescendantFonts')
      const items = Array.isArray(descendants) ? descendants : [descendants]
      for (const item of [...items, (cidFont ?? dict).get('FontDescriptor')]) if (item instanceof Ref) this.holders.set(item.number, tag)
    }
  }

  private newTag(data: Uint8Array): string {
    const digest = sha256HexOf(data)
    for (let at = Number.parseInt(digest.slice(0, 8), 16); ; at++) {
      let [tag, rest] = ['', at]
      for (let i = 0; i < 6; i++) {
        tag += String.fromCharCode(65 + (rest % LETTERS))
        rest = Math.floor(rest / LETTERS)
      }
      if (this.used.has(tag)) continue
      this.used.add(tag)
      return `${tag}+`
    }
  }

  /** Returns a font dictionary, descendant font or font descriptor with its tagged name. Other dictionaries are returned unchanged. */
  adapt(dict: Dict): Dict {
    if (this.programs.size === 0) return dict
    if (dict.has('FontName')) return renamed(dict, 'FontName', this.ofDescriptor(dict))
    return dict.has('BaseFont') ? this.font(dict) : dict
  }

  private font(dict: Dict): Dict {
    const descriptor = dict.get('FontDescriptor')
    const descendants = dict.get('DescendantFonts')
    const first = Array.isArray(descendants) ? descendants[0] : descendants
    if (descriptor instanceof Dict && this.ofDescriptor(descriptor)) {
      return withEntry(renamed(dict, 'BaseFont', this.ofDescriptor(descriptor)), 'FontDescriptor', this.adapt(descriptor))
    }
    if (first instanceof Dict) {
      const inner = this.font(first)
      if (inner === first) return dict
      return withEntry(renamed(dict, 'BaseFont', nameOf(inner.get('BaseFont')).slice(0, 7)), 'DescendantFonts', [inner])
    }
    const holder = [descriptor, first].find((item) => item instanceof Ref)
    return holder instanceof Ref ? renamed(dict, 'BaseFont', this.holders.get(holder.number)) : dict
  }

  private ofDescriptor(descriptor: Dict): string | undefined {
    for (const key of FILE_KEYS) {
      const file = descriptor.get(key)
      const tag = file instanceof Ref ? this.programs.get(this.duplicates.originalOf(file.number)) : undefined
      if (tag) return tag
    }
    return undefined
  }
}

function withEntry(dict: Dict, key: string, value: PdfObject): Dict {
  return new Dict(dict).set(key, value) as Dict
}

function renamed(dict: Dict, key: string, tag: string | undefined): Dict {
  const name = nameOf(dict.get(key))
  return tag && name && !isTagged(name) ? withEntry(dict, key, Name.of(tag + name)) : dict
}
