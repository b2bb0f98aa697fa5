/**
 * Queues of a deployment. Cloudflare allows 250 consumers per queue, so each kind may have several queues. Long jobs have their own.
 * `src/service/tasks/queues.ts` finds them by the names of their bindings.
 */
import { jobMemoryBudget } from '../../src/local/budget.ts'
import { CONTAINER_PRESS_MB } from '../../src/service/lanes.ts'
import { withVariable } from './configuration.ts'

interface JobQueue {
  /** Binding of the edge. */
  readonly binding: string
  readonly name: string
  readonly worker: 'press' | 'media'
}

const shardSuffix = (shard: number, mark: '-' | '_') => (shard === 0 ? '' : `${mark}${shard}`)

function jobQueues(shards: number, suffix: string): JobQueue[] {
  return (['press', 'media'] as const).flatMap((worker) =>
    (['', 'large'] as const).flatMap((size) =>
      Array.from({ length: shards }, (_, shard) => ({
        worker,
        binding: `${worker.toUpperCase()}${size && '_LARGE'}_JOBS${shardSuffix(shard, '_')}`,
        name: `whittle-${worker}${size && '-large'}-jobs${shardSuffix(shard, '-')}${suffix}`,
      })),
    ),
  )
}

/** Names of all queues of a deployment. */
export function queueNames(shards: number, suffix: string, heavy: boolean): string[] {
  const deadLetterQueues = ['press', 'media', ...(heavy ? ['heavy'] : [])].map((worker) => `whittle-${worker}-dead${suffix}`)
  return [...jobQueues(shards, suffix).map(({ name }) => name), ...(heavy ? [heavyQueue(suffix)] : []), ...deadLetterQueues]
}

const heavyQueue = (suffix: string) => `whittle-heavy-jobs${suffix}`

/** Edge with containers: adds the producer of their queue, and the memory of a job, which `GET /v1/formats` reports. */
export function withHeavy(edge: string, suffix: string): string {
  const memoryBytes = jobMemoryBudget(CONTAINER_PRESS_MB * 2 ** 20)
  return withVariable(`${edge}\n${producer('HEAVY_JOBS', heavyQueue(suffix))}`, 'JOB_MEMORY_BYTES', String(memoryBytes))
}

/** Configuration with the job queues that it does not name yet: producers for the edge, consumers for press and media. */
export function withQueues(configuration: string, shards: number, suffix: string): string {
  const worker = /^name = "whittle-(press|media)["-]/m.exec(configuration)?.[1]
  const missing = jobQueues(shards, suffix).filter(({ name }) => !configuration.includes(`"${name}"`))
  const tables = missing
    .filter((queue) => worker === undefined || queue.worker === worker)
    .map(({ binding, name }) => (worker === undefined ? producer(binding, name) : consumer(configuration, name)))
  return [configuration, ...tables].join('\n')
}

const producer = (binding: string, queue: string) => `[[queues.producers]]\nbinding = "${binding}"\nqueue = "${queue}"\n`

/** Consumer with the settings of the first one, for another queue. */
function consumer(configuration: string, queue: string): string {
  const first = /^\[\[queues\.consumers\]\]\n(?:.+\n)+/m.exec(configuration)?.[0]
  if (first === undefined) throw new Error('The wrangler configuration has no [[queues.consumers]].')
  return first.replace(/^queue = .*$/m, `queue = "${queue}"`)
}
