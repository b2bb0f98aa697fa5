/** Script of the threads of a pool in Node, Deno and Bun. */
import { compress, verify } from './index.ts'
import { nodePort } from './pool/node-thread.ts'
import { poolHandlers } from './pool/pool.ts'
import { serve } from './pool/serve.ts'

serve(nodePort(), poolHandlers({ compress, verify }))
