/**
 * One step of one task, from claim to end: source → compress → verify → seal → blob → TaskRecord. The quick lane (RPC) and
 * the slow lane (queue) call the same function; so does every part of a job that was split.
 */

import type { Codec, Options, Outcome, Source } from '../codec/codec.ts'
import { isCodecError, overBudget, TargetUnreachable } from '../codec/error.ts'
import { isSegmented, type PartPlan, type PartReceipt, type SegmentedCodec } from '../codec/segmented.ts'
import type { WorkerEnv } from '../env.ts'
import type { FormatId } from '../formats/index.ts'
import { FORMATS } from '../formats/index.ts'
import type { OutputId } from '../formats/outputs.ts'
import { attempt, compress, expectedTrouble, type Pressed } from '../pipeline/compress.ts'
import { seal } from '../pipeline/encrypt.ts'
import { innerRooms } from '../pipeline/inner.ts'
import { Blocks, r2Sink, r2Source, sha256OfBlob } from '../store/blobs.ts'
import type { Task, TaskError, TaskResult } from '../store/task.ts'
import type { Claim, JobMessage, Json, TaskRecordFace } from '../store/tasks.ts'
import { Gate } from './gate.ts'
import { contentType, outputName } from './output-name.ts'

/** Heap and Wasm memory of one job; the isolate has 128 MB, and the house itself needs some of it. */
export const MEMORY_BUDGET_BYTES = 96 * 1024 * 1024
const BEAT_MS = 4000
/** A join reads two objects at a time, each from one end to the other. */
const JOIN_BLOCKS = 4

export type Codecs = { readonly [Id in FormatId]?: Codec }
type Claimed = Extract<Claim, { kind: 'claimed' }>
export type Step = Omit<JobMessage, 'generation'> & { generation: number | null }

/** One memory-hungry job at a time per isolate. */
const gate = new Gate(MEMORY_BUDGET_BYTES)

/** What a job of this size may need at worst: small files cannot fill a budget, whatever their room does. */
const weightOf = (task: Task) => (task.originalSize < 64 * 1024 ? 8 * 1024 * 1024 : MEMORY_BUDGET_BYTES)

export async function run(env: WorkerEnv, codecs: Codecs, step: Step): Promise<void> {
  const record = env.TASKS.getByName(step.taskId)
  const claim = await record.claim(step.generation, step.step, step.part)
  if (claim.kind === 'forget') return
  const lease = keepLease(record, claim.attempt, step.part)
  try {
    await gate.run(claim.alone ? MEMORY_BUDGET_BYTES : weightOf(claim.task), async () => {
      lease.signal.throwIfAborted()
      await work(env, codecs, record, claim, step, lease)
    })
  } catch (error) {
    if (lease.signal.aborted) return
    if (error instanceof TargetUnreachable) await record.fail(claim.attempt, targetUnreachable(claim.task, error.bestSize))
    // Not even the upload could be put under its password with what this attempt had left; the next one does nothing else.
    else if (isCodecError(error, 'over_budget')) await record.giveUp(claim.attempt, error.message)
    else await record.release(claim.attempt, error instanceof Error ? `${error.name}: ${error.message}` : String(error), step.part)
  } finally {
    lease.end()
  }
}

interface LeaseKeeper {
  readonly signal: AbortSignal
  progress(share: number): void
  end(): void
}

/** Beats while the job runs; aborts it when the task was deleted or the lease went to somebody else. */
function keepLease(record: TaskRecordFace, attemptNumber: number, part: number | undefined): LeaseKeeper {
  const controller = new AbortController()
  let progress = 0
  const timer = setInterval(async () => {
    const answer = await record.beat(attemptNumber, progress, part).catch(() => 'go on' as const)
    if (answer === 'stop') controller.abort(new Error('the task was cancelled or given to another worker'))
  }, BEAT_MS)
  return {
    signal: controller.signal,
    progress: (share) => {
      progress = Math.max(progress, Math.min(1, share))
    },
    end: () => clearInterval(timer),
  }
}

/** Trouble that a room may meet while it plans, encodes a part or joins is an answer, not a broken attempt. */
async function work(env: WorkerEnv, codecs: Codecs, record: TaskRecordFace, claim: Claimed, step: Step, lease: LeaseKeeper) {
  const { task } = claim
  using blocks = new Blocks(step.step === 'join' ? JOIN_BLOCKS : undefined)
  const source = r2Source(env.BLOBS, claim.uploadKey, task.originalSize, task.fileName, blocks)
  try {
    if (claim.overBudget !== undefined) throw overBudget(claim.overBudget)
    await press(env, codecs, record, claim, source, blocks, step, lease)
  } catch (error) {
    const trouble = lease.signal.aborted ? undefined : expectedTrouble(task.format, error)
    if (!trouble) throw error
    await finish(env, record, claim, source, trouble)
  }
}

async function press(
  env: WorkerEnv,
  codecs: Codecs,
  record: TaskRecordFace,
  claim: Claimed,
  source: Source,
  blocks: Blocks,
  step: Step,
  lease: LeaseKeeper,
) {
  const { task } = claim
  const codec = task.format === 'unknown' ? undefined : codecs[task.format]
  const base: Omit<Options, 'inner'> = {
    quality: task.quality,
    output: task.output as OutputId,
    memoryBudget: MEMORY_BUDGET_BYTES,
    signal: lease.signal,
    progress: lease.progress,
    ...(task.targetSize === undefined ? {} : { targetSize: task.targetSize }),
  }
  const options: Options = { ...base, inner: innerRooms(codecs, base) }
  const resultKey = `results/${task.taskId}/${claim.attempt}`
  // Joins write from the first byte to the last.
  const patchable = step.step !== 'join'
  const openSink = async () => r2Sink(env.BLOBS, resultKey, source.size, task.fileName, { patchable, blocks })

  if (step.step === 'part') return runPart(env, codec as SegmentedCodec, record, claim, source, options, step.part ?? 0)
  let pressed: Pressed
  if (!codec)
    pressed = { outcome: { kind: 'unchanged', reason: 'unsupported_feature', detail: 'this format has no codec yet' }, result: undefined }
  else if (step.step === 'join') pressed = await join(env, codec as SegmentedCodec, claim, source, blocks, openSink, options)
  else if (isSegmented(codec)) {
    const plan = await codec.plan(source, options)
    if (plan.kind === 'parts') return record.split(claim.attempt, plan.parts as unknown as Json[])
    pressed = plan.kind === 'unchanged' ? { outcome: plan, result: undefined } : await compress(codec, source, openSink, options)
  } else pressed = await compress(codec, source, openSink, options)
  await finish(env, record, claim, source, pressed)
}

async function runPart(
  env: WorkerEnv,
  codec: SegmentedCodec,
  record: TaskRecordFace,
  claim: Claimed,
  source: Source,
  options: Options,
  part: number,
) {
  const key = `parts/${claim.task.taskId}/${claim.generation}/${part}/${claim.attempt}`
  const sink = r2Sink(env.BLOBS, key, Number.POSITIVE_INFINITY, claim.task.fileName, { patchable: false })
  try {
    const receipt = await codec.compressPart(source, claim.parts[0]?.plan as unknown as PartPlan, sink, options, claim.soFar)
    options.signal.throwIfAborted()
    const { size } = await sink.finish()
    const counted = await record.completePart(claim.attempt, part, receipt as unknown as Json, key, size)
    if (!counted) await sink.abort()
  } catch (error) {
    await sink.abort()
    throw error
  }
}

function join(
  env: WorkerEnv,
  codec: SegmentedCodec,
  claim: Claimed,
  source: Source,
  blocks: Blocks,
  openSink: Parameters<typeof attempt>[2],
  options: Options,
) {
  const parts = claim.parts.map((part) => ({
    plan: part.plan as unknown as PartPlan,
    receipt: part.receipt as unknown as PartReceipt,
    result: r2Source(env.BLOBS, part.key ?? '', part.size ?? 0, claim.task.fileName, blocks),
  }))
  const joiner: Codec = {
    format: codec.format,
    compress: (original, sink, settings) => codec.join(original, parts, sink, settings),
    verify(...args) {
      blocks[Symbol.dispose]()
      return codec.verify(...args)
    },
  }
  return attempt(joiner, source, openSink, options)
}

/** The verified result, under its password if there is one, becomes the task's. */
async function finish(env: WorkerEnv, record: TaskRecordFace, claim: Claimed, source: Source, pressed: Pressed) {
  const { task } = claim
  if (pressed.result === undefined && pressed.defect) logDefect(task, pressed.outcome, pressed.defect)
  const plain = pressed.result ?? source
  if (task.targetSize !== undefined && plain.size > task.targetSize) {
    await record.fail(claim.attempt, targetUnreachable(task, plain.size))
    if (pressed.result) await env.BLOBS.delete(`results/${task.taskId}/${claim.attempt}`)
    return
  }
  const format = FORMATS[task.format as FormatId]
  const plainOutput = pressed.result ? (ownOutput(pressed.outcome) ?? (task.output as OutputId)) : format.id
  const plainName = outputName(task.fileName, format, plainOutput)
  let [stored, key] = [plain, pressed.result ? `results/${task.taskId}/${claim.attempt}` : claim.uploadKey]
  let [output, name] = [plainOutput, plainName]
  const { password } = claim
  if (password !== undefined) {
    const sealedKey = `results/${task.taskId}/${claim.attempt}-sealed`
    const openSealed = async (sealedName: string) => r2Sink(env.BLOBS, sealedKey, Number.POSITIVE_INFINITY, sealedName)
    const sealed = await seal(plain, plainOutput, format, plainName, password, openSealed)
    if (pressed.result) await env.BLOBS.delete(key)
    ;({ sealed: stored, output, name } = sealed)
    key = sealedKey
  }
  const result: TaskResult = {
    key,
    size: stored.size,
    sha256: key === claim.uploadKey ? task.originalSha256 : await sha256OfBlob(env.BLOBS, key),
    output: plainOutput,
    outputName: name,
    contentType: contentType(output),
    outcome: pressed.outcome,
    encrypted: password !== undefined,
  }
  const counted = await record.complete(claim.attempt, result)
  if (!counted && key !== claim.uploadKey) await env.BLOBS.delete(key)
}

function targetUnreachable(task: Task, bestSize: number): TaskError {
  const message = `No result of at most ${task.targetSize} bytes keeps the quality floors; the smallest has ${bestSize} bytes.`
  return {
    code: 400,
    type: 'target_unreachable',
    message,
    requestId: task.requestId,
    facts: { target_size: task.targetSize, best_size: bestSize },
  }
}

function logDefect(task: Task, outcome: Outcome, defect: string) {
  const { taskId, requestId, format } = task
  console.error(JSON.stringify({ level: 'error', event: 'defect', task_id: taskId, request_id: requestId, format, outcome, defect }))
}

const ownOutput = (outcome: Outcome) => (outcome.kind === 'compressed' && outcome.fidelity === 'lossless' ? outcome.output : undefined)
