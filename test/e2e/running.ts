/** A service of its own for one test file: all three Workers, fresh state in memory, development keys. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type DevelopmentKeys, provisionDevelopmentAccount } from '../../src/local/development-account.ts'
import { OperatingMetrics } from '../../src/local/observability/metrics.ts'
import { loadSecrets } from '../../src/local/secrets.ts'
import { type PoolOptions, Service } from '../../src/local/service.ts'

export interface Running {
  readonly baseUrl: string
  readonly pid: number
  readonly keys: DevelopmentKeys['keys']
  readonly adminToken: string
  /** The development account. */
  readonly accountId: string
  readonly logFile: string
  stop(): Promise<void>
}

/** `pool`: the processes that compress. Default: those of a `Service`. `inspectorPort`: where workerd's inspector listens. Default: none. `variables`: of the Workers. */
export async function startService(pool?: PoolOptions, inspectorPort = 0, variables: Record<string, string> = {}): Promise<Running> {
  // In memory where there is such a folder: every Durable Object write waits for the disk.
  const state = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'whittle-test-'))
  const { file, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const root = resolve(import.meta.dirname, '../..')
  const metrics = new OperatingMetrics(state)
  const options = { root, state, port: 0, inspectorPort, secretsFile: file, verbose: false, metrics, metricsToken: adminToken, variables }
  const service = new Service({ ...options, ...(pool && { pool }) })
  const stop = async () => {
    await service.stop()
    await rm(state, { recursive: true, force: true })
  }
  try {
    await service.start()
    const baseUrl = `http://127.0.0.1:${service.port}`
    const { keys, account_id: accountId } = await provisionDevelopmentAccount(baseUrl, adminToken, undefined)
    return { baseUrl, pid: service.pid, keys, adminToken, accountId, logFile: service.logFile, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
