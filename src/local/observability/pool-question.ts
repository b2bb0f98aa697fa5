/** Asks the service process for the state of its worker pool. Callers at the same time share one question. */
import type { MessageToService, PoolState } from './service-messages.ts'

const ANSWER_TIMEOUT_MS = 2000

export class PoolQuestion {
  readonly #send: (question: MessageToService) => void
  #pending: PromiseWithResolvers<PoolState | undefined> | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param send sends the question. Does nothing if there is no process. */
  constructor(send: (question: MessageToService) => void) {
    this.#send = send
  }

  /** @returns `undefined`: no answer within 2 s */
  ask(): Promise<PoolState | undefined> {
    if (this.#pending) return this.#pending.promise
    this.#pending = Promise.withResolvers()
    const { promise } = this.#pending
    this.#timer = setTimeout(() => this.answer(undefined), ANSWER_TIMEOUT_MS).unref()
    this.#send({ kind: 'ask_pool' })
    return promise
  }

  /** Settles the pending question. */
  answer(pool: PoolState | undefined): void {
    clearTimeout(this.#timer)
    this.#pending?.resolve(pool)
    this.#pending = undefined
  }
}
