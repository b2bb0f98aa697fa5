/** Most deliveries of one isolate at the same time. Each holds at most a few megabytes. */
const MAX_DELIVERIES = 16
/** Most of them for one account, so that its slow receivers do not stop the deliveries of others. */
const MAX_OF_ACCOUNT = 4
/** Deliveries that only accounts without another one may begin, so that a few accounts do not stop all others. */
const RESERVE = 8

/** Limits the results that one isolate sends at the same time. */
export class SendPlaces {
  readonly #counts = new Map<string, number>()
  #taken = 0

  /** Takes a place until the returned object is disposed. `undefined`: none is free. */
  take(accountId: string): Disposable | undefined {
    const own = this.#counts.get(accountId) ?? 0
    const most = own === 0 ? MAX_DELIVERIES : MAX_DELIVERIES - RESERVE
    if (this.#taken >= most || own >= MAX_OF_ACCOUNT) return undefined
    this.#taken++
    this.#counts.set(accountId, own + 1)
    return { [Symbol.dispose]: () => this.#release(accountId) }
  }

  #release(accountId: string): void {
    this.#taken--
    const left = (this.#counts.get(accountId) ?? 1) - 1
    if (left === 0) this.#counts.delete(accountId)
    else this.#counts.set(accountId, left)
  }
}
