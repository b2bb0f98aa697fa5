/** The task API that the worker pool uses: it requires the secret and allows only methods of a worker. */
import { expect, it } from 'vitest'
import door from '../../src/service/remote/door.ts'
import { decodeWire, encodeWire } from '../../src/service/remote/wire.ts'

type Door = Parameters<typeof door.fetch>

/** Sends a request to the API, and records its calls of tasks and blobs. */
function send(path: string, secret: string | undefined, init: RequestInit = {}) {
  const calls: string[] = []
  const record = (what: string) => {
    calls.push(what)
    return null
  }
  const env = {
    DOOR_SECRET: 'the secret',
    TASKS: {
      getByName: (id: string) =>
        new Proxy(
          {},
          {
            get:
              (_, method) =>
              async (...args: unknown[]) =>
                record(`${id} ${String(method)} ${JSON.stringify(args)}`),
          },
        ),
    },
    BLOBS: {
      get: async (key: string) => record(`get ${key}`),
      put: async (key: string) => record(`put ${key}`),
      delete: async (key: string) => record(`delete ${key}`),
    },
  }
  const request = new Request(`http://door${path}`, { ...init, headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` } })
  return door.fetch(request as unknown as Door[0], env as unknown as Door[1]).then((response) => ({ response, calls }))
}

const call = (method: string, secret?: string) =>
  send(`/tasks/tsk_1?method=${method}`, secret, { method: 'POST', body: encodeWire([1, 'why']) })

it('calls the task if the request has the secret', async () => {
  const { response, calls } = await call('release', 'the secret')
  expect([response.status, decodeWire(await response.text())]).toEqual([200, null])
  expect(calls).toEqual(['tsk_1 release [1,"why"]'])
})

it.each([['the secre'], ['the secrets'], ['']])('calls nothing with the wrong secret "%s"', async (secret) => {
  for (const method of ['release', 'complete']) expect(await call(method, secret)).toMatchObject({ response: { status: 403 }, calls: [] })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await send('/blobs/uploads/tsk_1', secret, { method })).toMatchObject({ response: { status: 403 }, calls: [] })
})

it('calls nothing without a secret', async () => {
  expect(await call('release')).toMatchObject({ response: { status: 403 }, calls: [] })
})

it('refuses methods that workers may not call', async () => {
  for (const method of ['remove', 'cancel', 'constructor', ''])
    expect(await call(method, 'the secret')).toMatchObject({ response: { status: 404 }, calls: [] })
})
