/** The list of accounts: one small object each, for a Durable Object cannot be asked for its siblings. */

const PREFIX = 'accounts/'
/** Accounts are never removed, so what was found once need not be looked for again. */
const found = new Set<string>()
const MOST_FOUND = 10_000

export async function enlist(blobs: R2Bucket, accountId: string): Promise<void> {
  await blobs.put(PREFIX + accountId, '')
}

/**
 * A page of account ids, and where the next one begins: each bucket has a list of its own.
 * @param cursor the number of the bucket, and its own cursor
 */
export async function enlisted(buckets: readonly R2Bucket[], limit: number, cursor = '0'): Promise<{ ids: string[]; cursor?: string }> {
  const [, number = '0', inside] = /^(\d+)(?::(.+))?$/.exec(cursor) ?? []
  const at = Number(number)
  const page = await buckets[at]?.list({ prefix: PREFIX, limit, ...(inside ? { cursor: inside } : {}) })
  const ids = page?.objects.map(({ key }) => key.slice(PREFIX.length)) ?? []
  if (page?.truncated) return { ids, cursor: `${at}:${page.cursor}` }
  return at + 1 < buckets.length ? { ids, cursor: `${at + 1}` } : { ids }
}

/**
 * Is there such an account? To be asked before a Durable Object is whose name a stranger has sent: asking it makes it, and on one
 * machine that is a file which stays.
 */
export async function isEnlisted(blobs: R2Bucket, accountId: string): Promise<boolean> {
  if (found.has(accountId)) return true
  if ((await blobs.head(PREFIX + accountId)) === null) return false
  if (found.size >= MOST_FOUND) found.clear()
  found.add(accountId)
  return true
}
