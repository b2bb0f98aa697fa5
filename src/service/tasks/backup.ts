/**
 * Daily export of all accounts, to restore one after data loss or an operator's mistake.
 * Files and tasks are not exported, because they expire. The webhook secret is not exported; a restored account creates a new one.
 */
import type { Env } from '../env.ts'
import { listAccountIds } from '../store/account-index.ts'
import type { ExportedAccount } from '../store/accounts.ts'
import { bucketsOf } from '../store/region-bindings.ts'

const EXPORTS = 'exports/'
const PARALLEL_ACCOUNTS = 20

export interface ExportSummary {
  readonly accounts: number
  /** Number of accounts whose object did not respond. The next daily export includes them again. */
  readonly failed: number
}

const exportKey = (day: string, accountId: string) => `${EXPORTS}${day}/${accountId}.json`

/** Exports all accounts to `exports/<day>/<account>.json`. */
export async function exportAccounts(env: Pick<Env, 'BLOBS' | 'ACCOUNTS'>, now = Date.now()): Promise<ExportSummary> {
  const day = new Date(now).toISOString().slice(0, 10)
  let [accounts, failed] = [0, 0]
  for (let cursor: string | undefined; ; ) {
    const page = await listAccountIds(bucketsOf(env), PARALLEL_ACCOUNTS, cursor)
    const results = await Promise.allSettled(page.ids.map((id) => exportAccount(env, id, day)))
    accounts += results.filter(({ status }) => status === 'fulfilled').length
    failed += results.filter(({ status }) => status === 'rejected').length
    cursor = page.cursor
    if (cursor === undefined) return { accounts, failed }
  }
}

async function exportAccount(env: Pick<Env, 'BLOBS' | 'ACCOUNTS'>, accountId: string, day: string): Promise<void> {
  const exported = await env.ACCOUNTS.getByName(accountId).exported()
  if (exported) await env.BLOBS.put(exportKey(day, accountId), JSON.stringify(exported))
}

/**
 * Reads the export of an account. `undefined`: there is none for that day.
 * @param day UTC day such as `2026-11-22`
 */
export async function readAccountExport(blobs: R2Bucket, accountId: string, day: string): Promise<ExportedAccount | undefined> {
  return (await blobs.get(exportKey(day, accountId)))?.json<ExportedAccount>()
}
