/** Tests from a claimed task to the bucket: rejected results leave no blob, and `unchanged` returns the upload itself. */
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { MP4 } from '../../../src/core/catalog/formats/film.ts'
import { englishText, message } from '../../../src/core/i18n/message.ts'
import type { Codec, Outcome } from '../../../src/core/model/codec.ts'
import { lossOf, pixelLoss } from '../../../src/core/model/loss.ts'
import type { SegmentedCodec } from '../../../src/core/model/segmented.ts'
import { run } from '../../../src/service/tasks/run.ts'
import { started } from './started-task.ts'

// The codecs of this file write results that are no films, so no reader can read them.
vi.mock('../../../src/core/inventory/readers.ts', () => ({ readerOf: async () => undefined, readerOfOriginal: async () => undefined }))

const UPLOAD_BYTES = 4000
const RESULT = new TextEncoder().encode('a result'.repeat(40))
const lost = (ssim: number, psnrDb: number): Outcome => ({ kind: 'compressed', ...lossOf(pixelLoss({ ssim, psnrDb })), steps: [] })
const good = lost(0.97, 36)

/** Codec that writes a result, claims `outcome`, and verifies the stored bytes against the written ones. */
function claiming(outcome: Outcome, bytes: Uint8Array = RESULT, more: Partial<Codec> = {}): Codec {
  return {
    format: MP4,
    async compress(_source, sink) {
      await sink.write(bytes.slice())
      return outcome
    },
    async verify(_original, result) {
      const stored = await result.read(0, result.size)
      const equal = stored.length === bytes.length && stored.every((byte, at) => byte === bytes[at])
      return equal ? { equal } : { equal, difference: 'other bytes' }
    },
    ...more,
  }
}

const keysOf = async (taskId: string) => {
  const { objects } = await env.BLOBS.list()
  return objects.map(({ key }) => key).filter((key) => key.includes(taskId))
}
const bytesAt = async (key: string) => new Uint8Array(await (await env.BLOBS.get(key))!.arrayBuffer())

/** Runs a task with a bucket. Default: the real bucket. */
async function ran(codec: Codec, bucket = env.BLOBS) {
  const { taskId } = await started({ originalSize: UPLOAD_BYTES })
  const upload = await bytesAt(`uploads/${taskId}`)
  await run({ ...env, BLOBS: bucket }, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  const task = await env.TASKS.getByName(taskId).read()
  return { taskId, upload, task: task!, keys: await keysOf(taskId) }
}

async function expectUpload(answer: Awaited<ReturnType<typeof ran>>, reason: string) {
  const { taskId, upload, task, keys } = answer
  expect(task).toMatchObject({ status: 'completed', result: { outcome: { kind: 'unchanged', reason } } })
  expect(keys).toEqual([`uploads/${taskId}`])
  expect(task.result).toMatchObject({ key: `uploads/${taskId}`, size: UPLOAD_BYTES, sha256: task.originalSha256 })
  expect(await bytesAt(task.result!.key)).toEqual(upload)
}

it('returns the verified result', async () => {
  const { task, keys, taskId } = await ran(claiming(good))
  expect(task).toMatchObject({ status: 'completed', result: { outcome: good, size: RESULT.length } })
  expect(task.result!.key).toBe(`results/${taskId}/1`)
  expect(keys).toContain(task.result!.key)
  expect(await bytesAt(task.result!.key)).toEqual(RESULT)
})

it.each<[string, Codec, string]>([
  ['a larger result', claiming(good, new Uint8Array(UPLOAD_BYTES + 1)), 'no_gain'],
  ['a result of the same size', claiming(good, new Uint8Array(UPLOAD_BYTES)), 'no_gain'],
  ['SSIM 0.89', claiming(lost(0.89, 36)), 'below_floor'],
  ['PSNR 29 dB', claiming(lost(0.97, 29)), 'below_floor'],
  [
    'a result that is not equal',
    claiming(good, RESULT, { verify: async () => ({ equal: false, difference: 'x' }) }),
    'unsupported_feature',
  ],
  [
    'a trap while it verifies',
    claiming(good, RESULT, {
      async verify() {
        throw new WebAssembly.RuntimeError('unreachable')
      },
    }),
    'unsupported_feature',
  ],
])('%s leaves no blob and hands back the upload', async (_, codec, reason) => {
  await expectUpload(await ran(codec), reason)
})

it('detects storage that alters a byte of the result', async () => {
  const altering = new Proxy(env.BLOBS, {
    get(bucket, name) {
      if (name !== 'put') return Reflect.get(bucket, name).bind(bucket)
      return (key: string, bytes: Uint8Array) => bucket.put(key, bytes.with(99, bytes[99]! ^ 1))
    },
  })
  await expectUpload(await ran(claiming(good), altering), 'unsupported_feature')
})

it('an internal error leaves no blob, and the task is retried', async () => {
  const codec = claiming(good, RESULT, {
    async verify() {
      throw new TypeError('x is not a function')
    },
  })
  const { task, keys, taskId } = await ran(codec)
  expect(task.status).not.toBe('completed')
  expect(keys).toEqual([`uploads/${taskId}`])
})

it('a task that is deleted before its result is stored leaves no blob', async () => {
  const codec = claiming(good, RESULT, {
    async compress(_source, sink) {
      await env.TASKS.getByName(deleted).remove()
      await sink.write(RESULT.slice())
      return good
    },
  })
  const { taskId: deleted } = await started({ originalSize: UPLOAD_BYTES })
  await run(env, { mp4: codec }, { taskId: deleted, generation: null, step: 'whole' })
  expect(await env.TASKS.getByName(deleted).read()).toBeFalsy()
  expect(await keysOf(deleted)).toEqual([])
})

it('stops an attempt at the write that would reach the size of the upload', async () => {
  let accepted = 0
  const codec = claiming(good, RESULT, {
    async compress(_source, sink) {
      for (let i = 0; i < 20; i++, accepted++) await sink.write(new Uint8Array(UPLOAD_BYTES / 10))
      return good
    },
  })
  await expectUpload(await ran(codec), 'no_gain')
  // Attempts: `medium`, then `high`.
  expect(accepted).toBe(2 * 9)
})

it('aborts the multipart upload of a rejected result', async () => {
  const [begun, aborted]: [string[], string[]] = [[], []]
  const counting = new Proxy(env.BLOBS, {
    get(bucket, name) {
      if (name !== 'createMultipartUpload') return Reflect.get(bucket, name).bind(bucket)
      return async (key: string) => {
        const upload = await bucket.createMultipartUpload(key)
        begun.push(key)
        const abort = async () => {
          aborted.push(key)
          await upload.abort()
        }
        return { ...upload, uploadPart: upload.uploadPart.bind(upload), abort }
      }
    },
  })
  const MB = 1024 * 1024
  const codec = claiming(good, RESULT, {
    async compress(_source, sink) {
      for (let i = 0; i < 11; i++) await sink.write(new Uint8Array(MB))
      return lost(0.89, 36)
    },
  })
  const { taskId } = await started({ originalSize: 12 * MB })
  await run({ ...env, BLOBS: counting }, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  const result = { outcome: { kind: 'unchanged', reason: 'below_floor' } }
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject({ status: 'completed', result })
  expect(begun.length).toBeGreaterThan(0)
  expect(aborted).toEqual(begun)
})

const unequal: Codec['verify'] = async () => ({ equal: false, difference: 'x' })

it.each<[string, Outcome, Partial<Codec>, string]>([
  ['SSIM 0.89', lost(0.89, 36), {}, 'below_floor'],
  ['a result that is not equal', good, { verify: unequal }, 'unsupported_feature'],
])('a joined film keeps the same promises: %s', async (_, outcome, more, reason) => {
  const parts = [0, 1].map((index) => ({ index, label: `part ${index}`, weight: 0.5, facts: {} }))
  const codec: SegmentedCodec = {
    ...claiming(good, RESULT, more),
    plan: async () => ({ kind: 'parts', parts }),
    async compressPart(_source, _part, sink) {
      await sink.write(RESULT.slice())
      return { bytes: RESULT.length, facts: {} }
    },
    async join(_source, _parts, sink) {
      await sink.write(RESULT.slice())
      return outcome
    },
  }
  const { taskId } = await started({ originalSize: UPLOAD_BYTES })
  const upload = await bytesAt(`uploads/${taskId}`)
  for (const step of [{ step: 'whole' }, { step: 'part', part: 0 }, { step: 'part', part: 1 }, { step: 'join' }] as const) {
    await run(env, { mp4: codec }, { taskId, generation: null, ...step })
  }
  const task = (await env.TASKS.getByName(taskId).read())!
  expect(task).toMatchObject({ status: 'completed', result: { outcome: { kind: 'unchanged', reason }, key: `uploads/${taskId}` } })
  expect((await keysOf(taskId)).filter((key) => key.startsWith('results/'))).toEqual([])
  expect(await bytesAt(task.result!.key)).toEqual(upload)
})

it('a task record of the release before gets messages as English text', async () => {
  const { taskId } = await started({ originalSize: UPLOAD_BYTES })
  const record = env.TASKS.getByName(taskId)
  const completed: unknown[] = []
  const older = {
    claim: async (...given: Parameters<typeof record.claim>) => ({ ...(await record.claim(...given)), protocol: 1 }),
    beat: (attempt: number, progress: number) => record.beat(attempt, progress),
    complete: async (_attempt: number, result: unknown) => completed.push(result) > 0,
  }
  const withSteps: Outcome = { ...good, steps: [message('comments_removed', { count: 2 })] } as Outcome
  const tasks = { getByName: () => older } as unknown as typeof env.TASKS
  await run({ ...env, TASKS: tasks }, { mp4: claiming(withSteps) }, { taskId, generation: null, step: 'whole' })
  expect(completed).toMatchObject([{ outcome: { kind: 'compressed', steps: [englishText(message('comments_removed', { count: 2 }))] } }])
})
