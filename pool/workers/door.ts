/**
 * A Worker of the local service alone: tasks and blobs for the parent of the presses. It has a socket of its own on loopback and
 * a secret that lives as long as the process, and that no press knows.
 */
import type { WorkerEnv } from '../../src/env.ts'
import type { TaskRecordFace } from '../../src/store/tasks.ts'
import { decode, encode } from './wire.ts'

type DoorEnv = WorkerEnv & { readonly DOOR_SECRET: string }

const METHODS = new Set<string>([
  'read',
  'claim',
  'beat',
  'split',
  'completePart',
  'complete',
  'fail',
  'giveUp',
  'release',
] satisfies (keyof TaskRecordFace)[])

export default {
  async fetch(request, env) {
    if (request.headers.get('authorization') !== `Bearer ${env.DOOR_SECRET}`) return new Response(null, { status: 403 })
    const url = new URL(request.url)
    const [, kind, ...rest] = url.pathname.split('/')
    const name = rest.map(decodeURIComponent).join('/')
    if (kind === 'tasks' && request.method === 'POST') return callTask(env, name, url.searchParams.get('method') ?? '', request)
    return kind === 'blobs' ? blob(env.BLOBS, name, url.searchParams, request) : new Response(null, { status: 404 })
  },
} satisfies ExportedHandler<DoorEnv>

async function callTask(env: DoorEnv, id: string, method: string, request: Request): Promise<Response> {
  if (!METHODS.has(method)) return new Response(null, { status: 404 })
  const args = decode(await request.text()) as unknown[]
  // A stub's methods are called on the stub: taken off it, they lose it.
  const record = env.TASKS.getByName(id) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  return new Response(encode(await record[method]!(...args)))
}

async function blob(bucket: R2Bucket, key: string, query: URLSearchParams, request: Request): Promise<Response> {
  const [upload, part] = [query.get('upload'), query.get('part')]
  switch (request.method) {
    case 'GET': {
      const object = await bucket.get(key)
      return object ? new Response(object.body) : new Response(null, { status: 404 })
    }
    case 'PUT': {
      // Held, not streamed: a part has few MiB, and what R2 gets by 4 KB takes twice as long.
      const bytes = await request.arrayBuffer()
      if (upload && part) return Response.json(await bucket.resumeMultipartUpload(key, upload).uploadPart(Number(part), bytes))
      await bucket.put(key, bytes)
      return new Response()
    }
    case 'POST': {
      if (!upload) return Response.json({ upload: (await bucket.createMultipartUpload(key)).uploadId })
      await bucket.resumeMultipartUpload(key, upload).complete(await request.json<R2UploadedPart[]>())
      return new Response()
    }
    case 'DELETE':
      await (upload ? bucket.resumeMultipartUpload(key, upload).abort() : bucket.delete(key))
      return new Response()
    default:
      return new Response(null, { status: 405 })
  }
}
