/** Blobs without bytes that name the syncs which run, so that a restart of a service on one machine finds them. */
import type { Env } from '../../env.ts'

const PREFIX = 'syncs/'

/** @param name name of the SyncRecord */
export const syncMarker = (name: string): string => PREFIX + name

/**
 * Resets the alarm of every sync that runs and returns their number. workerd may lose an alarm when it is killed: see `recoverTasks`.
 */
export async function recoverSyncs(env: Pick<Env, 'BLOBS' | 'SYNCS'>): Promise<number> {
  let [count, cursor]: [number, string | undefined] = [0, undefined]
  do {
    const page: R2Objects = await env.BLOBS.list({ prefix: PREFIX, ...(cursor === undefined ? {} : { cursor }) })
    for (const { key } of page.objects) {
      const isOpen = await env.SYNCS.getByName(key.slice(PREFIX.length)).ringSoon()
      if (isOpen) count++
      else await env.BLOBS.delete(key)
    }
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return count
}
