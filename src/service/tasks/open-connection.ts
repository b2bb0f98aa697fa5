/** Opens the bucket of a connection for requests through the guard of outgoing addresses. */
import { BucketError, type ObjectStore } from '../buckets/object-store.ts'
import { openBucket } from '../buckets/open-bucket.ts'
import { type BucketSettings, bucketAddress } from '../buckets/settings.ts'
import { type Env, outgoingRules } from '../env.ts'
import { egressSender } from './egress.ts'
import { checkOutgoingUrl } from './outgoing-url.ts'

/**
 * @param signal ends all requests and transfers of the store
 * @param pausesMs pauses before the 2nd, 3rd, … try of a request in milliseconds. `undefined`: those of the client
 * @throws BucketError `unsafe_address` if the address is not allowed, also when it was saved under other rules
 */
export function openConnection(env: Env, settings: BucketSettings, signal: AbortSignal, pausesMs?: readonly number[]): ObjectStore {
  if (!checkOutgoingUrl(bucketAddress(settings), outgoingRules(env)).ok) throw new BucketError('unsafe_address')
  const send = egressSender(env.EGRESS, { stream: true })
  return openBucket(settings, { send, signal, ...(pausesMs === undefined ? {} : { pausesMs }) })
}
