/**
 * Jobs with a bucket that is far away: each call takes 50 ms, one of a hundred fails, and after ten thousand the platform throws. Locally
 * a read costs nothing, so that nothing else shows how many there are.
 */
import { expect, it } from 'vitest'
import { FORMATS, type FormatId } from '../../../../src/core/catalog/index.ts'
import { MEDIA_CODECS } from '../../../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../../../src/core/formats/press.ts'
import type { Codec, Options } from '../../../../src/core/model/codec.ts'
import { openJob, optionsOf } from '../../../../src/core/pipeline/job.ts'
import { r2Sink, r2Source } from '../../../../src/service/store/blobs.ts'
import { BlockCache } from '../../../../src/service/store/blocks.ts'
import { blockCacheBytes } from '../../../../src/service/tasks/block-cache-size.ts'
import { type FarBucket, farBucket } from '../../../support/far-bucket.ts'
import { GENERATORS } from '../../../support/generators.ts'
import { pagedPdf } from '../../../support/paged-pdf.ts'
import { pressFile } from '../../../support/press-file.ts'

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }

function optionsFor(codec: Codec): Options {
  return optionsOf(codec.format, codec.format.id in MEDIA_CODECS ? MEDIA_CODECS : PRESS_CODECS)
}

/** As `StepRun` would, and what it asked the bucket for. */
async function pressFar(far: FarBucket, codec: Codec, bytes: Uint8Array, name: string, keptBytes: number) {
  far.objects.set('upload', bytes)
  const [reads, waitedMs] = [far.reads, far.waitedMs]
  using blocks = new BlockCache(keptBytes)
  const source = r2Source(far.bucket, 'upload', bytes.length, name, blocks)
  const openSink = async () => r2Sink(far.bucket, 'result', bytes.length, name, { blockCache: blocks })
  const pressed = await openJob(codec, source, {}, optionsFor(codec)).whole(openSink)
  blocks.assertNoFailure()
  const result = pressed.result ? (far.objects.get('result') as Uint8Array) : bytes
  return { outcome: pressed.outcome, result, reads: far.reads - reads, waitedMs: far.waitedMs - waitedMs }
}

it('every codec makes the same of a file that is far away, in a few reads', async () => {
  const far = farBucket()
  for (const id of Object.keys(FORMATS) as FormatId[]) {
    const codec = CODECS[id]!
    const [{ name, make }] = GENERATORS[id]
    const bytes = await make()
    const near = await pressFile(codec, bytes, name, optionsFor(codec))
    const { outcome, result, reads } = await pressFar(far, codec, bytes, name, blockCacheBytes({ format: id, originalSize: bytes.length }))
    expect(outcome, id).toEqual(near.outcome)
    expect(Buffer.compare(result, near.bytes), id).toBe(0)
    expect(reads, id).toBeLessThanOrEqual(20)
  }
  // Or no call has failed.
  expect(far.calls).toBeGreaterThan(100)
})

/** The same cache and windows for a file of a sixth: a document of 10,000 pages has 32 MB. */
const SHARE = 6
it.each(['in order', 'shuffled'] as const)('a PDF of very many pages, %s, is read twice in pieces of 2 MB', async (order) => {
  const bytes = pagedPdf(1700, order)
  const keptBytes = blockCacheBytes({ format: 'pdf', originalSize: bytes.length * SHARE }) / SHARE
  const { outcome, reads, waitedMs } = await pressFar(farBucket(), CODECS.pdf!, bytes, 'pages.pdf', keptBytes)
  expect(outcome.kind).toBe('compressed')
  const most = (2 * bytes.length * SHARE) / 2e6 + 100
  expect(reads).toBeLessThanOrEqual(most)
  expect(waitedMs).toBeLessThan(10_000)
})
