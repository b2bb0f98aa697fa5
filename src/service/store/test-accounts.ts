/**
 * Test keys (`whl_test_…`) work in an account of their own beside the real one, its twin: files, tasks, usage, storage and callback
 * secret of the two never meet, and nothing else needs to know of it. The twin is named by the account's id and this ending.
 */
import type { PlanId } from './plans.ts'

const ENDING = 'test'
/** Ids of accounts have 24 characters, and may end so by chance. */
const TWIN = new RegExp(`^(acc_\\w{20})${ENDING}$`)

export const testAccountOf = (accountId: string) => accountId + ENDING
export const isTestAccount = (accountId: string) => TWIN.test(accountId)
/** The real one of the two. */
export const liveAccountOf = (accountId: string) => TWIN.exec(accountId)?.[1] ?? accountId

/** What is enough to try everything that the account's plan has. */
export const testPlanOf = (plan: PlanId): PlanId => (plan === 'free' ? 'free' : 'basic')
