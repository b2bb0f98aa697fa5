/** Workers that end Durable Objects of this workerd. Only other Workers and this process can call them. */
import { join } from 'node:path'

export const RESETTER = 'whittle-resetter'
export const EVICTOR = 'whittle-evictor'

/** Settings that all Workers have. */
interface Common {
  readonly modulesRoot: string
  readonly compatibilityDate: string
}

const unsafeWorker = (name: string, common: Common, contents: string) => ({
  ...common,
  name,
  modules: [{ type: 'ESModule' as const, path: join(common.modulesRoot, `${name}.mjs`), contents }],
  compatibilityFlags: ['unsafe_module'],
})

/** Aborts all Durable Objects. */
export const resetterWorker = (common: Common) =>
  unsafeWorker(
    RESETTER,
    common,
    `import unsafe from 'workerd:unsafe'
    export default { async fetch() { await unsafe.abortAllDurableObjects(); return new Response() } }`,
  )

/** Ends single task objects as workerd does after 10 s without a request. Implements `EvictorApi`. */
export const evictorWorker = <Tasks>(common: Common, TASKS: Tasks) => ({
  ...unsafeWorker(
    EVICTOR,
    common,
    `import { WorkerEntrypoint } from 'cloudflare:workers'
    import unsafe from 'workerd:unsafe'
    export default class extends WorkerEntrypoint {
      async evict(ids) {
        const { TASKS } = this.env
        // The caller is a task object: two that end each other must not wait for each other.
        this.ctx.waitUntil(Promise.allSettled(ids.map((id) => unsafe.evict(TASKS.get(TASKS.idFromString(id))))))
      }
    }`,
  ),
  durableObjects: { TASKS },
})
