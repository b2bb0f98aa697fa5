/** Schemas of usage, formats, limits and the state of the service. */
import * as z from 'zod'
import { METADATA_MODES } from '../../../core/catalog/metadata.ts'
import { bytes, fidelity, ofTestKeys, planName, qualityName, time } from './common.ts'

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
    cpu_seconds: z.number().min(0),
    cpu_seconds_estimated: z.number().min(0).describe('Part of `cpu_seconds` that is estimated from format and size, not measured'),
    cpu_seconds_quota: z.number().min(0).nullable().describe('Above it, tasks wait for those of other accounts. `null`: no quota'),
    tasks_completed: z.int().min(0),
    tasks_failed: z.int().min(0),
    by_format: z.record(z.string(), usageOfFormat),
    by_day: z.array(usageOfDay),
  })
  .meta({ id: 'Usage' })

/** Fields of a preset, as the API shows and accepts them. */
export const preset = z
  .object({
    quality: qualityName,
    format: z.string().describe('Output format, for files that can have it'),
    callback_url: z.url(),
    target_size: z.int().min(1).meta({ format: 'int64', description: 'Bytes' }),
    target_score: z.number().describe('Lowest SSIMULACRA 2 score, instead of `quality`'),
    max_width: z.int().min(1).describe('Pixels'),
    max_height: z.int().min(1).describe('Pixels'),
    dpi: z.int().describe('Dots per inch'),
    metadata: z.enum(METADATA_MODES),
    usage_rights: z.enum(['keep', 'drop']),
    response: z.enum(['task', 'file']),
    retention: z.int().min(0).describe('Seconds'),
  })
  .partial()
  .meta({ id: 'Preset', description: 'Fields of `/v1/compress` under a name. All are optional.' })

const formatFacts = z
  .object({
    id: z.string(),
    title: z.string(),
    family: z.string(),
    extensions: z.array(z.string()),
    mime_types: z.array(z.string()),
    available: z.boolean().describe('false: recognised, but returned unchanged at present'),
    outputs: z.array(z.string()).describe('The first is the default'),
    qualities: z.array(qualityName),
    levels: z.record(z.string(), z.string()).optional(),
    fidelity,
    inventory: z.array(z.string()).describe('Kinds of content besides pixels and samples that receipts of this format count'),
    metadata: z.array(z.enum(['keep', 'safe', 'strip'])).describe('Values of the field `metadata` that this format allows'),
    options: z
      .array(z.enum(['target_score', 'max_width', 'max_height', 'dpi']))
      .describe('Further fields of `/v1/compress` that this format allows'),
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
    id: z.string().describe('Value for `format`'),
    title: z.string(),
    extension: z.string(),
    media_type: z.string(),
    wraps: z.boolean().describe('True if the output wraps the whole file and appends to its name: notes.md.zst'),
    holds: holds.optional().describe('Pictures: features that the output can store'),
    max_pixels: z.int().optional().describe('Maximum pixels of a picture without transparency in this output'),
  })
  .meta({ id: 'Output' })
export const formats = z
  .object({
    formats: z.array(formatFacts),
    output_formats: z.array(outputFacts),
    limits,
    job_memory_bytes: bytes.describe('Memory of one job. A file that needs more is returned unchanged with the reason `over_budget`'),
    max_body_bytes: bytes.describe('Largest request body. Upload larger files in chunks, see `/v1/uploads`'),
  })
  .meta({ id: 'Formats' })

const healthCheck = z.object({ ok: z.boolean(), ms: z.number() }).meta({ id: 'HealthCheck' })
const statusPart = z
  .object({
    looks: z.int().min(0),
    failures: z.int().min(0),
    mean_ms: z.int().min(0).optional().describe('Mean response time. Absent if nothing responded'),
    max_ms: z.int().min(0),
  })
  .meta({ id: 'StatusPart' })
const statusDay = z.object({ day: z.iso.date(), parts: z.record(z.string(), statusPart) }).meta({ id: 'StatusDay' })
export const status = z
  .object({
    status: z.enum(['ok', 'degraded', 'unknown']).describe('Result of the last check. `unknown`: the last check is too old'),
    looked_at: time.optional(),
    days: z.array(statusDay).describe('Oldest day first; days without checks are absent'),
  })
  .meta({ id: 'Status' })
export const health = z.object({ status: z.enum(['ok', 'degraded']), checks: z.record(z.string(), healthCheck) }).meta({ id: 'Health' })
