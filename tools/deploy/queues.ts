/**
 * The queues of a deployment. Each has 250 consumers at most (Cloudflare's limit), so there may be several of a kind; long work
 * has queues of its own. `src/service/tasks/queues.ts` finds them by the names of their bindings.
 */
import { budgetOf } from '../../src/local/budget.ts'
import { CONTAINER_PRESS_MB } from '../../src/service/lanes.ts'
import { withVariable } from './configuration.ts'

interface JobQueue {
  /** At the edge. */
  readonly binding: string
  readonly name: string
  readonly worker: 'press' | 'media'
}

const nth = (shard: number, mark: '-' | '_') => (shard === 0 ? '' : `${mark}${shard}`)

function jobQueues(shards: number, suffix: string): JobQueue[] {
  return (['press', 'media'] as const).flatMap((worker) =>
    (['', 'large'] as const).flatMap((size) =>
      Array.from({ length: shards }, (_, shard) => ({
        worker,
        binding: `${worker.toUpperCase()}${size && '_LARGE'}_JOBS${nth(shard, '_')}`,
        name: `whittle-${worker}${size && '-large'}-jobs${nth(shard, '-')}${suffix}`,
      })),
    ),
  )
}

/** All that must be there. */
export function queueNames(shards: number, suffix: string, heavy: boolean): string[] {
  const dead = ['press', 'media', ...(heavy ? ['heavy'] : [])].map((worker) => `whittle-${worker}-dead${suffix}`)
  return [...jobQueues(shards, suffix).map(({ name }) => name), ...(heavy ? [heavyQueue(suffix)] : []), ...dead]
}

const heavyQueue = (suffix: string) => `whittle-heavy-jobs${suffix}`

/** The edge of a deployment with containers: where it sends to, and what `GET /v1/formats` says that a job has. */
export function withHeavy(edge: string, suffix: string): string {
  const memoryBytes = budgetOf(CONTAINER_PRESS_MB * 2 ** 20)
  return withVariable(`${edge}\n${producer('HEAVY_JOBS', heavyQueue(suffix))}`, 'JOB_MEMORY_BYTES', String(memoryBytes))
}

/** The configuration of a Worker with the queues that it does not name yet: at the edge to be sent to, else to be consumed. */
export function withQueues(configuration: string, shards: number, suffix: string): string {
  const worker = /^name = "whittle-(press|media)["-]/m.exec(configuration)?.[1]
  const missing = jobQueues(shards, suffix).filter(({ name }) => !configuration.includes(`"${name}"`))
  const tables = missing
    .filter((queue) => worker === undefined || queue.worker === worker)
    .map(({ binding, name }) => (worker === undefined ? producer(binding, name) : consumer(configuration, name)))
  return [configuration, ...tables].join('\n')
}

const producer = (binding: string, queue: string) => `[[queues.producers]]\nbinding = "${binding}"\nqueue = "${queue}"\n`

/** As the first one, under another name. */
function consumer(configuration: string, queue: string): string {
  const first = /^\[\[queues\.consumers\]\]\n(?:.+\n)+/m.exec(configuration)?.[0]
  if (first === undefined) throw new Error('A Worker without a queue to consume.')
  return first.replace(/^queue = .*$/m, `queue = "${queue}"`)
}
