/** POST /v1/compress and POST /v1/batch/compress: parse the form, stage the files, create the tasks. */

import { apiMessage } from '../../i18n/message.ts'
import { randomBase62 } from '../../store/key-format.ts'
import { PLANS } from '../../store/plans.ts'
import type { Task } from '../../store/task.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { mapConcurrently } from '../../tasks/concurrency.ts'
import {
  assertSameFingerprint,
  claimIdempotencyKey,
  fingerprint,
  type IdempotencyClaim,
  parseIdempotencyKey,
} from '../../tasks/idempotency.ts'
import { type HashedFile, hashFile, type IngestedFile } from '../../tasks/ingest.ts'
import type { JobOptions } from '../../tasks/job-options.ts'
import { checkCallback, runAndWait, type Submission, submit, submitBatchFile } from '../../tasks/submit.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { type Form, type FormRules, readForm } from '../form.ts'
import { isJson, readJsonForm } from '../json-form.ts'
import { preference, preferenceApplied } from '../prefer.ts'
import { json, type Route } from '../route.ts'
import { batchFields, checkField, compressFields, parseJobOptions } from '../schemas/requests.ts'
import { batch, task } from '../schemas/tasks.ts'
import { FILES_AT_A_TIME, Staging } from '../staging.ts'
import { serialiseTask } from '../task-serialiser.ts'
import { contentLength } from '../tus.ts'
import { type UploadPlace, withUploadMemory } from '../upload-memory.ts'
import { batchOfAccount } from './batches.ts'

type Kind = {
  readonly scope: 'compress' | 'batch'
  readonly schema: typeof compressFields | typeof batchFields
  readonly fileFields: readonly string[]
  readonly uploadFields: readonly string[]
}
const SINGLE: Kind = { scope: 'compress', schema: compressFields, fileFields: ['file'], uploadFields: ['upload'] }
const BATCH: Kind = { scope: 'batch', schema: batchFields, fileFields: ['files[]', 'files'], uploadFields: ['uploads[]', 'uploads'] }

export const compress: Route = {
  method: 'POST',
  path: '/v1/compress',
  access: 'compress',
  async handle(c) {
    const request = preference(c.req.header('Prefer'))
    const waitMs = request?.kind === 'async' ? 0 : request?.ms
    const finished = await upload<Task>(c, SINGLE, {
      async make(submission, [staged]) {
        if ('refusal' in staged!.outcome) throw staged!.outcome.refusal
        const made = await c.get('timing').measure('create', () => submit(submission, staged!, waitMs === 0 ? 'slow' : 'quick'))
        return { answer: made, id: made.taskId }
      },
      async repeat(id) {
        const known = await c.env.TASKS.getByName(id).read()
        if (!known) throw new ApiError('unknown_task', 'idempotency_task_deleted')
        return known
      },
    })
    c.get('logged').taskIds = [finished.taskId]
    const pending = finished.status === 'pending' || finished.status === 'processing'
    const ended = pending
      ? await c.get('timing').measure('job', () => runAndWait(c.env, finished, waitMs, (work) => c.executionCtx.waitUntil(work)))
      : finished
    return json(serialiseTask(c, ended), preferenceApplied(request))
  },
  doc: {
    id: 'compress',
    summary: 'Compress one file',
    description:
      'Files up to `quick_up_to` of their format are completed in the answer; other tasks are `pending`. `Prefer: respond-async` never waits, `Prefer: wait=N` waits up to N seconds (at most 60).',
    form: { fields: compressFields, file: 'file', several: false },
    headers: ['Prefer', 'Idempotency-Key'],
    answer: task,
    errors: [400, 403, 409, 422],
  },
}

export const batchCompress: Route = {
  method: 'POST',
  path: '/v1/batch/compress',
  access: 'compress',
  async handle(c) {
    const answer = await upload<{ batchId: string; tasks: Task[] }>(c, BATCH, {
      async make(submission, files) {
        const batchId = `bat_${randomBase62(24)}`
        const common = { ...submission, batchId }
        const tasks = await mapConcurrently(files, FILES_AT_A_TIME, (staged, position) => submitBatchFile(common, staged, position))
        return { answer: { batchId, tasks }, id: batchId }
      },
      async repeat(batchId) {
        return { batchId, tasks: await batchOfAccount(c, batchId) }
      },
    })
    c.get('logged').taskIds = answer.tasks.map((made) => made.taskId)
    c.get('logged').batchId = answer.batchId
    return json({ batch_id: answer.batchId, tasks: answer.tasks.map((made) => serialiseTask(c, made)) })
  },
  doc: {
    id: 'batchCompress',
    summary: 'Compress several files',
    description: 'Creates one task per file, in upload order. A bad file fails only its own task.',
    form: { fields: batchFields, file: 'files[]', several: true },
    headers: ['Idempotency-Key'],
    answer: batch,
    errors: [400, 403, 409, 422],
  },
}

interface Maker<Answer> {
  make(submission: Submission, files: readonly IngestedFile[]): Promise<{ answer: Answer; id: string }>
  /** Answer to an earlier request with the same Idempotency-Key. `undefined`: none. */
  repeat(id: string): Promise<Answer>
}

async function upload<Answer>(c: AppContext, kind: Kind, maker: Maker<Answer>): Promise<Answer> {
  const account = c.env.ACCOUNTS.getByName(c.get('key').accountId)
  const turn = await claimIdempotencyKey(account, parseIdempotencyKey(c.req.header('Idempotency-Key')), kind.scope)
  try {
    return await (turn.kind === 'repeated' ? repeat(c, kind, turn, maker) : make(c, kind, turn, maker))
  } catch (error) {
    if (turn.kind === 'first') await turn.abandon()
    throw error
  }
}

async function make<Answer>(
  c: AppContext,
  kind: Kind,
  turn: Exclude<IdempotencyClaim, { kind: 'repeated' }>,
  maker: Maker<Answer>,
): Promise<Answer> {
  const key = c.get('key')
  const plan = PLANS[key.plan]
  const staging = new Staging(c, kind.scope === 'compress')
  let handedOver = false
  try {
    const form = await c
      .get('timing')
      .measure('upload', () =>
        read<Promise<IngestedFile>[]>(c, withNotes({ ...rules(c, kind), ...staging.takers }, staging), () => staging.stored()),
      )
    const files = await staging.end()
    const jobOptions = jobOptionsOf(c, kind, form.fields)
    if (files.length === 0) throw missingFile(kind)
    if (kind.scope === 'batch' && files.every(isUnknownUpload)) throw unknownUploads(kind, files)
    const submission = {
      env: c.env,
      key,
      plan,
      requestId: c.get('requestId'),
      traceparent: c.get('traceparent'),
      baseUrl: baseUrl(c),
      jobOptions,
    }
    handedOver = true
    const { answer, id } = await maker.make(submission, files)
    if (turn.kind === 'first') await turn.finish(await fingerprint(secretOf(c), files, form.fields), id)
    await staging.handedOver()
    return answer
  } catch (error) {
    if (!handedOver) await staging.discard()
    await staging.giveBack()
    throw error
  }
}

/** Rules that also tell the staging about each field as it arrives. */
const withNotes = <File>(rules: FormRules<File>, staging: Staging): FormRules<File> => ({
  ...rules,
  checkField(name, value) {
    rules.checkField(name, value)
    staging.noteField(name, value)
  },
})

async function repeat<Answer>(
  c: AppContext,
  kind: Kind,
  turn: Extract<IdempotencyClaim, { kind: 'repeated' }>,
  maker: Maker<Answer>,
): Promise<Answer> {
  const take = async (uploadId: string): Promise<HashedFile> => ({ fileName: '', size: 0, sha256: '', uploadId })
  const form = await read<HashedFile>(c, {
    ...rules(c, kind),
    receive: (fileName, body) => hashFile(fileName, body, PLANS[c.get('key').plan].maxFileBytes),
    take,
  })
  assertSameFingerprint(turn.fingerprint, await fingerprint(secretOf(c), form.files, form.fields))
  return maker.repeat(turn.id)
}

/** @param stored resolves when the uploaded files are no longer in memory */
function read<File>(c: AppContext, rules: FormRules<File>, stored = async () => {}): Promise<Form<File>> {
  if (isJson(c.req.header('Content-Type'))) return readJsonForm(c.req.raw, rules)
  const work = async (place: UploadPlace) => {
    const form = await readForm(c.req.raw, rules, (reader) => place.watch(reader))
    await stored()
    return form
  }
  // With several files, one is received while others are being stored.
  return withUploadMemory({ accountId: c.get('key').accountId, bytes: contentLength(c), parts: rules.maxFiles === 1 ? 1 : 2 }, work)
}

function rules(c: AppContext, kind: Kind): Omit<FormRules<never>, 'receive' | 'take'> {
  const plan = PLANS[c.get('key').plan]
  return {
    fileFields: kind.fileFields,
    uploadFields: kind.uploadFields,
    maxFiles: kind.scope === 'batch' ? plan.maxBatchFiles : 1,
    textFields: Object.keys(kind.schema.shape).filter((name) => !kind.uploadFields.includes(name)),
    checkField: (name, value) => {
      checkField(kind.schema, name, value)
      if (name === 'callback_url') checkCallback(c.env, plan, value)
    },
  }
}

function jobOptionsOf(c: AppContext, kind: Kind, fields: ReadonlyMap<string, string>): Partial<JobOptions> {
  const jobOptions = parseJobOptions(kind.schema, fields)
  if (jobOptions.callbackUrl === undefined) return jobOptions
  return { ...jobOptions, callbackUrl: checkCallback(c.env, PLANS[c.get('key').plan], jobOptions.callbackUrl) }
}

const isUnknownUpload = ({ outcome }: IngestedFile) => 'refusal' in outcome && outcome.refusal.type === 'unknown_upload'

/** Error of a batch without a single file. Otherwise each invented id would become a failed task. */
const unknownUploads = ({ uploadFields: [name = ''] }: Kind, files: readonly IngestedFile[]) =>
  invalidParameter(name, apiMessage('no_upload_exists', { name, count: files.length }))

const secretOf = (c: AppContext) => c.env.SECRET_KEY ?? c.get('key').accountId

function missingFile({ scope, fileFields: [file], uploadFields: [upload] }: Kind): ApiError {
  const what = apiMessage(scope === 'batch' ? 'the_files' : 'the_file')
  const other = apiMessage(scope === 'batch' ? 'finished_uploads' : 'a_finished_upload')
  return new ApiError('missing_file', apiMessage('file_needed', { what, file: String(file), other, upload: String(upload) }), {
    param: file,
  })
}
