/** Mutates RTF by its groups, control words and texts. */
import { fromLatin1, latin1, withDamage, withOne, withRearrangedItems } from '../edits.ts'
import type { Mutator } from './mutator.ts'

const TOKEN = /\\[a-zA-Z]+-?\d* ?|\\'..|\\.|[{}]|[^\\{}]+/gs
const INSERTED = [
  '{',
  '}',
  '\\',
  '{\\pict\\jpegblip ',
  '{\\pict\\pngblip\\bin99 ',
  '\\bin-1 ',
  '\\bin4294967295 ',
  '{\\*\\blipuid 00}',
  '\\picscalex0',
  '\\picwgoal999999999',
  '{\\*\\objdata ff',
  "\\'zz",
]

export const RTF_MUTATOR: Mutator = {
  container: 'RTF',
  formats: ['rtf'],
  mutate(file, random) {
    if (random.chance(0.2)) return withDamage(file, random, 5)
    const tokens = latin1(file).match(TOKEN) ?? []
    const at = random.below(tokens.length + 1)
    if (random.chance(0.4)) return fromLatin1(tokens.toSpliced(at, 0, random.pick(INSERTED)).join(''))
    if (random.chance(0.5)) return fromLatin1(withRearrangedItems(tokens, random).join(''))
    return fromLatin1(withOne(tokens, random, (token) => latin1(withDamage(fromLatin1(token), random))).join(''))
  },
}
