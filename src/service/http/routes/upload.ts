/** POST /v1/compress and POST /v1/batch/compress: parse the form, stage the files, create the tasks. */

import { apiMessage } from '../../i18n/message.ts'
import { randomBase62 } from '../../store/key-format.ts'
import { PLANS } from '../../store/plans.ts'
import type { Task } from '../../store/task.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { mapConcurrently } from '../../tasks/concurrency.ts'
import { checkDestinationUrl, parseDestinationHeaders } from '../../tasks/destination.ts'
import {
  assertSameFingerprint,
  claimIdempotencyKey,
  fingerprint,
  type IdempotencyClaim,
  parseIdempotencyKey,
} from '../../tasks/idempotency.ts'
import { type HashedFile, hashFile, type IngestedFile } from '../../tasks/ingest.ts'
import { checkRetention, type JobOptions } from '../../tasks/job-options.ts'
import { presetFor, presetOptions } from '../../tasks/presets.ts'
import { checkCallback, runAndWait, type Submission, submit, submitBatchFile } from '../../tasks/submit.ts'
import { checkTokenField } from '../../tasks/token-rules.ts'
import { type UploadPlace, withUploadMemory } from '../../tasks/upload-memory.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { chosenDestination, ownDestinations } from '../destinations.ts'
import { type Form, type FormRules, readForm } from '../form.ts'
import { isJson, readJsonForm } from '../json-form.ts'
import { oneCallAnswer } from '../one-call.ts'
import { preference, preferenceApplied } from '../prefer.ts'
import { json, type Route } from '../route.ts'
import { parseDestination, parseSource } from '../schemas/places.ts'
import { batchFields, checkField, compressFields, parseJobOptions } from '../schemas/requests.ts'
import { batch, task } from '../schemas/tasks.ts'
import { FILES_AT_A_TIME, Staging } from '../staging.ts'
import { serialiseTask, serialiseTasks } from '../task-serialiser.ts'
import { contentLength } from '../tus.ts'
import { batchOfAccount } from './batches.ts'

type Kind = {
  readonly scope: 'compress' | 'batch'
  readonly schema: typeof compressFields | typeof batchFields
  readonly fileFields: readonly string[]
  readonly uploadFields: readonly string[]
  readonly urlFields: readonly string[]
  readonly objectFields: readonly string[]
}
const SINGLE: Kind = {
  scope: 'compress',
  schema: compressFields,
  fileFields: ['file'],
  uploadFields: ['upload'],
  urlFields: ['url'],
  objectFields: ['source'],
}
const BATCH: Kind = {
  scope: 'batch',
  schema: batchFields,
  fileFields: ['files[]', 'files'],
  uploadFields: ['uploads[]', 'uploads'],
  urlFields: ['urls[]', 'urls'],
  objectFields: ['sources[]', 'sources'],
}

export const compress: Route = {
  method: 'POST',
  path: '/v1/compress',
  access: 'compress',
  token: 'file',
  async handle(c) {
    const request = preference(c.req.header('Prefer'))
    const waitMs = request?.kind === 'async' ? 0 : request?.ms
    const { made, wantsFile } = await upload<{ made: Task; wantsFile: boolean }>(c, SINGLE, {
      async make(submission, [staged]) {
        if ('refusal' in staged!.outcome) throw staged!.outcome.refusal
        const task = await c.get('timing').measure('create', () => submit(submission, staged!, waitMs === 0 ? 'slow' : 'quick'))
        return { answer: { made: task, wantsFile: wantsFileOf(submission.jobOptions) }, id: task.taskId }
      },
      async repeat(id, options) {
        const known = await c.env.TASKS.getByName(id).read()
        if (!known) throw new ApiError('unknown_task', 'idempotency_task_deleted')
        return { made: known, wantsFile: wantsFileOf(options) }
      },
    })
    c.get('logged').taskIds = [made.taskId]
    const pending = made.status === 'pending' || made.status === 'processing'
    const longestMs = waitMs ?? (wantsFile ? FILE_WAIT_MS : undefined)
    const ended = pending
      ? await c.get('timing').measure('job', () => runAndWait(c.env, made, longestMs, (work) => c.executionCtx.waitUntil(work)))
      : made
    return wantsFile ? oneCallAnswer(c, ended, preferenceApplied(request)) : json(await serialiseTask(c, ended), preferenceApplied(request))
  },
  doc: {
    id: 'compress',
    summary: 'Compress one file',
    description:
      'Files up to `quick_up_to` of their format are completed in the answer; other tasks are `pending`. `Prefer: respond-async` never waits, `Prefer: wait=N` waits up to N seconds (at most 60). With `response=file`, the answer is the result: 200 with its bytes, or 202 with the task if the time runs out.',
    form: { fields: compressFields, file: 'file', several: false },
    headers: ['Prefer', 'Idempotency-Key'],
    answer: task,
    file: true,
    errors: [400, 403, 404, 409, 422],
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
        const own = ownDestinations(submission, files)
        const tasks = await mapConcurrently(files, FILES_AT_A_TIME, (staged, position) =>
          submitBatchFile({ ...submission, batchId, jobOptions: own[position]! }, staged, position),
        )
        return { answer: { batchId, tasks }, id: batchId }
      },
      async repeat(batchId) {
        return { batchId, tasks: await batchOfAccount(c, batchId) }
      },
    })
    c.get('logged').taskIds = answer.tasks.map((made) => made.taskId)
    c.get('logged').batchId = answer.batchId
    return json({ batch_id: answer.batchId, tasks: await serialiseTasks(c, answer.tasks) })
  },
  doc: {
    id: 'batchCompress',
    summary: 'Compress several files',
    description: 'Creates one task per file, in upload order. A bad file fails only its own task.',
    form: { fields: batchFields, file: 'files[]', several: true },
    headers: ['Idempotency-Key'],
    answer: batch,
    errors: [400, 403, 404, 409, 422],
  },
}

/** Longest time in milliseconds that `response=file` waits, unless the client sends `Prefer`. */
const FILE_WAIT_MS = 60_000

const wantsFileOf = ({ response, preset }: Partial<JobOptions>) => (response ?? preset?.response) === 'file'

interface Maker<Answer> {
  make(submission: Submission, files: readonly IngestedFile[]): Promise<{ answer: Answer; id: string }>
  /** Answer to an earlier request with the same Idempotency-Key. `undefined`: none. */
  repeat(id: string, options: Partial<JobOptions>): Promise<Answer>
}

async function upload<Answer>(c: AppContext, kind: Kind, maker: Maker<Answer>): Promise<Answer> {
  const account = c.env.ACCOUNTS.getByName(c.get('key').accountId)
  const token = c.get('token')
  // A page must not be answered with a task of another caller that used the same Idempotency-Key.
  const scope = token ? `${kind.scope}/${token.id}` : kind.scope
  const turn = await claimIdempotencyKey(account, parseIdempotencyKey(c.req.header('Idempotency-Key')), scope)
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
    const jobOptions = await jobOptionsOf(c, kind, form.fields)
    if (files.length === 0) throw missingFile(kind)
    if (kind.scope === 'batch' && files.every(isUnknownUpload)) throw unknownUploads(kind, files)
    const submission = {
      env: c.env,
      key,
      token: c.get('token'),
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
    takeUrl: async (url) => ({ fileName: '', size: 0, sha256: '', url }),
    takeObject: async (name, text) => ({ fileName: '', size: 0, sha256: '', object: parseSource(name, text) }),
  })
  assertSameFingerprint(turn.fingerprint, await fingerprint(secretOf(c), form.files, form.fields))
  return maker.repeat(turn.id, await jobOptionsOf(c, kind, form.fields))
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

function rules(c: AppContext, kind: Kind): Omit<FormRules<never>, 'receive' | 'take' | 'takeUrl' | 'takeObject'> {
  const plan = PLANS[c.get('key').plan]
  const token = c.get('token')
  return {
    fileFields: kind.fileFields,
    uploadFields: kind.uploadFields,
    urlFields: kind.urlFields,
    objectFields: kind.objectFields,
    maxFiles: kind.scope === 'batch' ? plan.maxBatchFiles : 1,
    textFields: Object.keys(kind.schema.shape).filter(
      (name) => ![...kind.uploadFields, ...kind.urlFields, ...kind.objectFields].includes(name),
    ),
    jsonFields: ['destination_headers', 'destination'],
    checkField: (name, value) => {
      checkField(kind.schema, name, value)
      if (token) checkTokenField(token, name, value)
      if (name === 'callback_url') checkCallback(c.env, plan, value)
      if (name === 'destination_url') checkDestinationUrl(c.env, value)
      if (name === 'destination_headers') parseDestinationHeaders(value)
      if (name === 'destination') parseDestination(name, value, kind.scope === 'batch')
    },
  }
}

async function jobOptionsOf(c: AppContext, kind: Kind, fields: ReadonlyMap<string, string>): Promise<Partial<JobOptions>> {
  const { accountId, plan: planId } = c.get('key')
  const plan = PLANS[planId]
  const destination = await chosenDestination(c, fields, kind.scope === 'batch')
  const quality = c.get('token')?.quality
  const chosen = {
    ...parseJobOptions(kind.schema, fields),
    ...(destination ? { destination } : {}),
    ...(quality === undefined ? {} : { quality }),
  }
  const found = fields.has('preset') ? await presetOptions(c.env, accountId, fields.get('preset')!) : undefined
  const preset = found && presetFor(found, chosen, { plan, several: kind.scope === 'batch' })
  checkRetention(plan, { ...preset, ...chosen })
  return {
    ...chosen,
    ...(chosen.callbackUrl === undefined ? {} : { callbackUrl: checkCallback(c.env, plan, chosen.callbackUrl) }),
    ...(preset ? { preset } : {}),
  }
}

const isUnknownUpload = ({ outcome }: IngestedFile) => 'refusal' in outcome && outcome.refusal.type === 'unknown_upload'

/** Error of a batch without a single file. Otherwise each invented id would become a failed task. */
const unknownUploads = ({ uploadFields: [name = ''] }: Kind, files: readonly IngestedFile[]) =>
  invalidParameter(name, apiMessage('no_upload_exists', { name, count: files.length }))

const secretOf = (c: AppContext) => c.env.SECRET_KEY ?? c.get('key').accountId

function missingFile({ scope, fileFields: [file], uploadFields: [upload], urlFields: [url], objectFields: [source] }: Kind): ApiError {
  const names = { file: String(file), upload: String(upload), url: String(url), source: String(source) }
  const what = apiMessage(scope === 'batch' ? 'the_files' : 'the_file')
  const other = apiMessage(scope === 'batch' ? 'finished_uploads' : 'a_finished_upload')
  const address = apiMessage(scope === 'batch' ? 'addresses' : 'an_address')
  return new ApiError('missing_file', apiMessage('file_needed', { ...names, what, other, address }), { param: file })
}
