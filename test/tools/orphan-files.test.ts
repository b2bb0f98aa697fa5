/** Removal of files that a kill during a write leaves in the bucket, next to files that objects and uploads refer to. */
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, expect, it } from 'vitest'
import { removeOrphans } from '../../src/local/orphan-files.ts'

const DAY_MS = 86_400_000
const PART_BYTES = 5 * 2 ** 20
const folder = mkdtempSync(join(tmpdir(), 'orphans-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }))
const blobs = join(folder, 'v3/r2/whittle-blobs/blobs')

type Bucket = Awaited<ReturnType<Miniflare['getR2Bucket']>>

async function withBucket<T>(use: (bucket: Bucket) => Promise<T>): Promise<T> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      script: 'export default {}',
      modules: true,
      r2Buckets: { BLOBS: 'whittle-blobs' },
      resourcePersistencePath: join(folder, 'v3'),
    }),
  )
  try {
    return await use(await miniflare.getR2Bucket('BLOBS'))
  } finally {
    await miniflare.dispose()
  }
}

/** A file name in Miniflare's format. */
function writeOrphan(madeAt: number, letter: string): string {
  const name = letter.repeat(64) + madeAt.toString(16).padStart(16, '0')
  writeFileSync(join(blobs, name), 'half of an object')
  utimesSync(join(blobs, name), madeAt / 1000, madeAt / 1000)
  return name
}

it('removes orphaned files after a day, and parts of unfinished uploads after a week', async () => {
  expect(await removeOrphans(folder, Date.now()), 'a state that is not there yet').toEqual({ files: 0, bytes: 0 })
  await withBucket(async (bucket) => {
    await bucket.put('small', 'text')
    const completed = await bucket.createMultipartUpload('whole')
    await completed.complete([await completed.uploadPart(1, new Uint8Array(PART_BYTES)), await completed.uploadPart(2, 'end')])
    await (await bucket.createMultipartUpload('never ended')).uploadPart(1, new Uint8Array(PART_BYTES))
  })
  const named = readdirSync(blobs)
  expect(named).toHaveLength(4)
  const now = Date.now()
  const young = writeOrphan(now - DAY_MS / 2, 'a')
  const old = writeOrphan(now - 1.5 * DAY_MS, 'b')
  const late = writeOrphan(now - 1.5 * DAY_MS, 'c')
  utimesSync(join(blobs, late), now / 1000, now / 1000)
  writeFileSync(join(blobs, 'notes.txt'), 'not Miniflare’s')
  utimesSync(join(blobs, 'notes.txt'), 1, 1)
  expect(await removeOrphans(folder, now)).toEqual({ files: 1, bytes: 17 })
  expect(readdirSync(blobs).sort(), `${old} is gone`).toEqual([...named, young, late, 'notes.txt'].sort())
  expect(await removeOrphans(folder, now + 8 * DAY_MS)).toEqual({ files: 3, bytes: 2 * 17 + PART_BYTES })
  // As at a start, when nothing writes yet. The files that objects refer to are younger than a day, too.
  const [cutOff, beingWritten] = [writeOrphan(now - 1000, 'e'), writeOrphan(now + 1000, 'f')]
  expect(await removeOrphans(folder, now, 0)).toEqual({ files: 1, bytes: 17 })
  expect(readdirSync(blobs), `${cutOff} is gone`).toContain(beingWritten)
  await withBucket(async (bucket) => {
    expect(await (await bucket.get('small'))?.text()).toBe('text')
    expect((await (await bucket.get('whole'))?.arrayBuffer())?.byteLength).toBe(PART_BYTES + 3)
  })
})

it('removes nothing without a database', async () => {
  const old = writeOrphan(1000, 'd')
  rmSync(join(folder, 'v3/r2/miniflare-R2BucketObject'), { recursive: true })
  expect(await removeOrphans(folder, Date.now())).toEqual({ files: 0, bytes: 0 })
  expect(readdirSync(blobs)).toContain(old)
})
