/** Lists chunks of a WAVE file that another format cannot store. */

import { fourCC } from '../../containers/riff/riff.ts'
import { distinct, type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import type { Wave } from './header.ts'

/** Chunks that describe sample storage, or are padding. */
const STORAGE = new Set(['fmt ', 'data', 'fact', 'JUNK', 'junk', 'PAD ', 'FLLR', 'ds64', 'COMM', 'SSND', 'FVER'])
const NAMES: { readonly [id: string]: Message } = {
  'cue ': message('cue_points'),
  smpl: message('loops'),
  MARK: message('cue_points'),
  INST: message('loops'),
  'LIST adtl': message('labels_of_cue_points'),
}

/**
 * Describes the chunks that the other format cannot store.
 * @param carried ids of chunks that it can store; lists with their type, for example `LIST INFO`
 */
export async function unstorableChunks(source: Source, wave: Wave, carried: ReadonlySet<string>): Promise<Message[]> {
  const found: Message[] = []
  for (const chunk of wave.chunks) {
    if (STORAGE.has(chunk.id)) continue
    const id = chunk.id === 'LIST' ? `LIST ${fourCC(await source.read(chunk.offset, 4), 0)}` : chunk.id
    if (!carried.has(id)) found.push(NAMES[id] ?? message('chunk_named', { id: id.trim() }))
  }
  return distinct(found)
}
