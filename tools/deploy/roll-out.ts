/**
 * Gradual deployment of the stateless Workers press and media: a new version first gets a small share of the calls, then all. Both
 * versions handle calls and queues meanwhile. `src/service/store/tasks.ts` defines how they share task records. If a step fails, the
 * previous versions get all calls again.
 */
import { writeFileSync } from 'node:fs'
import { nameOf } from './configuration.ts'
import { sickWithin } from './health.ts'
import type { Wrangler } from './wrangler.ts'

/** Share of the calls for a new version at first, in percent. */
const FIRST_SHARE = 5

export interface RollOut {
  readonly wrangler: Wrangler
  /** Path of the temporary configuration for wrangler. */
  readonly scratch: string
  /** Configurations, and their versions that receive all calls now. */
  readonly services: readonly { readonly configuration: string; readonly version: string }[]
  readonly baseUrl: string
  /** Seconds for which the new versions have their small share. */
  readonly soakSeconds: number
}

/** Rolls out the services. @throws Error if a step fails or `/healthz` is not healthy; the previous versions are restored then */
export async function rollOut({ wrangler, scratch, services, baseUrl, soakSeconds }: RollOut): Promise<void> {
  const uploaded = services.map(({ configuration, version }) => {
    const name = nameOf(configuration)
    writeFileSync(scratch, configuration)
    const { output } = wrangler.must(['versions', 'upload', '-c', scratch])
    const newVersion = /Worker Version ID:\s*(\S+)/.exec(output)?.[1]
    if (newVersion === undefined) throw new Error(`wrangler printed no new version of ${name}:\n${output.trim()}`)
    return { name, configuration, version, newVersion }
  })
  const share = (name: string, ...shares: readonly string[]) => {
    wrangler.must(['versions', 'deploy', ...shares, '--name', name, '--yes'])
    console.log(`${name} now runs ${shares.join(' and ')}`)
  }
  try {
    for (const { name, version, newVersion } of uploaded) share(name, `${newVersion}@${FIRST_SHARE}%`, `${version}@${100 - FIRST_SHARE}%`)
    const problem = await sickWithin(baseUrl, soakSeconds)
    if (problem !== undefined) throw new Error(`${baseUrl}/healthz was not healthy with the new versions: ${problem}`)
    for (const { name, configuration, newVersion } of uploaded) {
      share(name, `${newVersion}@100%`)
      // Queue consumers are not part of a version, so they are deployed separately.
      writeFileSync(scratch, configuration)
      wrangler.must(['triggers', 'deploy', '-c', scratch])
    }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${goBack(wrangler, uploaded)}`)
  }
}

/** Restores the previous versions. Durable Objects and secrets stay as they are. @returns the outcome for each Worker, as text */
export function goBack(wrangler: Wrangler, versions: readonly { name: string; version?: string | undefined }[]): string {
  if (versions.length === 0)
    return 'There is no earlier version to restore. A new address can take minutes until it responds. Check /healthz again later.'
  return versions
    .toReversed()
    .map(({ name, version }) => {
      if (version === undefined) return `${name}: no earlier version to restore`
      const { ok, output } = wrangler.run(['rollback', version, '--name', name, '--yes', '--message', 'the deployment went wrong'])
      return ok ? `${name}: rolled back to ${version}` : `${name}: could not be rolled back to ${version}:\n${output.trim()}`
    })
    .join('\n')
}
