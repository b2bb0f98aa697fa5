/** A bucket for the tests of the clients, as the connection `shop` of the service's account. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Running } from '../../../test/e2e/running.ts'
import { type BucketServer, serveBucket } from '../../../test/support/bucket-server.ts'
import { S3Double } from '../../../test/support/s3-double.ts'

const PHOTO = resolve(import.meta.dirname, '../../../docs/photo.jpg')
const TEXT = 'the quick brown fox jumps over the lazy dog\n'.repeat(400)

/** Serves `photos/photo.jpg` and two texts below `texts/`. The bucket refuses to write below `busy/`, so that a sync to there pauses. */
export async function serveShop({ baseUrl, keys }: Running): Promise<BucketServer> {
  const double = new S3Double()
  await double.put('photos/photo.jpg', readFileSync(PHOTO))
  for (const name of ['a', 'b']) await double.put(`texts/${name}.txt`, `${name}\n${TEXT}`)
  double.trouble = ({ method }, key) => (method === 'PUT' && key.startsWith('busy/') ? new Response(null, { status: 503 }) : undefined)
  const server = await serveBucket(double)
  const { region, bucket, accessKeyId, secretAccessKey } = double.settings
  const credentials = { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
  const response = await fetch(`${baseUrl}/v1/connections/shop`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${keys.enterprise}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 's3', endpoint: server.endpoint, region, bucket, path_style: true, ...credentials }),
  })
  if (response.ok) return server
  await server[Symbol.asyncDispose]()
  throw new Error(`the connection was refused: ${await response.text()}`)
}
