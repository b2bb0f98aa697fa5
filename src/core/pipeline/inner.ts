import type { Codecs, Inner, InnerRequest, InnerResult, Options } from '../model/codec.ts'
import { memorySink } from '../model/sink.ts'
import { memorySource } from '../model/source.ts'
import { TimeBudget } from '../model/time-budget.ts'
import { compress } from './compress.ts'
import { identify } from './identify.ts'

/** Deepest nesting of containers that is compressed, for example a document in an archive in a mail. */
const MAX_DEPTH = 3

/** Returns the `inner` option of a container codec: it compresses embedded files with `codecs`. `options`: those of the container. */
export function innerCodecs(codecs: Codecs, options: Omit<Options, 'inner'>, depth = 0, time = new TimeBudget()): Inner {
  return {
    depth,
    time,
    async compress(bytes: Uint8Array, name: string, request: InnerRequest = {}): Promise<InnerResult> {
      if (depth >= MAX_DEPTH) return { kind: 'unchanged', reason: 'over_budget' }
      const source = memorySource(bytes, name)
      const format = await identify(source)
      const codec = format && codecs[format.id]
      if (!format || !codec) return { kind: 'unchanged', reason: 'unsupported_feature' }
      const output = request.output ?? (format.outputs as readonly string[]).find((id) => id === format.id)
      if (!output || !(format.outputs as readonly string[]).includes(output)) return { kind: 'unchanged', reason: 'unsupported_feature' }
      const base: Omit<Options, 'inner'> = {
        quality: request.lossless ? 'high' : (request.quality ?? options.quality),
        output: output as Options['output'],
        memoryBudget: options.memoryBudget - bytes.length,
        signal: options.signal,
        progress: () => undefined,
        ...(request.maxWidth && request.maxHeight ? { fitWithin: { width: request.maxWidth, height: request.maxHeight } } : {}),
        ...(request.lossless ? { lossless: true } : {}),
        ...(request.onlyReached ? { onlyReached: true } : {}),
      }
      const sink = memorySink(bytes.length, name)
      const pressed = await compress(codec, source, async () => sink, { ...base, inner: innerCodecs(codecs, base, depth + 1, time) })
      if (pressed.outcome.kind === 'unchanged') return { kind: 'unchanged', reason: pressed.outcome.reason }
      return { kind: 'compressed', bytes: sink.bytes(), output: base.output, outcome: pressed.outcome }
    },
  }
}
