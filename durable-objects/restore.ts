/** Point-in-time restore of an object's storage. */

/** Delay in milliseconds before the object restarts for a restore. The RPC response is sent first. */
const RESTART_DELAY_MS = 200

/**
 * Restores an object to a time in the last 30 days (epoch milliseconds) or to a bookmark, and restarts it.
 * @returns the bookmark that undoes the restore; `undefined`: the platform stores no history
 */
export async function restoreObject(ctx: DurableObjectState, to: { at: number } | { bookmark: string }): Promise<string | undefined> {
  const { storage } = ctx
  try {
    const bookmark = 'bookmark' in to ? to.bookmark : await storage.getBookmarkForTime(to.at)
    const undo = await storage.onNextSessionRestoreBookmark(bookmark)
    // A point-in-time restore takes effect when the object restarts, so return the bookmark first and abort afterwards.
    setTimeout(() => ctx.abort('the account is restored'), RESTART_DELAY_MS)
    return undo
  } catch (error) {
    if (/point-in-time recovery/i.test(String(error))) return undefined
    throw error
  }
}
