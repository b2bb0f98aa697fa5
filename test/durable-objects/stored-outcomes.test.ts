import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { message, revivedMessage } from '../../src/core/i18n/message.ts'
import type { Outcome } from '../../src/core/model/codec.ts'
import type { ReceiptView } from '../../src/core/model/receipt.ts'
import { receipt } from '../../src/service/http/schemas/receipts.ts'
import type { StoredOutcome } from '../../src/service/store/outcome.ts'
import { revivedTask, type StoredTask, type Task, type TaskResult, toTaskView } from '../../src/service/store/task.ts'
import type { TaskRecordApi } from '../../src/service/store/tasks.ts'
import { newTask, RESULT, record } from './fixtures.ts'

const steps = ['as it was made']
/** Outcomes as the first release stored them, with `fidelity` and scores as top-level fields, and their receipts. */
const OLD: [string, StoredOutcome, Partial<ReceiptView>][] = [
  ['lossless', { kind: 'compressed', fidelity: 'lossless', steps }, { outcome: 'compressed', fidelity: 'lossless', steps }],
  [
    'lossless, in a container of its own',
    { kind: 'compressed', fidelity: 'lossless', steps, output: 'zip' },
    { outcome: 'compressed', fidelity: 'lossless', steps },
  ],
  [
    'pictures',
    { kind: 'compressed', fidelity: 'perceptual', ssim: 0.96099, psnrDb: 35.769, steps },
    { outcome: 'compressed', fidelity: 'perceptual', ssim: 0.9609, psnr_db: 35.76, steps },
  ],
  [
    'pictures whose luma stayed',
    { kind: 'compressed', fidelity: 'perceptual', ssim: 1, psnrDb: Number.POSITIVE_INFINITY, steps },
    { outcome: 'compressed', fidelity: 'perceptual', ssim: 1, steps },
  ],
  [
    'a film',
    { kind: 'compressed', fidelity: 'perceptual', ssim: 0.94, psnrDb: 33, snrDb: 21.456, steps },
    { outcome: 'compressed', fidelity: 'perceptual', ssim: 0.94, psnr_db: 33, snr_db: 21.45, steps },
  ],
  [
    'sound',
    { kind: 'compressed', fidelity: 'perceptual', snrDb: 120, steps },
    { outcome: 'compressed', fidelity: 'perceptual', snr_db: 120, steps },
  ],
  [
    'unchanged',
    { kind: 'unchanged', reason: 'signed', detail: 'a signature' },
    { outcome: 'unchanged', fidelity: 'lossless', reason: 'signed', detail: 'a signature' },
  ],
]

const always = { verified: true, sha256: RESULT.sha256, original_sha256: newTask().originalSha256 }

/** Outcomes with messages of this release and texts of the release before. Parts of one film may come from both. */
const MIXED: [string, StoredOutcome, Partial<ReceiptView>][] = [
  [
    'steps',
    { kind: 'compressed', steps: ['as it was made', message('in_1_file_inside', { what: message('comments_removed', { count: 2 }) })] },
    { outcome: 'compressed', fidelity: 'lossless', steps: ['as it was made', 'in 1 embedded file: 2 comments removed'] },
  ],
  [
    'a detail',
    { kind: 'unchanged', reason: 'malformed', detail: message('malformed_at', { format: 'mp4', what: message('no_moov_box'), offset: 0 }) },
    {
      outcome: 'unchanged',
      fidelity: 'lossless',
      reason: 'malformed',
      detail: 'mp4 data, byte 0: the file has no index (`moov` box); it was probably not finished or not transferred completely',
    },
  ],
]

describe('stored outcomes', () => {
  it.each([...OLD, ...MIXED])('of an earlier release give the same receipt: %s', (_, outcome, expected) => {
    const stored: StoredTask = { ...newTask(), status: 'completed', progress: 1, result: { ...RESULT, key: 'results/a', outcome } }
    expect(toTaskView(revivedTask(stored) as Task, 'http://127.0.0.1').result).toEqual({ ...expected, ...always })
  })

  it('of an earlier release are converted when stored by a worker of that release and when loaded', async () => {
    const task = newTask()
    await record(task).create(task)
    const claim = await record(task).claim(null, 'whole')
    if (claim.kind !== 'claimed') throw new Error(claim.kind)
    const [, outcome] = OLD[2]!
    await record(task).complete(claim.attempt, { ...RESULT, key: 'results/old', outcome } as TaskResult)
    const loss = { pictures: { ssim: 0.96099, psnrDb: 35.769 } }
    expect((await record(task).read())?.result?.outcome).toEqual({ kind: 'compressed', loss, steps: steps.map(revivedMessage) })
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (instance, state) => {
      const stored = state.storage.kv.get<StoredTask>('task')!
      state.storage.kv.put('task', { ...stored, result: { ...stored.result, outcome } })
      const Again = instance.constructor as new (ctx: DurableObjectState, environment: typeof env) => { read(): Promise<Task> }
      expect((await new Again(state, env).read()).result?.outcome).toEqual({ kind: 'compressed', loss, steps: steps.map(revivedMessage) })
    })
  })

  it('of an earlier release load from separate rows for job, events and callback', async () => {
    const task = newTask()
    await record(task).create(task)
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (instance, state) => {
      const { beside, ...kept } = state.storage.kv.get<StoredTask & { beside: Record<string, unknown> }>('task')!
      for (const [name, value] of Object.entries({ ...beside, task: kept })) if (value !== undefined) state.storage.kv.put(name, value)
      const Again = instance.constructor as new (ctx: DurableObjectState, environment: typeof env) => TaskRecordApi
      expect(await new Again(state, env).claim(null, 'whole')).toMatchObject({ kind: 'claimed', attempt: 1 })
      expect(await new Again(state, env).beat(1, 0.5)).toBe('go on')
    })
  })

  it.each([
    [
      'a document with page scores below its picture scores',
      { ssim: 0.96099, psnrDb: 101.239, measuredAt: 'page_144dpi', ssimulacra2: 74.28 },
      { ssim: 0.9609, psnr_db: 101.23, measured_at: 'page_144dpi', ssimulacra2: 74.2 },
    ],
    [
      'a film',
      { ssim: 0.91999, psnrDb: 31.009, measuredAt: 'second', mean: { ssim: 0.95559, psnrDb: 36.128 } },
      { ssim: 0.9199, psnr_db: 31, measured_at: 'second', mean_ssim: 0.9555, mean_psnr_db: 36.12 },
    ],
    [
      'a picture whose luma stayed',
      { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, measuredAt: 'pixels' },
      { ssim: 1, measured_at: 'pixels' },
    ],
  ] as const)('give receipts with the place of measurement, scores rounded down, and no score for infinity: %s', (_, pictures, expected) => {
    const result = {
      ...RESULT,
      key: 'results/a',
      outcome: { kind: 'compressed', loss: { pictures }, steps: steps.map(revivedMessage) } as const,
      verifiedShare: 0.98765,
    }
    const shown = toTaskView({ ...newTask(), status: 'completed', progress: 1, result }, 'http://127.0.0.1').result
    expect(shown).toEqual({ outcome: 'compressed', fidelity: 'perceptual', ...expected, steps, verified_share: 0.9876, ...always })
    expect(receipt.parse(shown)).toEqual(shown)
  })

  it('give receipts with a suggested format and its size rounded up to whole bytes', () => {
    const outcome: Outcome = { kind: 'unchanged', reason: 'no_gain', suggestion: { output: 'flac', estimatedBytes: 812344.2 } }
    const result = { ...RESULT, key: 'uploads/a', outcome, verifiedShare: 1 }
    expect(toTaskView({ ...newTask(), status: 'completed', progress: 1, result }, 'http://127.0.0.1').result).toEqual({
      outcome: 'unchanged',
      reason: 'no_gain',
      suggestion: { format: 'flac', estimated_size: 812345 },
      fidelity: 'lossless',
      verified_share: 1,
      ...always,
    })
  })

  it('give receipts with the sound score and without the list of copied streams', () => {
    const outcome = { kind: 'compressed', loss: { sound: { snrDb: 20 } }, copied: ['pictures'], steps } as const
    const stored = {
      ...newTask(),
      status: 'completed',
      progress: 1,
      result: { ...RESULT, key: 'results/a', outcome: { ...outcome, steps } },
    } as const
    expect(toTaskView(revivedTask(stored) as Task, 'http://127.0.0.1').result).toEqual({
      outcome: 'compressed',
      fidelity: 'perceptual',
      snr_db: 20,
      steps,
      ...always,
    })
  })
})
