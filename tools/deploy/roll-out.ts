/**
 * A gradual deployment of the Workers that keep nothing, press and media: a new version of each gets a small share of the calls
 * for a while, then all of them. Calls and queues meet both versions meanwhile: `src/service/store/tasks.ts` says how they understand
 * the tasks' records. Whatever goes wrong, the versions of before have everything again.
 */
import { writeFileSync } from 'node:fs'
import { nameOf } from './configuration.ts'
import { sickWithin } from './health.ts'
import type { Wrangler } from './wrangler.ts'

/** Percent of the calls, at first. */
const FIRST_SHARE = 5

export interface RollOut {
  readonly wrangler: Wrangler
  /** Where wrangler finds a configuration. */
  readonly scratch: string
  /** Configurations, and the versions that have all calls so far. */
  readonly services: readonly { readonly configuration: string; readonly version: string }[]
  readonly baseUrl: string
  /** How long the new versions have their small share. */
  readonly soakSeconds: number
}

/** @throws Error when a step failed or `/healthz` was not good, after everything went back */
export async function rollOut({ wrangler, scratch, services, baseUrl, soakSeconds }: RollOut): Promise<void> {
  const uploaded = services.map(({ configuration, version }) => {
    const name = nameOf(configuration)
    writeFileSync(scratch, configuration)
    const { output } = wrangler.must(['versions', 'upload', '-c', scratch])
    const fresh = /Worker Version ID:\s*(\S+)/.exec(output)?.[1]
    if (fresh === undefined) throw new Error(`wrangler did not tell the new version of ${name}:\n${output.trim()}`)
    return { name, configuration, version, fresh }
  })
  const share = (name: string, ...shares: readonly string[]) => {
    wrangler.must(['versions', 'deploy', ...shares, '--name', name, '--yes'])
    console.log(`${name} has ${shares.join(' and ')}`)
  }
  try {
    for (const { name, version, fresh } of uploaded) share(name, `${fresh}@${FIRST_SHARE}%`, `${version}@${100 - FIRST_SHARE}%`)
    const said = await sickWithin(baseUrl, soakSeconds)
    if (said !== undefined) throw new Error(`${baseUrl}/healthz was not good beside the new versions: ${said}`)
    for (const { name, configuration, fresh } of uploaded) {
      share(name, `${fresh}@100%`)
      // Versions carry no queues.
      writeFileSync(scratch, configuration)
      wrangler.must(['triggers', 'deploy', '-c', scratch])
    }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${goBack(wrangler, uploaded)}`)
  }
}

/** Back to the versions that were there before. A Worker's Durable Objects and secrets stay as they are. @returns what came of it */
export function goBack(wrangler: Wrangler, versions: readonly { name: string; version?: string | undefined }[]): string {
  if (versions.length === 0) return 'There is nothing to go back to. A new name can take minutes until it answers: ask it again.'
  return versions
    .toReversed()
    .map(({ name, version }) => {
      if (version === undefined) return `${name}: there is no version to go back to`
      const { ok, output } = wrangler.run(['rollback', version, '--name', name, '--yes', '--message', 'the deployment went wrong'])
      return ok ? `${name}: rolled back to ${version}` : `${name}: could not be rolled back to ${version}:\n${output.trim()}`
    })
    .join('\n')
}
