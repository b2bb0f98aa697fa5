import type { Codec, Codecs } from '../../src/core/model/codec.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { memorySource } from '../../src/core/model/source.ts'
import type { CompressionResult } from '../../src/core/pipeline/compress.ts'
import { type JobRequest, openJob } from '../../src/core/pipeline/job.ts'

/** Compresses and verifies a file as the service does. `lent`: codecs for embedded files. */
export async function pressFile(
  codec: Codec,
  bytes: Uint8Array,
  name: string,
  { lent = {}, ...request }: JobRequest & { readonly lent?: Codecs } = {},
): Promise<{ outcome: CompressionResult['outcome']; bytes: Uint8Array; defect?: string }> {
  const sink = memorySink(bytes.length, name)
  const pressed = await openJob(codec, memorySource(bytes, name), lent, request).whole(async () => sink)
  const defect = 'defect' in pressed && pressed.defect ? { defect: pressed.defect } : {}
  return { outcome: pressed.outcome, bytes: pressed.outcome.kind === 'compressed' ? sink.bytes() : bytes, ...defect }
}
