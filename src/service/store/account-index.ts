/** Index of all accounts: one empty blob for each, because Durable Objects cannot be listed. */

const PREFIX = 'accounts/'
/** Cache of account ids that exist. Accounts are never removed, so entries stay valid. */
const knownAccounts = new Set<string>()
const MAX_KNOWN_ACCOUNTS = 10_000

export async function addToAccountIndex(blobs: R2Bucket, accountId: string): Promise<void> {
  await blobs.put(PREFIX + accountId, '')
}

/**
 * Returns a page of account ids and the cursor of the next page. Lists one bucket after another.
 * @param cursor index of the bucket, then the bucket's own cursor: `1:abc`
 */
export async function listAccountIds(
  buckets: readonly R2Bucket[],
  limit: number,
  cursor = '0',
): Promise<{ ids: string[]; cursor?: string }> {
  const [, number = '0', bucketCursor] = /^(\d+)(?::(.+))?$/.exec(cursor) ?? []
  const index = Number(number)
  const page = await buckets[index]?.list({ prefix: PREFIX, limit, ...(bucketCursor ? { cursor: bucketCursor } : {}) })
  const ids = page?.objects.map(({ key }) => key.slice(PREFIX.length)) ?? []
  if (page?.truncated) return { ids, cursor: `${index}:${page.cursor}` }
  return index + 1 < buckets.length ? { ids, cursor: `${index + 1}` } : { ids }
}

/**
 * True if the account exists. Check ids from requests with this before calling the Account object: a call creates the object, and on one
 * machine also a file that stays.
 */
export async function accountExists(blobs: R2Bucket, accountId: string): Promise<boolean> {
  if (knownAccounts.has(accountId)) return true
  if ((await blobs.head(PREFIX + accountId)) === null) return false
  if (knownAccounts.size >= MAX_KNOWN_ACCOUNTS) knownAccounts.clear()
  knownAccounts.add(accountId)
  return true
}
