import { pdf } from '../../../../src/core/formats/pdf/pdf.ts'
import type { Options, Quality } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { expectReadersAgree } from '../../../support/independent/agree.ts'

/** Maximum size in bytes of uploads whose results are checked with other PDF readers. Larger ones test memory and speed. */
const MOST_READ = 1_000_000

/**
 * Compresses a PDF as the service does and checks the result with other PDF readers. `bytes`: the result, or the upload if it is unchanged.
 */
export async function press(bytes: Uint8Array, quality: Quality = 'medium', more: Partial<Options> = {}) {
  const pressed = await pressAlone(bytes, quality, more)
  const { outcome } = pressed
  if (bytes.length <= MOST_READ) await expectReadersAgree({ format: 'pdf', output: 'pdf', upload: bytes, bytes: pressed.bytes, outcome })
  return pressed
}

/**
 * Compresses a PDF without other PDF readers. For damaged and hostile files, which other readers repair differently or render for hours.
 */
export async function pressAlone(bytes: Uint8Array, quality: Quality = 'medium', more: Partial<Options> = {}) {
  const source = memorySource(bytes, 'test.pdf')
  const pressed = await openJob(pdf, source, {}, { quality, ...more }).whole(async () => memorySink(bytes.length, 'test.pdf'))
  return { ...pressed, bytes: pressed.result ? await readAll(pressed.result) : bytes }
}
