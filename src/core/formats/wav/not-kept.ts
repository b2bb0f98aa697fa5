/** Chunks of a WAVE file that another format has no place for. */

import { fourCC } from '../../containers/riff/riff.ts'
import { distinct, type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import type { Wave } from './header.ts'

/** Chunks that describe how samples are stored, or fill space. */
const STORAGE = new Set(['fmt ', 'data', 'fact', 'JUNK', 'junk', 'PAD ', 'FLLR', 'ds64'])
const NAMES: { readonly [id: string]: Message } = {
  'cue ': message('cue_points'),
  smpl: message('loops'),
  'LIST adtl': message('labels_of_cue_points'),
}

/**
 * Kinds of chunks without a place in the other format, in words.
 * @param carried ids of those that it takes, `LIST INFO` and the like with the kind of list
 */
export async function withoutPlace(source: Source, wave: Wave, carried: ReadonlySet<string>): Promise<Message[]> {
  const found: Message[] = []
  for (const chunk of wave.chunks) {
    if (STORAGE.has(chunk.id)) continue
    const id = chunk.id === 'LIST' ? `LIST ${fourCC(await source.read(chunk.offset, 4), 0)}` : chunk.id
    if (!carried.has(id)) found.push(NAMES[id] ?? message('chunk_named', { id: id.trim() }))
  }
  return distinct(found)
}
