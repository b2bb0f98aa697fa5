/** HTTP API for tasks and blobs, used by the process that starts the presses: see `src/local/task-api-client.ts`. */
import type { WorkerEnv } from '../env.ts'
import { taskIdOfBlob } from '../store/blob-names.ts'
import type { TaskRecordApi } from '../store/tasks.ts'
import { decodeWire, encodeWire } from './wire.ts'

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
] satisfies (keyof TaskRecordApi)[])

/**
 * Handles HTTP requests to `/tasks/…` and `/blobs/…`.
 * @param allowedTask id of the only task that the caller may access; `undefined`: all tasks
 */
export async function handleTaskApi(env: WorkerEnv, request: Request, allowedTask?: string): Promise<Response> {
  const url = new URL(request.url)
  const [, kind, ...rest] = url.pathname.split('/')
  const name = rest.map(decodeURIComponent).join('/')
  if (allowedTask !== undefined && !belongsTo(allowedTask, kind, name)) return new Response(null, { status: 403 })
  if (kind === 'tasks' && request.method === 'POST') return callTask(env, name, url.searchParams.get('method') ?? '', request)
  return kind === 'blobs' ? handleBlob(env.BLOBS, name, url.searchParams, request) : new Response(null, { status: 404 })
}

function belongsTo(taskId: string, kind: string | undefined, name: string): boolean {
  return (kind === 'tasks' ? name : taskIdOfBlob(name)) === taskId
}

async function callTask(env: WorkerEnv, id: string, method: string, request: Request): Promise<Response> {
  if (!METHODS.has(method)) return new Response(null, { status: 404 })
  const args = decodeWire(await request.text()) as unknown[]
  // Call the method on the stub: an RPC method that is detached from its stub loses `this`.
  const record = env.TASKS.getByName(id) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  return new Response(encodeWire(await record[method]!(...args)))
}

async function handleBlob(bucket: R2Bucket, key: string, query: URLSearchParams, request: Request): Promise<Response> {
  const [upload, part] = [query.get('upload'), query.get('part')]
  switch (request.method) {
    case 'GET': {
      const object = await bucket.get(key)
      return object ? new Response(object.body) : new Response(null, { status: 404 })
    }
    case 'PUT': {
      // Buffer the part instead of streaming it: a part has a few MiB, and R2 reads a stream in 4 KB chunks, which takes twice as long.
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
