/**
 * What accounts are made of, exported once a day, so that one can be made again where an object was lost or an operator erred. Files
 * and tasks are not in it: they expire. The webhook secret is not either: it is made anew.
 */
import type { Env } from '../env.ts'
import { enlisted } from '../store/account-index.ts'
import type { ExportedAccount } from '../store/accounts.ts'
import { bucketsOf } from '../store/region-bindings.ts'

const EXPORTS = 'exports/'
const AT_ONCE = 20

export interface Backed {
  readonly accounts: number
  /** Whose account could not be asked: the next day tries again. */
  readonly failed: number
}

const keyOf = (day: string, accountId: string) => `${EXPORTS}${day}/${accountId}.json`

/** All accounts, as `exports/<day>/<account>.json`. */
export async function exportAccounts(env: Pick<Env, 'BLOBS' | 'ACCOUNTS'>, now = Date.now()): Promise<Backed> {
  const day = new Date(now).toISOString().slice(0, 10)
  let [accounts, failed] = [0, 0]
  for (let cursor: string | undefined; ; ) {
    const page = await enlisted(bucketsOf(env), AT_ONCE, cursor)
    const told = await Promise.allSettled(page.ids.map((id) => exportAccount(env, id, day)))
    accounts += told.filter(({ status }) => status === 'fulfilled').length
    failed += told.filter(({ status }) => status === 'rejected').length
    cursor = page.cursor
    if (cursor === undefined) return { accounts, failed }
  }
}

async function exportAccount(env: Pick<Env, 'BLOBS' | 'ACCOUNTS'>, accountId: string, day: string): Promise<void> {
  const exported = await env.ACCOUNTS.getByName(accountId).exported()
  if (exported) await env.BLOBS.put(keyOf(day, accountId), JSON.stringify(exported))
}

/** @param day `2026-11-22` */
export async function exportOf(blobs: R2Bucket, accountId: string, day: string): Promise<ExportedAccount | undefined> {
  return (await blobs.get(keyOf(day, accountId)))?.json<ExportedAccount>()
}
