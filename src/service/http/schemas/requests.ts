/** Schemas of requests: they validate requests and become part of `/openapi.json`. */

import * as z from 'zod'
import { EFFORTS } from '../../../core/catalog/effort.ts'
import { DOCUMENT_DPI } from '../../../core/catalog/levels.ts'
import { METADATA_MODES } from '../../../core/catalog/metadata.ts'
import { TARGET_SCORES } from '../../../core/catalog/score-goal.ts'
import { type ApiMessage, type ApiPlainCode, apiMessage, isPlainCode } from '../../i18n/message.ts'
import { invalidParameter } from '../../tasks/api-error.ts'
import { checkOutputName, type JobOptions } from '../../tasks/job-options.ts'
import { refuseUnknownFields, refuseUnknownNames } from '../unknown-fields.ts'
import { outputFormat, QUALITIES } from './common.ts'
import { bucketDestination, MAX_PLACE_LENGTH } from './places.ts'

/** Maximum length of a password, in bytes of UTF-8 (limit of PDF 2.0). */
const MAX_PASSWORD_BYTES = 127
const TOO_MANY_BYTES = 'must_be_at_most_bytes_of_utf_8'

const quality = z
  .enum(QUALITIES)
  .default('medium')
  .describe('`low` gives the smallest file, `high` the most faithful one. `ultra` exists for DOCX, XLSX, PPTX and OFD.')
const password = z
  .string()
  .min(1)
  .max(MAX_PASSWORD_BYTES)
  .refine((text) => new TextEncoder().encode(text).length <= MAX_PASSWORD_BYTES, TOO_MANY_BYTES)
  .refine((text) => !/\p{Cc}/u.test(text), 'must_not_contain_control_characters' satisfies ApiPlainCode)
  .describe('Encrypts the result (AES-256): inside PDF and Office files, else as a ZIP around it.')
const callbackUrl = z
  .string()
  .min(1)
  .max(2048)
  .describe('Address that receives a request when a task ends (Standard Webhooks). It must be https with a public domain name.')
const targetSize = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must_be_whole_number_of_bytes' satisfies ApiPlainCode)
  .transform(Number)
  .describe('Maximum size of the result in bytes. The service returns the best quality that fits.')

const targetScore = z
  .string()
  .regex(/^\d{2}(\.\d)?$/, 'must_be_score' satisfies ApiPlainCode)
  .transform(Number)
  .refine((score) => score >= TARGET_SCORES.least && score <= TARGET_SCORES.most, 'must_be_score' satisfies ApiPlainCode)
  .describe(
    'Lowest SSIMULACRA 2 score of every picture, 50 to 95, instead of `quality`: the service returns the smallest result that reaches it. For pictures, and documents with pictures.',
  )
const pixels = (what: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must_be_whole_number_of_pixels' satisfies ApiPlainCode)
    .transform(Number)
    .describe(
      `Maximum ${what} of a picture in pixels, as it is shown. A larger picture is reduced with the same aspect ratio; quality is measured against the reduced upload.`,
    )
const dpi = z
  .string()
  .regex(/^\d{2,3}$/, 'must_be_dpi' satisfies ApiPlainCode)
  .transform(Number)
  .refine((value) => value >= DOCUMENT_DPI.least && value <= DOCUMENT_DPI.most, 'must_be_dpi' satisfies ApiPlainCode)
  .describe('For documents: pictures are reduced to this resolution at the size they are shown, 72 to 600 dots per inch.')

const effort = z
  .enum(EFFORTS)
  .describe(
    'How long the search for a small result may take. `fast`: at most 10 % larger than `balanced`, the default. `best`: never larger, in up to three times the time. Quality floors and receipts are the same.',
  )

const metadata = z
  .enum(METADATA_MODES)
  .describe(
    '`keep`: everything stays. `safe`: removes metadata except what changes the look (colour profile, orientation) or the law (copyright, author). `strip`: keeps only what changes the look.',
  )

const usageRights = z
  .enum(['keep', 'drop'])
  .describe(
    'For PDFs whose only signature grants usage rights for Adobe Reader. `keep` returns them unchanged with the reason `signed`. `drop` compresses them without these rights: Adobe Reader may then no longer save form entries or comments.',
  )

const retention = z
  .string()
  .regex(/^\d{1,9}$/, 'must_be_whole_number_of_seconds' satisfies ApiPlainCode)
  .transform(Number)
  .describe(
    'Seconds that result and upload are kept, at most the retention of the plan (default). `0` keeps nothing after the answer; it needs `response=file`.',
  )

const response = z
  .enum(['task', 'file'])
  .describe('`task` (default): the answer is the task. `file`: the answer is the result, if the task ends within the wait (60 s).')

const destinationUrl = z
  .string()
  .min(1)
  .max(4096)
  .describe(
    'Address that the result is also sent to, by one `PUT`: https with a public domain name, for example a presigned address of a bucket. The result stays here as well.',
  )
const HEADERS_TEXT =
  'Headers of that request: `x-ms-blob-type`, `x-amz-*`, `x-goog-*`, `content-type` and `cache-control`. In a form: a JSON object as text.'
const destinationHeaders = z.string().max(8192).describe(HEADERS_TEXT)

const destination = z
  .string()
  .max(MAX_PLACE_LENGTH)
  .describe(
    'Place in a bucket that the result is also sent to, instead of `destination_url`: `connection` with `prefix` or `key`. In a form: a JSON object as text. The result stays here as well.',
  )

export const PRESET_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const preset = z
  .string()
  .regex(PRESET_NAME, 'must_be_name_of_preset' satisfies ApiPlainCode)
  .describe('Name of a preset: `web`, `email`, `archive`, `print`, or one of the account. Other fields of the request take precedence.')

export const compressFields = z.object({
  quality,
  format: outputFormat.optional(),
  password: password.optional(),
  callback_url: callbackUrl.optional(),
  target_size: targetSize.optional(),
  target_score: targetScore.optional(),
  max_width: pixels('width').optional(),
  max_height: pixels('height').optional(),
  dpi: dpi.optional(),
  effort: effort.optional(),
  metadata: metadata.optional(),
  usage_rights: usageRights.optional(),
  response: response.optional(),
  retention: retention.optional(),
  preset: preset.optional(),
  destination_url: destinationUrl.optional(),
  destination_headers: destinationHeaders.optional(),
  destination: destination.optional(),
  upload: z.string().max(200).optional().describe('A finished resumable upload (`upl_…`), instead of `file`'),
  url: z
    .string()
    .max(4096)
    .optional()
    .describe(
      'Address that Whittle fetches the file from, instead of `file`: https with a public domain name. It follows up to 3 redirects and waits 60 s for the first byte.',
    ),
  source: z
    .string()
    .max(MAX_PLACE_LENGTH)
    .optional()
    .describe('Object of a bucket, instead of `file`: `connection` and `key`. In a form: a JSON object as text.'),
})
/** Fields that name one file or its destination. */
const OF_ONE_FILE = { upload: true, url: true, source: true, destination_url: true, destination_headers: true } as const
export const batchFields = compressFields.omit({ ...OF_ONE_FILE, target_size: true, response: true, retention: true })
/** Fields that a preset can have. */
export const presetFields = compressFields.omit({ ...OF_ONE_FILE, destination: true, password: true, preset: true })

type Fields = typeof compressFields | typeof batchFields | typeof presetFields

/** Validates one text field at the time it arrives. */
export function checkField(schema: Fields, name: string, value: string): void {
  const field = (schema.shape as Record<string, z.ZodType>)[name]
  const parsed = field?.safeParse(value)
  if (parsed && !parsed.success) throw invalidField(name, value, parsed.error)
}

/** Options of a request, without those of its preset. Fields that were not sent are `undefined`. */
export function parseJobOptions(schema: Fields, fields: ReadonlyMap<string, string>): Partial<JobOptions> {
  const parsed = (schema as typeof compressFields).parse(Object.fromEntries(fields))
  for (const other of ['quality', 'target_size'])
    if (fields.has('target_score') && fields.has(other))
      throw invalidParameter('target_score', apiMessage('score_excludes', { other }), { got: shorten(fields.get('target_score') ?? '') })
  return {
    ...(fields.has('quality') ? { quality: parsed.quality } : {}),
    ...(parsed.format === undefined ? {} : { format: parsed.format }),
    ...(parsed.password === undefined ? {} : { password: parsed.password }),
    ...(parsed.callback_url === undefined ? {} : { callbackUrl: parsed.callback_url }),
    ...(parsed.target_size === undefined ? {} : { targetSize: parsed.target_size }),
    ...(parsed.target_score === undefined ? {} : { targetScore: parsed.target_score }),
    ...(parsed.max_width === undefined ? {} : { maxWidth: parsed.max_width }),
    ...(parsed.max_height === undefined ? {} : { maxHeight: parsed.max_height }),
    ...(parsed.dpi === undefined ? {} : { dpi: parsed.dpi }),
    ...(parsed.effort === undefined ? {} : { effort: parsed.effort }),
    ...(parsed.metadata === undefined ? {} : { metadata: parsed.metadata }),
    ...(parsed.usage_rights === undefined ? {} : { usageRights: parsed.usage_rights }),
    ...(parsed.response === undefined ? {} : { response: parsed.response }),
    ...(parsed.retention === undefined ? {} : { retention: parsed.retention }),
  }
}

/** Metadata keys of a resumable upload that describe the file, under the names that common clients use. */
const FILE_FACTS = ['filename', 'filetype', 'name', 'type', 'relativePath']
const WISHES = Object.keys(compressFields.omit({ ...OF_ONE_FILE, destination: true, response: true, retention: true }).shape)

/** Metadata keys of a resumable upload that set options: the fields of the form except `response` and `retention`, and whether its task starts automatically. */
export function parseUploadOptions(values: ReadonlyMap<string, string>): Partial<JobOptions> & { compress: boolean; presetName?: string } {
  refuseUnknownNames(values.keys(), [...FILE_FACTS, ...WISHES, 'compress'])
  const fields = new Map([...values].filter(([name]) => WISHES.includes(name)))
  for (const [name, value] of fields) checkField(compressFields, name, value)
  const options = parseJobOptions(compressFields, fields)
  if (options.format !== undefined) checkOutputName(options.format)
  const presetName = fields.get('preset')
  return {
    ...options,
    compress: isSwitchedOn('compress', values.get('compress')),
    ...(presetName === undefined ? {} : { presetName }),
  }
}

const SWITCH: Readonly<Record<string, boolean>> = { '': true, true: true, '1': true, yes: true, false: false, '0': false, no: false }

/** A boolean metadata key: without a value, or with a word for yes. */
function isSwitchedOn(name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  const on = SWITCH[value.toLowerCase()]
  if (on === undefined)
    throw invalidParameter(name, apiMessage('must_be_true_or_false', { name, got: shorten(value) }), { allowed: ['true', 'false'] })
  return on
}

/** Fields whose values are never repeated in errors. */
const SECRET_FIELDS: readonly string[] = ['password', 'destination_url', 'destination_headers']

function invalidField(name: string, value: string, error: z.ZodError) {
  if (name === 'quality') {
    const allowed = QUALITIES.slice(0, 3)
    return invalidParameter(name, apiMessage('quality_must_be', { got: shorten(value) }), {
      got: shorten(value),
      allowed,
    })
  }
  const got = SECRET_FIELDS.includes(name) ? {} : { got: shorten(value) }
  const why = whyOf(error)
  const said = 'got' in got ? apiMessage('field_wrong_got', { name, why, got: got.got }) : apiMessage('field_wrong', { name, why })
  return invalidParameter(name, said, { ...got, ...allowedOf(error) })
}

/** Values of a field that has a fixed list of them. */
function allowedOf(error: z.ZodError): { allowed?: readonly string[] } {
  const [issue] = error.issues
  return issue?.code === 'invalid_value' ? { allowed: issue.values.map(String) } : {}
}

const shorten = (value: string) => (value.length > 60 ? `${value.slice(0, 60)}…` : value)

/** Message for an invalid field. Schemas here name their messages by code. */
function whyOf(error: z.ZodError): ApiMessage {
  const [issue] = error.issues
  if (issue?.code === 'too_small') return apiMessage('must_not_be_empty')
  if (issue?.code === 'too_big') return apiMessage('must_be_at_most_characters', { limit: String(issue.maximum) })
  if (issue?.message === TOO_MANY_BYTES) return apiMessage(TOO_MANY_BYTES, { limit: MAX_PASSWORD_BYTES })
  return apiMessage(issue && isPlainCode(issue.message) ? issue.message : 'is_not_valid')
}

/** Message for an invalid query or body: a message code of the schema, or the text of zod. */
function shapeOf(issue: z.core.$ZodIssue | undefined): ApiMessage | string {
  if (!issue) return apiMessage('it_has_another_shape')
  return isPlainCode(issue.message) ? apiMessage(issue.message) : issue.message
}

/**
 * Parses a query or a JSON body.
 * @throws ApiError for the first invalid value
 */
export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  refuseUnknownFields(schema, value)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = issue?.path.join('.') || 'body'
  throw invalidParameter(param, apiMessage('value_not_valid', { name: param, why: shapeOf(issue) }))
}

/** Returns the name of a preset in a JSON body. @throws ApiError `invalid_parameter` */
export function presetName(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  checkField(compressFields, 'preset', text)
  return text
}

export const linkFields = z.strictObject({
  expires_in: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(3600)
    .describe('Seconds until the link stops working'),
  max_downloads: z.int().min(1).max(1_000_000).optional().describe('Number of downloads. Default: no limit'),
})

/** Destination of a redelivery. Without an address, it is that of the task. */
export const deliveryFields = z.strictObject({
  destination_url: destinationUrl.optional(),
  destination_headers: z.record(z.string(), z.string()).optional().describe(HEADERS_TEXT),
  destination: bucketDestination.optional(),
})

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Tasks per page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page'),
})
export const batchDownloadQuery = z.object({
  only: z.enum(['compressed']).optional().describe('`compressed`: without files that stayed unchanged. Default: all results'),
})
export const cursorQuery = z.object({ cursor: z.string().max(1000).optional().describe('`next_cursor` of the previous page') })
export const receiptQuery = z.object({
  decoded: z.enum(['0', '1']).default('0').describe('`1`: the signed content as JSON instead of the JWS'),
})
export const usageQuery = z.object({
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must_look_like_month' satisfies ApiPlainCode)
    .optional()
    .describe('Default: this month (UTC)'),
})
