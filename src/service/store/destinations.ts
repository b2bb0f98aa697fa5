/** Addresses that receive the results of tasks, as a task stores them. */

/** Where a result is sent. The query and the headers may hold secrets, so a task stores them encrypted. */
export interface Destination {
  readonly url: string
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** State of a delivery, as the task shows it. */
export interface DeliveryState {
  readonly status: 'pending' | 'delivered' | 'failed'
  /** Number of requests so far. A redelivery begins with 0 again. */
  readonly attempts: number
  /** HTTP status of the last response. `null`: no response yet, or the last request got none. */
  readonly lastStatus: number | null
}

export const NEW_DELIVERY: DeliveryState = { status: 'pending', attempts: 0, lastStatus: null }
