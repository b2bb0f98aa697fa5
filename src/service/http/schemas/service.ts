/** Schemas of usage, formats, limits and the state of the service. */
import * as z from 'zod'
import { EFFORTS } from '../../../core/catalog/effort.ts'
import { METADATA_MODES } from '../../../core/catalog/metadata.ts'
import { bytes, fidelity, ofTestKeys, outputFormat, planName, qualityName, time } from './common.ts'

const apiCalls = z.int().min(0).describe('Number of requests')
const completedTasks = z.int().min(0).describe('Number of completed tasks')
const uploaded = bytes.describe('Bytes of all uploads')
const returned = bytes.describe('Bytes of all results')
const usageOfFormat = z
  .object({
    tasks: completedTasks,
    original_size: uploaded,
    compressed_size: returned,
  })
  .meta({ id: 'UsageOfFormat' })
const usageOfDay = z
  .object({
    day: z.string().describe('Date in UTC'),
    api_calls: apiCalls,
    tasks: completedTasks,
    original_size: uploaded,
    compressed_size: returned,
  })
  .meta({ id: 'UsageOfDay' })
export const usage = z
  .object({
    month: z
      .string()
      .regex(/^\d{4}-\d\d$/)
      .describe('Month in UTC'),
    plan: planName,
    test: ofTestKeys.optional(),
    api_calls: apiCalls,
    original_size: uploaded,
    compressed_size: returned,
    storage_used: bytes.describe('Bytes stored now'),
    storage_quota: bytes.describe('Bytes that the account may store'),
    cpu_seconds: z.number().min(0).describe('CPU seconds of all tasks'),
    cpu_seconds_estimated: z.number().min(0).describe('Part of `cpu_seconds` that is estimated from format and size, not measured'),
    cpu_seconds_quota: z.number().min(0).nullable().describe('Above it, tasks wait for those of other accounts. `null`: no quota'),
    tasks_completed: completedTasks,
    tasks_failed: z.int().min(0).describe('Number of failed tasks'),
    by_format: z.record(z.string(), usageOfFormat).describe('Usage by recognised format'),
    by_day: z.array(usageOfDay).describe('Usage by day, oldest first'),
  })
  .meta({ id: 'Usage' })

/** Fields of a preset, as the API shows and accepts them. */
export const preset = z
  .object({
    quality: qualityName.describe('Level of quality'),
    format: outputFormat.describe('Output format, for files that can have it'),
    callback_url: z.url().describe('Address that receives a request when a task ends'),
    target_size: z.int().min(1).meta({ format: 'int64', description: 'Maximum size of the result in bytes' }),
    target_score: z.number().describe('Lowest SSIMULACRA 2 score, instead of `quality`'),
    max_width: z.int().min(1).describe('Maximum width of a picture in pixels'),
    max_height: z.int().min(1).describe('Maximum height of a picture in pixels'),
    dpi: z.int().describe('Resolution of pictures in documents, in dots per inch'),
    effort: z.enum(EFFORTS).describe('How long the search for a small result may take'),
    metadata: z.enum(METADATA_MODES).describe('Metadata of the result'),
    usage_rights: z.enum(['keep', 'drop']).describe('Usage rights for Adobe Reader in PDFs'),
    response: z.enum(['task', 'file']).describe('Kind of the answer'),
    retention: z.int().min(0).describe('Seconds that result and upload are kept'),
  })
  .partial()
  .meta({ id: 'Preset', description: 'Fields of `/v1/compress` under a name. All are optional.' })

const effortCost = z
  .object({
    cpu_seconds_per_mb: z.number().min(0).describe('CPU seconds for each megabyte of the upload. Small files take longer per megabyte'),
    measured_tasks: z.int().min(0).describe('Tasks of this account that the figure is measured on. 0: it is an estimate'),
  })
  .meta({ id: 'EffortCost' })
const formatFacts = z
  .object({
    id: z.string().describe('Value of `format` in tasks'),
    title: z.string().describe('Name of the format'),
    family: z.string().describe('Group of the format'),
    extensions: z.array(z.string()).describe('File name extensions. The first is the usual one'),
    mime_types: z.array(z.string()).describe('Media types. The first is the usual one'),
    available: z.boolean().describe('false: recognised, but returned unchanged at present'),
    outputs: z.array(z.string()).describe('Values for `format`. The first is the default'),
    qualities: z.array(qualityName).describe('Values for `quality`'),
    levels: z
      .record(z.string(), z.string())
      .optional()
      .describe('What each level does to files of this format. Absent: the levels are equal'),
    fidelity: fidelity.describe('`lossless`: every result is. `perceptual`: results may lose something'),
    inventory: z.array(z.string()).describe('Kinds of content besides pixels and samples that receipts of this format count'),
    metadata: z.array(z.enum(['keep', 'safe', 'strip'])).describe('Values of the field `metadata` that this format allows'),
    options: z
      .array(z.enum(['target_score', 'max_width', 'max_height', 'dpi', 'effort']))
      .describe('Further fields of `/v1/compress` that this format allows'),
    efforts: z
      .record(z.enum(EFFORTS), effortCost)
      .optional()
      .describe('CPU time that files of this format take at each effort. Absent: the effort changes nothing'),
    password: z.enum(['pdf', 'ooxml', 'zip']).describe('How a password is applied'),
    max_pixels: z
      .int()
      .optional()
      .describe('Maximum pixels of a picture or video frame. Larger ones are returned unchanged with the reason `over_budget`'),
    quick_up_to: bytes.describe('Files up to this size are compressed within the request; larger ones are queued'),
  })
  .meta({ id: 'Format' })
const limits = z
  .object({
    plan: planName,
    max_file_bytes: bytes.describe('Largest file in bytes'),
    max_batch_files: z.int().describe('Number of files in one batch'),
    retention_seconds: z.int().describe('Seconds that results are kept'),
    requests_per_minute: z.int().nullable().describe('Requests of a key within 60 seconds. `null`: no limit'),
    callbacks: z.boolean().describe('True if `callback_url` is allowed'),
  })
  .meta({ id: 'Limits' })
const holds = z
  .object({
    alpha: z.boolean().describe('True if pictures can be transparent'),
    bits: z.int().describe('Bits per sample'),
    frames: z.boolean().describe('True if pictures can be animated'),
    metadata: z.array(z.string()).describe('Kinds of metadata'),
  })
  .meta({ id: 'Holds' })
const outputFacts = z
  .object({
    id: z.string().describe('Value for `format`'),
    title: z.string().describe('Name of the output'),
    extension: z.string().describe('File name extension of the result'),
    media_type: z.string().describe('Media type of the result'),
    wraps: z.boolean().describe('True if the output wraps the whole file and appends to its name: notes.md.zst'),
    holds: holds.optional().describe('Pictures: features that the output can store'),
    max_pixels: z.int().optional().describe('Maximum pixels of a picture without transparency in this output'),
  })
  .meta({ id: 'Output' })
export const formats = z
  .object({
    formats: z.array(formatFacts).describe('Formats that are accepted'),
    output_formats: z.array(outputFacts).describe('Outputs that `format` can name'),
    limits: limits.describe('Limits of the key'),
    job_memory_bytes: bytes.describe('Memory of one job. A file that needs more is returned unchanged with the reason `over_budget`'),
    max_body_bytes: bytes.describe('Largest request body. Upload larger files in chunks, see `/v1/uploads`'),
  })
  .meta({ id: 'Formats' })

const healthCheck = z
  .object({ ok: z.boolean().describe('True if the part responded'), ms: z.number().describe('Response time in milliseconds') })
  .meta({ id: 'HealthCheck' })
const statusPart = z
  .object({
    looks: z.int().min(0).describe('Number of checks'),
    failures: z.int().min(0).describe('Number of failed checks'),
    mean_ms: z.int().min(0).optional().describe('Mean response time in milliseconds. Absent if nothing responded'),
    max_ms: z.int().min(0).describe('Longest response time in milliseconds'),
  })
  .meta({ id: 'StatusPart' })
const statusDay = z
  .object({
    day: z.iso.date().describe('Date in UTC'),
    parts: z.record(z.string(), statusPart).describe('Checks of this day by part of the service'),
  })
  .meta({ id: 'StatusDay' })
export const status = z
  .object({
    status: z.enum(['ok', 'degraded', 'unknown']).describe('Result of the last check. `unknown`: the last check is too old'),
    looked_at: time.optional().describe('Time of the last check: ISO 8601, UTC, with milliseconds'),
    days: z.array(statusDay).describe('Oldest day first; days without checks are absent'),
  })
  .meta({ id: 'Status' })
export const health = z
  .object({
    status: z.enum(['ok', 'degraded']).describe('`degraded`: at least one part did not respond'),
    checks: z.record(z.string(), healthCheck).describe('Result by part of the service'),
  })
  .meta({ id: 'Health' })
