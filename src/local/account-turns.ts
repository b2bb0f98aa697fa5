/**
 * Counts the work of accounts with waiting or running steps, so that they take turns. An account that had no step starts with the count
 * of the account whose turn it is, not with 0: it cannot save up work (start-time fair queueing).
 */
interface Account {
  /** Waiting and running steps. */
  steps: number
  workMs: number
}

export class AccountTurns {
  /** Accounts with steps only, so the number of entries is bounded by the number of steps. */
  readonly #accounts = new Map<string, Account>()
  /** Work of the account that started the last step, before that step. */
  #currentMs = 0

  /** Work of an account in milliseconds. */
  workOf(accountId: string | undefined): number {
    return this.#accounts.get(accountId ?? '')?.workMs ?? this.#currentMs
  }

  /** Notes a step that waits or runs. */
  join(accountId: string | undefined): void {
    const account = this.#accounts.get(accountId ?? '') ?? { steps: 0, workMs: this.#currentMs }
    account.steps++
    this.#accounts.set(accountId ?? '', account)
  }

  /** Notes that a step starts. */
  start(accountId: string | undefined): void {
    this.#currentMs = Math.max(this.#currentMs, this.workOf(accountId))
  }

  /** Notes that a step has ended after `workMs` milliseconds. */
  leave(accountId: string | undefined, workMs: number): void {
    const account = this.#accounts.get(accountId ?? '')
    if (!account) return
    account.workMs += workMs
    if (--account.steps === 0) this.#accounts.delete(accountId ?? '')
  }
}
