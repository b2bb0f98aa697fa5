/**
 * Test keys (`whl_test_…`) belong to a separate test account, named by the live account's id plus `test`.
 * Files, tasks, usage, storage and webhook secret of both accounts are separate. No other code distinguishes them.
 */
import type { PlanId } from './plans.ts'

const ENDING = 'test'
/** Id of a test account. The fixed length matters, because the random id of a live account (24 characters) may end in `test`. */
const TWIN = new RegExp(`^(acc_\\w{20})${ENDING}$`)

export const testAccountOf = (accountId: string) => accountId + ENDING
export const isTestAccount = (accountId: string) => TWIN.test(accountId)
/** Id of the live account that belongs to a test account. Live accounts return their own id. */
export const liveAccountOf = (accountId: string) => TWIN.exec(accountId)?.[1] ?? accountId

/** Plan of the test account: large enough to try every feature of the live account's plan. */
export const testPlanOf = (plan: PlanId): PlanId => (plan === 'free' ? 'free' : 'basic')
