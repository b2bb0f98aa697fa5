import type { Codec, Options } from '../../src/core/model/codec.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { compress, type Pressed } from '../../src/core/pipeline/compress.ts'

/** One job for one codec, as the service runs it: compressed, verified, never larger. */
export async function pressFile(
  codec: Codec,
  bytes: Uint8Array,
  name: string,
  request: Partial<Options> = {},
): Promise<{ outcome: Pressed['outcome']; bytes: Uint8Array; defect?: string }> {
  const source = memorySource(bytes, name)
  const sink = memorySink(bytes.length, name)
  const options: Options = {
    quality: 'medium',
    output: codec.format.outputs[0],
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'unsupported_feature' }) },
    ...request,
  }
  const pressed = await compress(codec, source, async () => sink, options)
  const defect = 'defect' in pressed && pressed.defect ? { defect: pressed.defect } : {}
  return { outcome: pressed.outcome, bytes: pressed.outcome.kind === 'compressed' ? sink.bytes() : bytes, ...defect }
}

/** Numbers that look random and are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
