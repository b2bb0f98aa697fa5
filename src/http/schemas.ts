/** The shapes of requests and answers, once: they validate what comes in and become `/openapi.json`. */
import * as z from 'zod'
import { patternOf } from '../store/ids.ts'
import { invalidParameter } from '../tasks/api-error.ts'
import { checkOutputName, type JobOptions } from '../tasks/job-options.ts'

// Workers forbid making code from text, which zod would otherwise try.
z.config({ jitless: true })

const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' })
const bytes = z.int().min(0).meta({ format: 'int64', description: 'Bytes' })
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
export const taskId = z.string().regex(patternOf('tsk'))
export const uploadId = z.string().regex(patternOf('upl'))
export const batchId = z.string().regex(/^bat_[0-9A-Za-z]{24}$/)

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────────

const QUALITIES = ['low', 'medium', 'high', 'ultra'] as const

/** Passwords go into formats that hold at most 127 bytes of UTF-8 (PDF 2.0). */
const MAX_PASSWORD_BYTES = 127

const quality = z
  .enum(QUALITIES)
  .default('medium')
  .describe('`low` gives the smallest file, `high` the most faithful one. `ultra` exists for DOCX, XLSX, PPTX and OFD.')
const format = z.string().min(1).max(40).describe('Output format; see /v1/formats. Default: the container the file came in.')
const password = z
  .string()
  .min(1)
  .max(MAX_PASSWORD_BYTES)
  .refine((text) => new TextEncoder().encode(text).length <= MAX_PASSWORD_BYTES, `must be at most ${MAX_PASSWORD_BYTES} bytes of UTF-8`)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
  .describe('Encrypts the result (AES-256): inside PDF and Office files, else as a ZIP around it.')
const callbackUrl = z.string().min(1).max(2048).describe('Told when a task ends (Standard Webhooks). https to a public name.')
const targetSize = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number of bytes, at least 1')
  .transform(Number)
  .describe('Wanted size in bytes: the best result that fits.')

const usageRights = z
  .enum(['keep', 'drop'])
  .describe(
    'PDFs in which nothing but usage rights for Adobe Reader is signed come back unchanged, as `signed`. `drop` compresses them and leaves these rights out: Adobe Reader then no longer saves what is filled in or remarked, where it needed them for that.',
  )

export const compressFields = z.object({
  quality,
  format: format.optional(),
  password: password.optional(),
  callback_url: callbackUrl.optional(),
  target_size: targetSize.optional(),
  usage_rights: usageRights.optional(),
  upload: z.string().max(200).optional().describe('A finished resumable upload (`upl_…`), instead of `file`'),
})
export const batchFields = compressFields.omit({ target_size: true, upload: true })

type Fields = typeof compressFields | typeof batchFields

/** One text field on its own, as it arrives. */
export function checkField(schema: Fields, name: string, value: string): void {
  const field = (schema.shape as Record<string, z.ZodType>)[name]
  const parsed = field?.safeParse(value)
  if (parsed && !parsed.success) throw invalidField(name, value, parsed.error)
}

export const isField = (schema: Fields, name: string) => Object.hasOwn(schema.shape, name)

/** What is asked for; what is not stays open. */
export function parseJobOptions(schema: Fields, fields: ReadonlyMap<string, string>): Partial<JobOptions> {
  const parsed = (schema as typeof compressFields).parse(Object.fromEntries(fields))
  return {
    ...(fields.has('quality') ? { quality: parsed.quality } : {}),
    ...(parsed.format === undefined ? {} : { format: parsed.format }),
    ...(parsed.password === undefined ? {} : { password: parsed.password }),
    ...(parsed.callback_url === undefined ? {} : { callbackUrl: parsed.callback_url }),
    ...(parsed.target_size === undefined ? {} : { targetSize: parsed.target_size }),
    ...(parsed.usage_rights === undefined ? {} : { usageRights: parsed.usage_rights }),
  }
}

/** What the metadata of a resumable upload asks for: the fields of a form, and whether its task begins by itself. */
export function parseWishes(values: ReadonlyMap<string, string>): Partial<JobOptions> & { compress: boolean } {
  const fields = new Map([...values].filter(([name]) => name !== 'upload' && isField(compressFields, name)))
  for (const [name, value] of fields) checkField(compressFields, name, value)
  const options = parseJobOptions(compressFields, fields)
  if (options.format !== undefined) checkOutputName(options.format)
  return { ...options, compress: isSwitchedOn('compress', values.get('compress')) }
}

const SWITCH: Readonly<Record<string, boolean>> = { '': true, true: true, '1': true, yes: true, false: false, '0': false, no: false }

/** A key that stands alone, or with a word for yes. */
function isSwitchedOn(name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  const on = SWITCH[value.toLowerCase()]
  if (on === undefined)
    throw invalidParameter(name, `'${name}' must be true or false (got '${shorten(value)}').`, { allowed: ['true', 'false'] })
  return on
}

function invalidField(name: string, value: string, error: z.ZodError) {
  if (name === 'quality') {
    const allowed = QUALITIES.slice(0, 3)
    return invalidParameter(name, `The field 'quality' must be low, medium or high (got '${shorten(value)}').`, {
      got: shorten(value),
      allowed,
    })
  }
  const got = name === 'password' ? {} : { got: shorten(value) }
  return invalidParameter(name, `The field '${name}' ${sentence(error)}${'got' in got ? ` (got '${got.got}')` : ''}.`, got)
}

const shorten = (value: string) => (value.length > 60 ? `${value.slice(0, 60)}…` : value)

function sentence(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue?.code === 'too_small') return 'must not be empty'
  if (issue?.code === 'too_big') return `must be at most ${issue.maximum} characters`
  return issue?.message.startsWith('must') ? issue.message : 'is not valid'
}

/** Parses a query or a JSON body; the first thing that is wrong becomes the error. */
export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = issue?.code === 'unrecognized_keys' ? (issue.keys[0] ?? 'body') : issue?.path.join('.') || 'body'
  throw invalidParameter(param, `'${param}' is not valid: ${issue?.message ?? 'it has another shape'}.`)
}

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Tasks a page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})
export const receiptQuery = z.object({
  decoded: z.enum(['0', '1']).default('0').describe('`1`: what is signed as JSON, instead of the JWS'),
})
export const usageQuery = z.object({
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must look like 2026-11')
    .optional()
    .describe('Default: this month (UTC)'),
})

// ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────

// Every object that appears twice, and every alternative of a union, has a name: generators make one type of it, and call it so.

const qualityName = z.enum(QUALITIES).meta({ id: 'Quality' })
const fidelity = z.enum(['lossless', 'perceptual']).meta({ id: 'Fidelity' })
const planName = z.enum(['free', 'basic', 'pro', 'enterprise']).meta({ id: 'Plan' })

const errorBody = z
  .object({ code: z.int().describe('The HTTP status'), message: z.string().describe('For people'), request_id: z.string() })
  .meta({ id: 'ErrorBody' })
const errorDetail = z
  .looseObject({ type: z.string().describe('A stable word of the table above; there may be new ones'), doc_url: z.url() })
  .meta({ id: 'ErrorDetail', description: 'The facts of an error; which ones depends on its `type`.' })
export const errorAnswer = z
  .object({ error: errorBody, error_detail: errorDetail })
  .meta({ id: 'Error', description: 'Every error looks like this; `error_detail` carries the facts of its type.' })

/** Which field tells the alternatives apart, and by which words (OpenAPI 3.1, 4.8.25). */
const discriminator = (propertyName: string, names: Readonly<Record<string, string>>) => ({
  discriminator: {
    propertyName,
    mapping: Object.fromEntries(Object.entries(names).map(([word, name]) => [word, `#/components/schemas/${name}`])),
  },
  // openapi-generator makes one class of the alternatives for PHP, and takes the words of the last for those of all, if it is not told.
  properties: { [propertyName]: { type: 'string' } },
})

const similarity = z.number().min(0).max(1)
const measured = {
  ssim: similarity.optional().describe('Luma, 11×11 Gaussian window: the worst picture, page or second, rounded down'),
  psnr_db: z.number().optional().describe('Luma, likewise; absent beside `ssim` where no luma changed: it is infinite'),
  measured_at: z
    .enum(['pixels', 'page_144dpi', 'second'])
    .optional()
    .describe('Where the worst was found: in a stored picture, on a page drawn at 144 dpi, in a second of a film'),
  mean_ssim: similarity.optional().describe('Films: over all frames'),
  mean_psnr_db: z.number().optional(),
  ssimulacra2: z
    .number()
    .max(100)
    .optional()
    .describe('What eyes see: SSIMULACRA 2.1 of the worst still picture of at least 64×64 that lost something; not of animations'),
  snr_db: z.number().optional().describe('Sound: signal-to-noise ratio'),
}
const receiptCommon = {
  fidelity,
  verified: z.literal(true).describe('Always true: what was not decoded again and compared is no result'),
  verified_share: similarity
    .optional()
    .describe('How much was decoded or compared byte by byte; absent only in tasks that were completed before it was counted'),
  sha256,
  original_sha256: sha256,
}
const suggestion = z
  .object({ format: z.string(), estimated_size: bytes })
  .meta({ id: 'Suggestion', description: 'What `format` could be for a smaller result.' })
const REASONS = ['no_gain', 'below_floor', 'signed', 'encrypted', 'malformed', 'over_budget', 'unsupported_feature'] as const
export const receipt = z
  .discriminatedUnion('outcome', [
    z
      .object({ outcome: z.literal('compressed'), ...receiptCommon, ...measured, steps: z.array(z.string()) })
      .meta({ id: 'ReceiptCompressed' }),
    z
      .object({
        outcome: z.literal('unchanged'),
        reason: z.enum(REASONS),
        detail: z.string().optional(),
        suggestion: suggestion.optional(),
        ...receiptCommon,
      })
      .meta({ id: 'ReceiptUnchanged' }),
  ])
  .meta({
    id: 'Receipt',
    ...discriminator('outcome', { compressed: 'ReceiptCompressed', unchanged: 'ReceiptUnchanged' }),
    description: 'What was done, and the proof: the result was decoded again and compared before the task was called completed.',
  })

const ofTestKeys = z.literal(true).describe('Of a test key (`whl_test_…`): with limits, storage and usage of its own')

const taskCommon = {
  task_id: taskId,
  original_size: bytes,
  created_at: time,
  file_name: z.string(),
  format: z.string().describe('Recognised input format; `unknown` for a file of a batch that no format recognises'),
  quality: qualityName,
  batch_id: batchId.optional(),
  test: ofTestKeys.optional(),
}
export const task = z
  .discriminatedUnion('status', [
    z.object({ ...taskCommon, status: z.enum(['pending', 'processing']), progress: z.number().min(0).max(1) }).meta({ id: 'TaskPending' }),
    z
      .object({
        ...taskCommon,
        status: z.literal('completed'),
        download_url: z.url(),
        compressed_size: bytes,
        compression_ratio: z.string().regex(/^-?\d+\.\d%$/),
        completed_at: time,
        output_format: z.string().describe('What the result is; under a password, what lies inside of the ZIP'),
        output_name: z.string(),
        expires_at: time,
        result: receipt,
      })
      .meta({ id: 'TaskCompleted' }),
    z
      .object({
        ...taskCommon,
        status: z.literal('failed'),
        completed_at: time,
        error: errorBody,
        error_detail: errorDetail,
      })
      .meta({ id: 'TaskFailed' }),
  ])
  .meta({
    id: 'Task',
    description: 'One compression job.',
    ...discriminator('status', { pending: 'TaskPending', processing: 'TaskPending', completed: 'TaskCompleted', failed: 'TaskFailed' }),
  })

const engine = z
  .object({
    name: z.string(),
    version: z.string().optional().describe('Of this service, whose own code works on every result'),
    wasm_sha256: sha256.optional().describe('Of the Wasm binary'),
    sources: z.array(z.string()).optional().describe('What is compiled in: name and version'),
  })
  .meta({ id: 'Engine' })
export const receiptDocument = z
  .object({
    iss: z.url().describe('Who says so: the origin that the file was sent to'),
    task_id: taskId,
    file_name: z.string(),
    format: z.string(),
    output_format: z.string(),
    quality: qualityName,
    original_size: bytes,
    compressed_size: bytes,
    result: receipt,
    encrypted: z.literal(true).optional().describe('The result is under a password: size and SHA-256 are of what is encrypted'),
    engines: z.array(engine).nullable().describe('That may have worked on it; null where the task was completed before they were kept'),
    completed_at: time,
  })
  .meta({ id: 'SignedReceipt', description: 'What is signed.' })
const publicKey = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    kid: z.string(),
    use: z.literal('sig'),
    alg: z.literal('EdDSA'),
  })
  .meta({ id: 'PublicKey' })
export const keySet = z.object({ keys: z.array(publicKey) }).meta({ id: 'KeySet' })

export const batch = z.object({ batch_id: batchId, tasks: z.array(task) }).meta({ id: 'Batch' })
export const taskPage = z.object({ tasks: z.array(task), next_cursor: z.string().nullable() }).meta({ id: 'TaskPage' })
export const deleted = z.object({ task_id: taskId, deleted: z.literal(true), freed_bytes: bytes }).meta({ id: 'Deleted' })

export const upload = z
  .object({
    upload_id: uploadId,
    file_name: z.string(),
    size: bytes,
    offset: bytes.describe('Bytes that are stored; the next PATCH goes on there'),
    expires_at: time,
    task_id: taskId.nullable().describe('The task that it became'),
  })
  .meta({ id: 'Upload' })

const usageOfFormat = z.object({ tasks: z.int(), original_size: bytes, compressed_size: bytes }).meta({ id: 'UsageOfFormat' })
const usageOfDay = z
  .object({ day: z.string(), api_calls: z.int(), tasks: z.int(), original_size: bytes, compressed_size: bytes })
  .meta({ id: 'UsageOfDay' })
export const usage = z
  .object({
    month: z.string().regex(/^\d{4}-\d\d$/),
    plan: planName,
    test: ofTestKeys.optional(),
    api_calls: z.int().min(0),
    original_size: bytes,
    compressed_size: bytes,
    storage_used: bytes,
    storage_quota: bytes,
    tasks_completed: z.int().min(0),
    tasks_failed: z.int().min(0),
    by_format: z.record(z.string(), usageOfFormat),
    by_day: z.array(usageOfDay),
  })
  .meta({ id: 'Usage' })

const formatFacts = z
  .object({
    id: z.string(),
    title: z.string(),
    family: z.string(),
    extensions: z.array(z.string()),
    mime_types: z.array(z.string()),
    available: z.boolean().describe('false: recognised, and returned unchanged for now'),
    outputs: z.array(z.string()).describe('The first is the default'),
    qualities: z.array(qualityName),
    levels: z.record(z.string(), z.string()).optional(),
    fidelity,
    password: z.enum(['pdf', 'ooxml', 'zip']).describe('How a password is applied'),
    max_pixels: z.int().optional().describe('Of a picture, or of one of a film; larger ones come back unchanged, `over_budget`'),
    quick_up_to: bytes.describe('Files up to this size are answered in the request; larger ones are queued'),
  })
  .meta({ id: 'Format' })
const limits = z
  .object({
    plan: planName,
    max_file_bytes: bytes,
    max_batch_files: z.int(),
    retention_seconds: z.int(),
    requests_per_minute: z.int().nullable(),
    callbacks: z.boolean(),
  })
  .meta({ id: 'Limits' })
const holds = z.object({ alpha: z.boolean(), bits: z.int(), frames: z.boolean(), metadata: z.array(z.string()) }).meta({ id: 'Holds' })
const outputFacts = z
  .object({
    id: z.string().describe('What `format` takes'),
    title: z.string(),
    extension: z.string(),
    media_type: z.string(),
    wraps: z.boolean().describe('Put around the whole file, which keeps its name: notes.md.zst'),
    holds: holds.optional().describe('Pictures: what the output can hold'),
    max_pixels: z.int().optional().describe('Of a picture without transparency that becomes this'),
  })
  .meta({ id: 'Output' })
export const formats = z
  .object({
    formats: z.array(formatFacts),
    output_formats: z.array(outputFacts),
    limits,
    job_memory_bytes: bytes.describe('What one job may use; a file that needs more comes back unchanged, `over_budget`'),
    max_body_bytes: bytes.describe('The largest body of a request; what is larger goes up in chunks, see `/v1/uploads`'),
  })
  .meta({ id: 'Formats' })

const healthCheck = z.object({ ok: z.boolean(), ms: z.number() }).meta({ id: 'HealthCheck' })
const statusPart = z
  .object({
    looks: z.int().min(0),
    failures: z.int().min(0),
    mean_ms: z.int().min(0).optional().describe('Absent where nothing answered'),
    max_ms: z.int().min(0),
  })
  .meta({ id: 'StatusPart' })
const statusDay = z.object({ day: z.iso.date(), parts: z.record(z.string(), statusPart) }).meta({ id: 'StatusDay' })
export const status = z
  .object({
    status: z.enum(['ok', 'degraded', 'unknown']).describe('What the last look found; `unknown`: the last one is long ago'),
    looked_at: time.optional(),
    days: z.array(statusDay).describe('The oldest first; days without looks are absent'),
  })
  .meta({ id: 'Status' })
export const health = z.object({ status: z.enum(['ok', 'degraded']), checks: z.record(z.string(), healthCheck) }).meta({ id: 'Health' })
