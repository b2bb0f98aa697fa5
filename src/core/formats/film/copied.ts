import type { Compressed } from '../../model/codec.ts'

/** What the tracks that were not coded anew are of. */
export function copiedOf(kinds: readonly ('pictures' | 'sound' | undefined)[]): Pick<Compressed, 'copied'> {
  const copied = (['pictures', 'sound'] as const).filter((kind) => kinds.includes(kind))
  return copied.length ? { copied } : {}
}
