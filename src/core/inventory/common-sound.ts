/** Brings inventories of sound to a common form, so that a file and its conversion to another container compare. */
import type { FormatId } from '../catalog/index.ts'
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import type { OutputId } from '../catalog/outputs.ts'
import { commonChapters } from './common-chapters.ts'
import type { Inventory, Items } from './inventory.ts'

/** Formats whose items describe the container besides the sound. */
const SOURCES: readonly FormatId[] = ['flac', 'ogg', 'opus']

/** True if the inventories of a file and its result have different forms. */
export const needsCommonForm = (format: FormatId, output: OutputId): boolean =>
  format !== output && (SOURCES.includes(format) || output === 'opus' || isSoundOfM4a(format, output))

/** True if the sound of M4A leaves MP4. */
const isSoundOfM4a = (format: FormatId, output: OutputId) => format === 'm4a' && output !== 'mp4'

/**
 * Items about the storage of packets, which every encoder writes anew: seek tables, delays, end positions, a gain that is part of the new
 * samples, and the usual speakers of five, six and eight channels.
 */
const STORAGE: { readonly [Kind in InventoryKind]?: RegExp } = {
  chunks: /^block 3 = /,
  gapless_data: /^(?:skipped samples|end of .+|iTunSMPB) = /,
  sound_format: /^(?:(?:gain|channel mapping) = |speakers = 0x(?:37|607|3f|60f|63f)$)/,
}

/** Returns an inventory with items that all containers of sound share. `isM4a`: true if the original or the result is M4A. */
export function commonSound(inventory: Inventory, isM4a: boolean): Inventory {
  return new Map(
    [...inventory].flatMap(([kind, items]): [InventoryKind, Items][] => {
      // MP3 and FLAC hold one track and do not describe it.
      if (kind === 'audio_tracks' && total(items) === 1) return []
      if (kind === 'chapters') return [[kind, commonChapters(items)]]
      const renamed = new Map<string, number>()
      for (const [item, count] of items) {
        if (STORAGE[kind]?.test(item)) continue
        const name = commonItem(kind, item, isM4a)
        // Some files repeat tags in an ID3 tag in front of the stream.
        renamed.set(name, kind === 'tags' ? 1 : (renamed.get(name) ?? 0) + count)
      }
      return renamed.size > 0 ? [[kind, renamed]] : []
    }),
  )
}

const total = (items: Items) => [...items.values()].reduce((sum, count) => sum + count, 0)

function commonItem(kind: InventoryKind, item: string, isM4a: boolean): string {
  if (kind === 'durations') return item.replace(/^audio 0 = /, 'sound = ')
  if (kind === 'sound_format') return item.replace(/^audio 0 = (\d+) channels$/, 'channels = $1')
  // M4A stores no type and no description of a cover.
  if (kind === 'covers' && isM4a) return / = ((?:jpeg|png|gif) \d+x\d+|\d+ bytes #\w+)/.exec(item)?.[1] ?? item
  return item
}
