/** Inventory of M4A files in the words of MP3, FLAC and Opus, for files that become one of them. */
import type { InventoryKind } from '../../catalog/inventory/kinds.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from '../inventory.ts'
import { mp4 } from '../mp4.ts'

export const m4aAsSound: InventoryReader = {
  ...mp4,
  read: async (...given) => inSoundWords(await mp4.read(...given)),
}

const SECONDS_1904_TO_1970 = 2_082_844_800
/** Nearly the latest time that JavaScript has. */
const LATEST_SECONDS = 8e12
/** Time of creation of the file, of its sound, or of a track with titles of chapters. */
const CREATED = /^(audio 0 |data \d+ )?creation_time = (\d+) s since 1904$/
const BINARY = / = \d+ bytes #/
/** Items that every file with one sound has, or that other containers store as tags. */
const WITHOUT_WORDS: readonly InventoryKind[] = ['dispositions', 'languages']

/** True for a track with titles of chapters, and for the reference to it: the other formats store chapters without tracks. */
const isOfTitles = (inventory: Inventory, kind: InventoryKind, item: string) =>
  inventory.has('chapters') && TITLES[kind]?.test(item) === true

const TITLES: { readonly [Kind in InventoryKind]?: RegExp } = {
  other_tracks: /^data \d+ (?:text|tx3g) = /,
  track_references: /^audio 0 chap = data \d+$/,
}

function inSoundWords(inventory: Inventory): Inventory {
  const builder = new InventoryBuilder()
  for (const [kind, items] of inventory) {
    if (kind === 'tags') addTags(builder, [...items.keys()])
    else if (!WITHOUT_WORDS.includes(kind))
      for (const [item, count] of items) {
        if (!isOfTitles(inventory, kind, item)) builder.add(kind, item, count)
      }
    else
      for (const item of items.keys()) {
        const language = /^audio 0 = (.+)$/.exec(item)?.[1]
        if (language) builder.add('tags', `language = ${language}`)
        else if (kind === 'languages') builder.add(kind, item)
      }
  }
  return builder.build()
}

/** Adds each tag once. Times of creation become ISO 8601. Binary values are user data, because tags of the other formats are texts. */
function addTags(builder: InventoryBuilder, items: readonly string[]): void {
  const created = items.flatMap((item) => CREATED.exec(item) ?? [])
  for (const item of items) {
    if (CREATED.test(item)) continue
    const name = item.slice(0, item.indexOf(' = '))
    if (BINARY.test(item)) builder.add('user_data', item)
    else builder.add('tags', name.replace(/^©/, '').toLowerCase() + item.slice(name.length))
  }
  // The time of the file comes first, and stands for that of the track.
  const seconds = Number(created[2] ?? 0)
  // biome-ignore lint/style/noRestrictedGlobals: time that the file stores; it is not used for measuring
  const time = new Date(Math.min(LATEST_SECONDS, seconds - SECONDS_1904_TO_1970) * 1000)
  if (seconds > 0) builder.add('tags', `creation_time = ${time.toISOString().replace('.000', '')}`)
}
