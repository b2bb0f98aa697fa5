/** Lossless recompression of a picture: Deflate at full effort, or fewer bits per pixel if it has few colours. */
import type { Filter } from '../filters.ts'
import { PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type DeflateEffort, type RewrittenStream, tryRecompression } from '../recompress.ts'
import { CLEARLY_SMALLER } from '../tuning.ts'
import type { ImageFacts } from './facts.ts'
import { recodeFewColours } from './few-colours.ts'

export interface LosslessTrial {
  /** Size in bytes after a fast trial. */
  trialBytes: number
  /** Version with a palette or fewer bits per sample. `undefined`: none exists. `finish` returns it or a smaller one. */
  packed: RewrittenStream | undefined
  finish(): Promise<RewrittenStream | undefined>
}

interface Picture {
  stream: Stream
  facts: ImageFacts
  chain: Filter[]
  isMask: boolean
}

/** Prepares the lossless versions of a picture. `undefined`: none is smaller, or the data is damaged; the caller then keeps the stream. */
export async function tryLossless(
  reader: Reader,
  { stream, facts, chain, isMask }: Picture,
  effort: DeflateEffort,
): Promise<LosslessTrial | undefined> {
  const samples = await tryRecompression(reader, stream, chain, effort).catch(declined)
  const budget = Math.min(facts.length, samples?.trialBytes ?? facts.length)
  const packed = await recodeFewColours(reader, stream, facts, { isMask, effort, budget }).catch(declined)
  if (!packed) return samples && { ...samples, packed }
  return {
    trialBytes: packed.data.length,
    packed,
    async finish() {
      const same = samples && packed.data.length >= CLEARLY_SMALLER * samples.trialBytes ? await samples.finish() : undefined
      return same && same.data.length <= packed.data.length ? same : packed
    },
  }
}

function declined(error: unknown): undefined {
  if (error instanceof PdfSyntax) return undefined
  throw error
}
