import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import type { Options } from '../../src/core/model/codec.ts'
import { lendCodecs } from '../../src/core/pipeline/inner.ts'
import { pressFile } from './press-file.ts'
import type { Repeated } from './repeated.ts'

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }

/** A file of repeated structures, ready to be pressed at medium, with all codecs that a package lends. */
export async function repeatedJob({ format, output, make }: Repeated, times: number): Promise<() => Promise<unknown>> {
  const codec = CODECS[format]!
  const bytes = await make(times)
  const base = { quality: 'medium', output: output ?? codec.format.outputs[0], memoryBudget: 96 * 1024 * 1024 } as const
  const options: Omit<Options, 'inner'> = { ...base, signal: new AbortController().signal, progress: () => undefined }
  return () => pressFile(codec, bytes, 'a', { output: base.output, inner: lendCodecs(CODECS, options) })
}
