import type { KnownFormat } from '../catalog/outputs.ts'
import {
  type Codec,
  type Codecs,
  type Compressed,
  type Inner,
  type InnerRequest,
  type InnerResult,
  type Options,
  type ReducedFile,
  removesMetadata,
} from '../model/codec.ts'
import { memorySink } from '../model/sink.ts'
import { memorySource, readAll } from '../model/source.ts'
import { TimeBudget } from '../model/time-budget.ts'
import { acceptVerified, expectedFailure } from './compress.ts'
import { identify } from './identify.ts'
import { afterRemoval, mayKeepMetadata, orUnchanged, prepared } from './metadata.ts'
import { compressToGoal } from './score-goal.ts'

/** Deepest nesting of containers that is compressed, for example a document in an archive in a mail. */
const MAX_DEPTH = 3

/** Returns the `inner` option of a container codec: it compresses embedded files with `codecs`. `options`: those of the container. */
export function innerCodecs(codecs: Codecs, options: Omit<Options, 'inner'>, depth = 0, time = new TimeBudget()): Inner {
  const inner: Inner = {
    depth,
    time,
    async compress(bytes: Uint8Array, name: string, request: InnerRequest = {}): Promise<InnerResult> {
      if (depth >= MAX_DEPTH) return { kind: 'unchanged', reason: 'over_budget' }
      const source = memorySource(bytes, name)
      const found = await codecOf(codecs, bytes, name)
      const output = found && outputOf(found.format, request)
      if (!output) return { kind: 'unchanged', reason: 'unsupported_feature' }
      const { codec } = found
      const base = optionsFor(codec, options, { ...request, output }, bytes.length)
      const inside = { ...base, inner: innerCodecs(codecs, base, depth + 1, time) }
      const sink = memorySink(bytes.length, name)
      const pressed = await orUnchanged(codec, options.signal, async () => {
        const ready = await prepared(codec, source, inside)
        const uploaded = ready.uploaded ? { uploaded: ready.uploaded } : {}
        const attempt = await compressToGoal(codec, ready.source, async () => sink, { ...inside, ...uploaded })
        return await afterRemoval(codec, ready, attempt, async () => sink, inside)
      })
      if (pressed.outcome.kind === 'unchanged') return { kind: 'unchanged', reason: pressed.outcome.reason }
      return { kind: 'compressed', bytes: sink.bytes(), output: base.output, outcome: pressed.outcome }
    },
  }
  const reduce = async (bytes: Uint8Array, name: string): Promise<ReducedFile> => {
    const found = depth < MAX_DEPTH ? await codecOf(codecs, bytes, name) : undefined
    if (!found || !removesMetadata(found.codec)) return { kind: 'unknown' }
    const base = optionsFor(found.codec, options, { output: found.format.id }, bytes.length)
    return await reduced(found.codec, bytes, name, { ...base, inner: innerCodecs(codecs, base, depth + 1, time) })
  }
  return options.metadata === undefined ? inner : { ...inner, withoutMetadata: reduce }
}

async function codecOf(codecs: Codecs, bytes: Uint8Array, name: string): Promise<{ codec: Codec; format: KnownFormat } | undefined> {
  const format = await identify(memorySource(bytes, name))
  const codec = format && codecs[format.id]
  return format && codec && { codec, format }
}

/** Returns the output of an embedded file. `undefined`: its format cannot be written, or not in the requested form. */
function outputOf({ id, outputs }: KnownFormat, request: InnerRequest): Options['output'] | undefined {
  const output = request.output ?? outputs.find((one) => one === id)
  return output && outputs.includes(output) ? output : undefined
}

/** Options for an embedded file of `bytes` bytes. A codec that cannot remove metadata keeps it. */
function optionsFor(
  codec: Codec,
  options: Omit<Options, 'inner'>,
  request: InnerRequest & { readonly output: Options['output'] },
  bytes: number,
): Omit<Options, 'inner'> {
  return {
    quality: request.lossless ? 'high' : (request.quality ?? options.quality),
    output: request.output,
    memoryBudget: options.memoryBudget - bytes - (request.containerBytes ?? 0),
    signal: options.signal,
    progress: () => undefined,
    ...(request.maxWidth && request.maxHeight ? { fitWithin: { width: request.maxWidth, height: request.maxHeight } } : {}),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
    ...(options.targetScore === undefined ? {} : { targetScore: options.targetScore }),
    ...(request.lossless ? { lossless: true } : {}),
    ...(request.onlyReached ? { onlyReached: true } : {}),
    ...(options.maxWorkSeconds === undefined ? {} : { maxWorkSeconds: options.maxWorkSeconds }),
    ...(options.metadata && removesMetadata(codec) ? { metadata: options.metadata } : {}),
  }
}

/** Returns an embedded file without its metadata. The inventory must show that nothing else is gone, and that no metadata is left. */
async function reduced(codec: Codec, bytes: Uint8Array, name: string, options: Options): Promise<ReducedFile> {
  const upload = memorySource(bytes, name)
  try {
    const { source, uploaded } = await prepared(codec, upload, options)
    if (!uploaded) return { kind: (await mayKeepMetadata(codec, upload, options)) ? 'unknown' : 'same' }
    const result = memorySource(await readAll(source), name)
    const outcome: Compressed = { kind: 'compressed', steps: [] }
    const accepted = await acceptVerified({ codec, source: upload, result, outcome }, { equal: true }, options)
    if (accepted.result === undefined) return { kind: 'unknown' }
    return { kind: 'reduced', bytes: await readAll(result), removed: accepted.outcome.removed ?? [] }
  } catch (error) {
    if (options.signal.aborted || !expectedFailure(codec.format.id, error)) throw error
    return { kind: 'unknown' }
  }
}
