import { pdf } from '../../../../src/core/formats/pdf/pdf.ts'
import type { Options, Quality } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { readersAgree } from '../../../support/independent/agree.ts'

/** Uploads above this are not held against other readers: memory and pace are tested with them. */
const MOST_READ = 1_000_000

/** Runs the codec as the service does, and holds the result against other readers. `bytes` is the result, or the upload when it is unchanged. */
export async function press(bytes: Uint8Array, quality: Quality = 'medium', more: Partial<Options> = {}) {
  const pressed = await pressAlone(bytes, quality, more)
  const { outcome } = pressed
  if (bytes.length <= MOST_READ) await readersAgree({ format: 'pdf', output: 'pdf', upload: bytes, bytes: pressed.bytes, outcome })
  return pressed
}

/** The same for damaged and hostile uploads, which other readers repair in other ways, or draw for hours. */
export async function pressAlone(bytes: Uint8Array, quality: Quality = 'medium', more: Partial<Options> = {}) {
  const source = memorySource(bytes, 'test.pdf')
  const pressed = await openJob(pdf, source, {}, { quality, ...more }).whole(async () => memorySink(bytes.length, 'test.pdf'))
  return { ...pressed, bytes: pressed.result ? await readAll(pressed.result) : bytes }
}
