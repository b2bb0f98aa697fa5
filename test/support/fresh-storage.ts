/** Test files of one project share a process of workerd. Each begins without the Durable Objects and blobs of the others. */
import { reset } from 'cloudflare:test'

await reset()
