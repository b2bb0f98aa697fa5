/** Compresses one file as a press does, and classifies the outcome. */

import type { FormatId } from '../../src/core/catalog/index.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import type { Outcome, Quality } from '../../src/core/model/codec.ts'
import { TargetUnreachable } from '../../src/core/model/error.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../src/core/model/source.ts'
import { identify } from '../../src/core/pipeline/identify.ts'
import { openJob } from '../../src/core/pipeline/job.ts'

export interface Request {
  readonly name: string
  readonly quality: Quality
  /** Output to request if the file's format has it. Otherwise the first output is used. `undefined`: the first output. */
  readonly output: OutputId | undefined
}

type Trial =
  | { readonly kind: 'refused' }
  | { readonly kind: 'unchanged'; readonly format: FormatId; readonly reason: string }
  | Compressed
  /** `crash`: an exception that no file may cause. `defect`: verification rejected the codec's result, or an engine trapped. */
  | { readonly kind: 'crash' | 'defect'; readonly format: FormatId; readonly why: string }

export interface Compressed {
  readonly kind: 'compressed'
  readonly format: FormatId
  readonly output: OutputId
  readonly outcome: Extract<Outcome, { kind: 'compressed' }>
  readonly result: Uint8Array
}

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }

export async function tryFile(bytes: Uint8Array, { name, quality, output: wanted }: Request): Promise<Trial> {
  const source = memorySource(bytes, name)
  const facts = await identify(source)
  const codec = facts && CODECS[facts.id]
  if (!facts || !codec) return { kind: 'refused' }
  const outputs: readonly OutputId[] = facts.outputs
  const output = wanted && outputs.includes(wanted) ? wanted : outputs[0]!
  const format = facts.id
  const job = openJob(codec, source, format in MEDIA_CODECS ? MEDIA_CODECS : PRESS_CODECS, { quality, output })
  try {
    const pressed = await job.whole(async () => memorySink(bytes.length, name))
    if ('defect' in pressed && pressed.defect) return { kind: 'defect', format, why: pressed.defect }
    const { outcome, result } = pressed
    if (outcome.kind === 'unchanged') return { kind: 'unchanged', format, reason: outcome.reason }
    return { kind: 'compressed', format, output: outcome.output ?? output, outcome, result: await readAll(result!) }
  } catch (error) {
    if (error instanceof TargetUnreachable) return { kind: 'unchanged', format, reason: 'target_unreachable' }
    return { kind: 'crash', format, why: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
