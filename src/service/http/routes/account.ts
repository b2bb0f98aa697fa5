/** GET /v1/usage and GET /v1/formats. */

import { EFFORTS } from '../../../core/catalog/effort.ts'
import type { PixelLimits } from '../../../core/catalog/format.ts'
import { FORMATS } from '../../../core/catalog/index.ts'
import { kindsOf } from '../../../core/catalog/inventory/index.ts'
import { METADATA_MODES } from '../../../core/catalog/metadata.ts'
import { dependsOnEffort, type KnownFormat, type OutputId, outputFacts, REQUESTABLE_OUTPUTS } from '../../../core/catalog/outputs.ts'
import { maxPixelsOf } from '../../../core/model/budget.ts'
import { ISOLATE_BYTES, LANES } from '../../lanes.ts'
import type { MeasuredCost } from '../../store/accounts.ts'
import { PLANS } from '../../store/plans.ts'
import { effortCost } from '../../tasks/estimated-seconds.ts'
import type { AppContext } from '../context.ts'
import { json, type Route } from '../route.ts'
import { parseOrRefuse, usageQuery } from '../schemas/requests.ts'
import { formats, usage } from '../schemas/service.ts'

/** Largest request body on Cloudflare's Free and Pro plans, in bytes. */
const MAX_BODY_BYTES = 100_000_000

export const getUsage: Route = {
  method: 'GET',
  path: '/v1/usage',
  access: 'usage:read',
  query: usageQuery,
  async handle(c) {
    const { month } = parseOrRefuse(usageQuery, c.req.query())
    const { accountId, plan } = c.get('key')
    return json(await c.env.ACCOUNTS.getByName(accountId).usage(plan, month))
  },
  doc: { id: 'getUsage', summary: 'Usage of the account in a month', answer: usage, errors: [400] },
}

export const getFormats: Route = {
  method: 'GET',
  path: '/v1/formats',
  access: 'key',
  async handle(c) {
    const { accountId, plan: id, requestsPerMinute } = c.get('key')
    const plan = PLANS[id]
    const [available, costs] = await Promise.all([availableFormats(c), c.env.ACCOUNTS.getByName(accountId).costs()])
    const job = { memoryBudget: Number(c.env.JOB_MEMORY_BYTES ?? ISOLATE_BYTES) }
    return json({
      formats: Object.values<KnownFormat>(FORMATS).map((format) => describe(format, { available: available.has(format.id), job, costs })),
      output_formats: REQUESTABLE_OUTPUTS.map((output) => describeOutput(output, job)),
      limits: {
        plan: id,
        max_file_bytes: plan.maxFileBytes,
        max_batch_files: plan.maxBatchFiles,
        retention_seconds: plan.retentionMs / 1000,
        requests_per_minute: requestsPerMinute ?? plan.requestsPerMinute,
        callbacks: plan.callbacks,
      },
      job_memory_bytes: job.memoryBudget,
      max_body_bytes: Number(c.env.MAX_BODY_BYTES ?? MAX_BODY_BYTES),
    })
  },
  doc: { id: 'getFormats', summary: 'Supported formats, outputs, and the limits of your plan', answer: formats, errors: [] },
}

/** Formats that the codec Workers report as available, so that the list never promises a missing codec. */
async function availableFormats(c: AppContext): Promise<Set<string>> {
  const [press, media] = await Promise.all([c.env.PRESS.health(), c.env.MEDIA.health()])
  return new Set([...press.formats, ...media.formats])
}

type Job = { readonly memoryBudget: number }

const mostPixels = (most: PixelLimits | undefined, job: Job) => (most ? { max_pixels: maxPixelsOf(most, job) } : {})

function describeOutput(id: OutputId, job: Job) {
  const { title, extension, mediaType, wraps, holds, picture, mostPixels: most = picture?.mostPixels } = outputFacts(id)
  return { id, title, extension, media_type: mediaType, wraps, ...(holds ? { holds } : {}), ...mostPixels(most, job) }
}

interface Circumstances {
  /** True if a Worker that compresses the format runs. */
  readonly available: boolean
  readonly job: Job
  readonly costs: readonly MeasuredCost[]
}

function describe(format: KnownFormat, { available, job, costs }: Circumstances) {
  return {
    id: format.id,
    title: format.title,
    family: format.family,
    extensions: format.extensions,
    mime_types: format.mimeTypes,
    available,
    outputs: format.outputs,
    qualities: format.ultra ? ['low', 'medium', 'high', 'ultra'] : ['low', 'medium', 'high'],
    ...(format.levels ? { levels: format.levels } : {}),
    fidelity: format.fidelity,
    inventory: kindsOf(format.id),
    metadata: format.metadata ? METADATA_MODES : ['keep'],
    options: [
      ...(format.scored ? ['target_score'] : []),
      ...(format.resizes ? ['max_width', 'max_height'] : []),
      ...(format.hasPages ? ['dpi'] : []),
      ...(dependsOnEffort(format) ? ['effort'] : []),
    ],
    ...(dependsOnEffort(format) ? { efforts: effortsOf(format, costs) } : {}),
    password: format.password ?? 'zip',
    ...mostPixels(format.mostPixels, job),
    quick_up_to: LANES[format.id].quickUpTo,
  }
}

const effortsOf = ({ id }: KnownFormat, costs: readonly MeasuredCost[]) =>
  Object.fromEntries(
    EFFORTS.map((effort) => {
      const { secondsPerMb, measuredTasks } = effortCost(id, effort, costs)
      return [effort, { cpu_seconds_per_mb: roundedTo3(secondsPerMb), measured_tasks: measuredTasks }]
    }),
  )

const roundedTo3 = (value: number) => Math.round(value * 1000) / 1000
