/** The list of accounts: one small object each, for a Durable Object cannot be asked for its siblings. */

const PREFIX = 'accounts/'
/** Accounts are never removed, so what was found once need not be looked for again. */
const found = new Set<string>()
const MOST_FOUND = 10_000

export async function enlist(blobs: R2Bucket, accountId: string): Promise<void> {
  await blobs.put(PREFIX + accountId, '')
}

/** A page of account ids, and where the next one begins. */
export async function enlisted(blobs: R2Bucket, limit: number, cursor?: string): Promise<{ ids: string[]; cursor?: string }> {
  const page = await blobs.list({ prefix: PREFIX, limit, ...(cursor ? { cursor } : {}) })
  const ids = page.objects.map(({ key }) => key.slice(PREFIX.length))
  return { ids, ...(page.truncated ? { cursor: page.cursor } : {}) }
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
