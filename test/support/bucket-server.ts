/** Serves a double of a bucket over http on this machine, for tests of a running service. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { BucketDouble } from './bucket-double.ts'

export interface BucketServer extends AsyncDisposable {
  /** Address of the server, without a slash at its end. */
  readonly endpoint: string
}

export async function serveBucket(double: BucketDouble): Promise<BucketServer> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url, headers } = incoming
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
    const body = method === 'GET' || method === 'HEAD' ? null : new Uint8Array(await buffer(incoming))
    const answer = await double.fetch(`http://${headers.host}${url}`, { method, headers: sent, body })
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(new Uint8Array(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
