/** Reads chunks that WAVE files and FLAC files with foreign metadata share. */

import type { FileView } from '../file-view.ts'
import type { InventoryBuilder } from '../inventory.ts'
import { digestOfRange, digestText, isZero } from '../media/digests.ts'
import { le32, textOf } from '../media/numbers.ts'
import { readId3 } from '../tags/id3.ts'
import { infoName, isWriterTag } from '../tags/names.ts'
import { type Chunk, chunksIn } from './chunks.ts'

/** Chunks that describe how samples are stored, that fill space, or that describe the peaks of the stored samples. */
const STORAGE = ['fmt ', 'data', 'fact', 'ds64', 'PEAK', 'levl', 'DISP']
/** Chunks that only fill space if all their bytes are zero. */
const FILLING = ['JUNK', 'junk', 'PAD ', 'FLLR', 'filr']
const MAX_TEXT_BYTES = 64 * 1024
const MAX_CUE_POINTS = 10_000

/** Where the items of chunks go. Equal tags count once, because many files repeat `INFO` in `id3 `. */
export interface ChunkTarget {
  readonly view: FileView
  readonly items: InventoryBuilder
  readonly seen: Set<string>
}

/** Adds a tag unless the file told it before. */
export function addTag({ items, seen }: ChunkTarget, name: string, value: string): void {
  const tag = `${name} = ${value}`
  if (isWriterTag(name) || value === '' || seen.has(tag)) return
  seen.add(tag)
  items.add('tags', tag)
}

/** Adds what a chunk of a WAVE file tells besides samples. */
export async function readChunk(target: ChunkTarget, chunk: Chunk): Promise<void> {
  const { view, items } = target
  const { id, list, body, end } = chunk
  if (STORAGE.includes(id)) return
  if (FILLING.includes(id)) {
    if (!(await isZero(view, body, end))) items.add('chunks', `${id.trim()} = ${await digestOfRange(view, body, end - body)}`)
  } else if (list === 'INFO') await readInfo(target, chunk)
  else if (list === 'adtl') await readLabels(target, chunk)
  else if (id === 'cue ') await readCues(target, chunk)
  else if (id === 'smpl') {
    // The sample period (bytes 8 to 12) describes the stored rate.
    const bytes = (await view.bytesUpTo(body, Math.min(end - body, MAX_TEXT_BYTES))).slice()
    items.add('loops', `smpl = ${digestText(bytes.filter((_, i) => i < 8 || i >= 12))}`)
  } else if (id === 'id3 ' || id === 'ID3 ') {
    const found = await readId3(view, body, end, (name, value) => addTag(target, name, value), items)
    if (!found) items.add('chunks', `${id.trim()} = ${await digestOfRange(view, body, end - body)}`)
  } else items.add('chunks', `${(list || id).trim()} = ${await digestOfRange(view, body, end - body)}`)
}

/** Reads `LIST INFO`: one text a chunk. */
export async function readInfo(target: ChunkTarget, { body, end }: Chunk): Promise<void> {
  for await (const entry of chunksIn(target.view, body, end)) {
    const bytes = await target.view.bytesUpTo(entry.body, Math.min(entry.end - entry.body, MAX_TEXT_BYTES))
    addTag(target, infoName(entry.id), firstText(bytes))
  }
}

/** Text up to the first zero. */
const firstText = (bytes: Uint8Array): string => textOf(bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : bytes.length))

/** Cue points (`cue `): count, then 24 bytes each, which begin with the id and end with the sample. */
async function readCues({ view, items }: ChunkTarget, { body, end }: Chunk): Promise<void> {
  const bytes = (await view.bytesUpTo(body, Math.min(end - body, 4 + 24 * MAX_CUE_POINTS))).slice()
  const count = Math.min(le32(bytes, 0), Math.floor((bytes.length - 4) / 24))
  for (let i = 0; i < count; i++) items.add('cue_points', `cue ${le32(bytes, 4 + 24 * i)} = ${le32(bytes, 24 + 24 * i)}`)
}

/** Labels, notes and texts of cue points (`LIST adtl`). */
async function readLabels({ view, items }: ChunkTarget, { body, end }: Chunk): Promise<void> {
  for await (const entry of chunksIn(view, body, end)) {
    const bytes = await view.bytesUpTo(entry.body, Math.min(entry.end - entry.body, MAX_TEXT_BYTES))
    items.add('cue_points', `${entry.id} ${le32(bytes, 0)} = ${textOf(bytes.subarray(4))}`)
  }
}

/** Usual speaker masks of one and two channels, which need no item. */
const USUAL_MASKS = [0, 3, 4]

/** Adds the channels of a `fmt ` chunk or of a FLAC stream. `mask`: speaker positions; 0: not stored. */
export function addChannels(items: InventoryBuilder, channels: number, mask: number): void {
  items.add('sound_format', `channels = ${channels}`)
  if (!USUAL_MASKS.includes(mask)) items.add('sound_format', `speakers = 0x${mask.toString(16)}`)
}
