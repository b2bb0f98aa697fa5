/** Decides if the local service may take work. */
import type { PoolState } from './service-messages.ts'

export interface Readiness {
  readonly ok: boolean
  readonly checks: Readonly<Record<string, { readonly ok: boolean }>>
}

export interface ReadinessSource {
  /** True between the first successful health check and the end of the service process. */
  isServing(): boolean
  isDraining(): boolean
  /** State of the worker pool. `undefined`: it did not answer in time. */
  poolState(): Promise<PoolState | undefined>
  /** True if uploads fit on the disk. */
  hasDiskSpace(): Promise<boolean>
}

/**
 * Checks the parts that work needs. `service`: the API answers; `workers`: a press process is ready; `disk`: uploads are accepted;
 * `drain`: the service is not about to stop.
 */
export async function readinessOf(source: ReadinessSource): Promise<Readiness> {
  const [pool, disk] = await Promise.all([source.poolState(), source.hasDiskSpace()])
  const checks = {
    service: { ok: source.isServing() },
    workers: { ok: (pool?.ready ?? 0) > 0 },
    disk: { ok: disk },
    drain: { ok: !source.isDraining() },
  }
  return { ok: Object.values(checks).every(({ ok }) => ok), checks }
}
