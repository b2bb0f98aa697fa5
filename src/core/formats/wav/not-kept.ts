/** Chunks of a WAVE file that another format has no place for. */

import { fourCC } from '../../containers/riff/riff.ts'
import type { Source } from '../../model/codec.ts'
import type { Wave } from './header.ts'

/** Chunks that describe how samples are stored, or fill space. */
const STORAGE = new Set(['fmt ', 'data', 'fact', 'JUNK', 'junk', 'PAD ', 'FLLR', 'ds64'])
const NAMES: { readonly [id: string]: string } = { 'cue ': 'cue points', smpl: 'loops', 'LIST adtl': 'labels of cue points' }

/**
 * Kinds of chunks without a place in the other format, in words.
 * @param carried ids of those that it takes, `LIST INFO` and the like with the kind of list
 */
export async function withoutPlace(source: Source, wave: Wave, carried: ReadonlySet<string>): Promise<string[]> {
  const found = new Set<string>()
  for (const chunk of wave.chunks) {
    if (STORAGE.has(chunk.id)) continue
    const id = chunk.id === 'LIST' ? `LIST ${fourCC(await source.read(chunk.offset, 4), 0)}` : chunk.id
    if (!carried.has(id)) found.add(NAMES[id] ?? `chunk ${id.trim()}`)
  }
  return [...found]
}
