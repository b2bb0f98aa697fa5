/** Reads the headers of the boxes at the top level of a file. */

import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { typeAt, u32At, u64At } from './box.ts'
import type { TopBox } from './track.ts'
import { MAX_SEARCHED_BYTES, MAX_TOP_BOXES, SEARCH_WINDOW_BYTES } from './tuning.ts'

/** Box types that belong inside an index. At the top level they mean that the index's size is too small, and media would be dropped. */
const INSIDE_INDEX = new Set(['mvhd', 'trak', 'tkhd', 'mdia', 'minf', 'stbl', 'stsd', 'mvex', 'trex', 'traf', 'trun', 'mfhd'])

/**
 * Lists the top-level boxes up to the first bytes that are not a box. Later bytes are trailing data, which Whittle keeps.
 * @throws CodecError (malformed) if an index is cut off, occurs twice or in pieces, or if more of the film follows the trailing data
 */
export async function readTopLevelBoxes(source: Source): Promise<TopBox[]> {
  const top: TopBox[] = []
  let offset = 0
  while (offset + 8 <= source.size) {
    const header = await source.read(offset, 16)
    const type = typeAt(header, 4)
    let size = u32At(header, 0)
    const wide = size === 1 && header.length === 16
    if (wide) size = u64At(header, 8)
    else if (size === 0) size = source.size - offset
    if (size < (wide ? 16 : 8) || !/^[ -~©]{4}$/.test(type)) break
    if (INSIDE_INDEX.has(type)) throw malformed('mp4', offset, message('box_outside_index', { type }))
    if (type === 'moov' && top.some((box) => box.type === 'moov')) throw malformed('mp4', offset, 'second_moov')
    if (offset + size > source.size) {
      if (type === 'moov' || type === 'moof') throw malformed('mp4', offset, message('box_runs_over_end', { type, size }))
      // If bytes are missing at the end of `mdat`, the check of the chunks finds it.
      if (type === 'mdat') return [...top, { type, offset, size: source.size - offset }]
      break
    }
    top.push({ type, offset, size })
    if (top.length > MAX_TOP_BOXES) throw malformed('mp4', offset, 'too_many_boxes')
    offset += size
  }
  await checkNoLaterFilm(source, offset)
  return top
}

/** Type of the first child box, for box types where it is always the same. */
const FIRST_CHILD: { readonly [type: string]: string | undefined } = { moof: 'mfhd', moov: 'mvhd' }

/** @throws CodecError (malformed) if an index or a fragment follows bytes that are not a box */
async function checkNoLaterFilm(source: Source, from: number): Promise<void> {
  const end = Math.min(source.size, from + MAX_SEARCHED_BYTES)
  for (let at = from; at + 12 <= end; at += SEARCH_WINDOW_BYTES - 12) {
    const bytes = await source.read(at, Math.min(SEARCH_WINDOW_BYTES, end - at))
    for (let i = bytes.indexOf(0x6d); i >= 0 && i + 12 <= bytes.length; i = bytes.indexOf(0x6d, i + 1)) {
      const child = FIRST_CHILD[typeAt(bytes, i)]
      if (child && typeAt(bytes, i + 8) === child)
        throw malformed('mp4', at + i - 4, message('box_behind_no_box', { type: typeAt(bytes, i) }))
    }
  }
}
