/** Counts the operations that Cloudflare bills, in every class of this Worker. */
import type { Env } from '../../../src/service/env.ts'
import { nested } from './nested.ts'

export interface Operations {
  /** Requests to Durable Objects. */
  objects: number
  /** R2 class A operations: put, multipart, list. Deletions are free. */
  writes: number
  /** R2 class B operations: get, head. */
  reads: number
  /** Messages sent to a queue. */
  messages: number
  /** Alarms set by Durable Objects. Each is billed as a row. */
  alarms: number
  /** Other rows written by Durable Objects, by class: tables, indexes, key-value pairs. */
  rows: Record<string, number>
}

export const operations: Operations = { objects: 0, writes: 0, reads: 0, messages: 0, alarms: 0, rows: {} }

type Kind = Exclude<keyof Operations, 'rows' | 'alarms'>
const BUCKET: Readonly<Record<string, Kind>> = {
  put: 'writes',
  list: 'writes',
  createMultipartUpload: 'writes',
  uploadPart: 'writes',
  complete: 'writes',
  get: 'reads',
  head: 'reads',
}

/** Counts calls of an object's methods. `kindOf`: kind of a method's call; `inner`: how to count calls of the returned object. */
function counting<T extends object>(
  target: T,
  kindOf: (method: string) => Kind | undefined,
  inner: (method: string) => boolean = () => false,
): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name)
      if (typeof value !== 'function' || typeof name !== 'string') return value
      return (...given: unknown[]) => {
        const kind = kindOf(name)
        if (kind) operations[kind]++
        const answer: unknown = Reflect.apply(value, object, given)
        if (!inner(name)) return answer
        return answer instanceof Promise ? answer.then((one: object) => counting(one, kindOf)) : counting(answer as object, kindOf)
      }
    },
  })
}

/** Returns the same bindings, with all calls counted. */
export function counted<E extends Partial<Env>>(env: E): E {
  const bucket = (binding: R2Bucket) =>
    counting(
      binding,
      (method) => BUCKET[method],
      (method) => method.endsWith('MultipartUpload'),
    )
  const queue = <M>(binding: Queue<M>) => counting(binding, (method) => (method.startsWith('send') ? 'messages' : undefined))
  const namespace = <N extends { getByName(name: string): object }>(binding: N): N =>
    new Proxy(binding, {
      get: (object, name) =>
        name === 'getByName'
          ? (id: string) => counting(nested(object.getByName(id)), (method) => (method === 'then' ? undefined : 'objects'))
          : Reflect.get(object, name),
    })
  return {
    ...env,
    ...(env.BLOBS && { BLOBS: bucket(env.BLOBS) }),
    ...(env.PRESS_JOBS && { PRESS_JOBS: queue(env.PRESS_JOBS) }),
    ...(env.MEDIA_JOBS && { MEDIA_JOBS: queue(env.MEDIA_JOBS) }),
    ...(env.KEY_GATES && { KEY_GATES: namespace(env.KEY_GATES) }),
    ...(env.TASKS && { TASKS: namespace(env.TASKS) }),
    ...(env.ACCOUNTS && { ACCOUNTS: namespace(env.ACCOUNTS) }),
  }
}

/** Rows written by a call of a storage method, from its arguments and result. `undefined`: none. */
const WRITES: Readonly<Record<string, ((given: readonly unknown[], answer: unknown) => number) | undefined>> = {
  put: ([first]) => (typeof first === 'string' ? 1 : Object.keys(first as object).length),
  delete: (_, existed) => (existed === false ? 0 : 1),
  exec: (_, cursor) => (cursor as SqlStorageCursor<Record<string, SqlStorageValue>>).rowsWritten,
}

/** Returns the same object, with writes to its storage counted. */
export function countedRows(ctx: DurableObjectState, name: string): DurableObjectState {
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, method) {
        const value: unknown = Reflect.get(object, method)
        if (method === 'kv' || method === 'sql') return wrap(value as object)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (method === 'setAlarm') operations.alarms++
          const kept = method === 'deleteAll' ? [...(object as unknown as DurableObjectStorage).kv.list()].length : 0
          const answer: unknown = Reflect.apply(value, object, given)
          const written = WRITES[String(method)]?.(given, answer) ?? kept
          if (written > 0) operations.rows[name] = (operations.rows[name] ?? 0) + written
          return answer
        }
      },
    })
  Object.defineProperty(ctx, 'storage', { value: wrap(ctx.storage) })
  return ctx
}
