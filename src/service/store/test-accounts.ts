/**
 * Test keys (`whl_test_…`) belong to a separate test account, named by the live account's id plus `test`.
 * Files, tasks, usage, storage and webhook secret of both accounts are separate.
 */
import type { PlanId } from './plans.ts'

const SUFFIX = 'test'
/** Id of a test account. The fixed length matters, because the random id of a live account (24 characters) may end in `test`. */
const TEST_ACCOUNT = new RegExp(`^(acc_\\w{20})${SUFFIX}$`)

export const testAccountOf = (accountId: string) => accountId + SUFFIX
export const isTestAccount = (accountId: string) => TEST_ACCOUNT.test(accountId)
/** Id of the live account that belongs to a test account. Live accounts return their own id. */
export const liveAccountOf = (accountId: string) => TEST_ACCOUNT.exec(accountId)?.[1] ?? accountId

/** Plan of the test account: large enough to try every feature of the live account's plan. */
export const testPlanOf = (plan: PlanId): PlanId => (plan === 'free' ? 'free' : 'basic')
