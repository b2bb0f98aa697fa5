import type { Compressed } from '../../model/codec.ts'

/** Lists for the receipt which kinds of tracks were copied unchanged. */
export function copiedKinds(kinds: readonly ('pictures' | 'sound' | undefined)[]): Pick<Compressed, 'copied'> {
  const copied = (['pictures', 'sound'] as const).filter((kind) => kinds.includes(kind))
  return copied.length ? { copied } : {}
}
