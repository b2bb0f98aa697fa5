/** Places that receive the results of tasks, as a task stores them. */
import { markedName, safeName } from '../../core/model/zip-names.ts'

/** Where a result is sent. A task stores it encrypted. */
export type Destination = UrlDestination | BucketDestination

/** Address that a result is sent to. Its query and the headers may hold secrets. */
export interface UrlDestination {
  readonly url: string
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** Place in a bucket of the account. */
export type BucketDestination = {
  /** Name of the connection. */
  readonly connection: string
} & (
  | { readonly key: string }
  | {
      /** Beginning of the key. The name of the result follows. */
      readonly prefix: string
      /** Mark such as `-2` that distinguishes results of a batch with equal names. `undefined`: none. */
      readonly mark?: string
    }
)

/** Key of the object that a result becomes. */
export const destinationKey = (destination: BucketDestination, outputName: string): string =>
  'key' in destination ? destination.key : destination.prefix + nameIn(outputName, destination.mark)

const nameIn = (outputName: string, mark: string | undefined) => (mark === undefined ? outputName : markedName(safeName(outputName), mark))

/** State of a delivery, as the task shows it. */
export interface DeliveryState {
  readonly status: 'pending' | 'delivered' | 'failed'
  /** Number of requests so far. A redelivery begins with 0 again. */
  readonly attempts: number
  /** HTTP status of the last response. `null`: no response yet, or the last request got none. */
  readonly lastStatus: number | null
}

export const NEW_DELIVERY: DeliveryState = { status: 'pending', attempts: 0, lastStatus: null }
