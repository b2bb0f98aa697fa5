/** Schemas of usage, formats, limits and the state of the service. */
import * as z from 'zod'
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
