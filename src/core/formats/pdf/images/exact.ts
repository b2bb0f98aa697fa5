/** Lossless recompression of a picture: Deflate at full effort, or fewer bits per pixel if it has few colours. */
import type { Filter } from '../filters.ts'
import { PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type Effort, prospect, type Rewritten } from '../recompress.ts'
import { CLEARLY_SMALLER } from '../tuning.ts'
import type { ImageFacts } from './facts.ts'
import { recodeFewColours } from './few-colours.ts'

export interface Exact {
  /** Size in bytes after a fast trial. */
  quickBytes: number
  /** Version with a palette or fewer bits per sample. `undefined`: none exists. `finish` returns it or a smaller one. */
  packed: Rewritten | undefined
  finish(): Promise<Rewritten | undefined>
}

interface Picture {
  stream: Stream
  facts: ImageFacts
  chain: Filter[]
  isMask: boolean
}

/** Prepares the lossless versions of a picture. `undefined`: none is smaller, or the data is damaged; the caller then keeps the stream. */
export async function exactForms(reader: Reader, { stream, facts, chain, isMask }: Picture, effort: Effort): Promise<Exact | undefined> {
  const samples = await prospect(reader, stream, chain, effort).catch(declined)
  const budget = Math.min(facts.length, samples?.quickBytes ?? facts.length)
  const packed = await recodeFewColours(reader, stream, facts, { isMask, effort, budget }).catch(declined)
  if (!packed) return samples && { ...samples, packed }
  return {
    quickBytes: packed.data.length,
    packed,
    async finish() {
      const same = samples && packed.data.length >= CLEARLY_SMALLER * samples.quickBytes ? await samples.finish() : undefined
      return same && same.data.length <= packed.data.length ? same : packed
    },
  }
}

function declined(error: unknown): undefined {
  if (error instanceof PdfSyntax) return undefined
  throw error
}
