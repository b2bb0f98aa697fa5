/** The door that the parent of the presses has into the service: nobody without its secret, and nobody with any other wish. */
import { expect, it } from 'vitest'
import door from '../../src/service/remote/door.ts'
import { decode, encode } from '../../src/service/remote/wire.ts'

type Door = Parameters<typeof door.fetch>

/** What tasks and blobs were asked. */
function knock(path: string, secret: string | undefined, init: RequestInit = {}) {
  const asked: string[] = []
  const note = (what: string) => {
    asked.push(what)
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
                note(`${id} ${String(method)} ${JSON.stringify(args)}`),
          },
        ),
    },
    BLOBS: {
      get: async (key: string) => note(`get ${key}`),
      put: async (key: string) => note(`put ${key}`),
      delete: async (key: string) => note(`delete ${key}`),
    },
  }
  const request = new Request(`http://door${path}`, { ...init, headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` } })
  return door.fetch(request as unknown as Door[0], env as unknown as Door[1]).then((answer) => ({ answer, asked }))
}

const call = (method: string, secret?: string) =>
  knock(`/tasks/tsk_1?method=${method}`, secret, { method: 'POST', body: encode([1, 'why']) })

it('calls the task for whoever has the secret', async () => {
  const { answer, asked } = await call('release', 'the secret')
  expect([answer.status, decode(await answer.text())]).toEqual([200, null])
  expect(asked).toEqual(['tsk_1 release [1,"why"]'])
})

it.each([['the secre'], ['the secrets'], ['']])('touches nothing for the secret "%s"', async (secret) => {
  for (const method of ['release', 'complete']) expect(await call(method, secret)).toMatchObject({ answer: { status: 403 }, asked: [] })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await knock('/blobs/uploads/tsk_1', secret, { method })).toMatchObject({ answer: { status: 403 }, asked: [] })
})

it('touches nothing without a secret', async () => {
  expect(await call('release')).toMatchObject({ answer: { status: 403 }, asked: [] })
})

it('calls nothing that is not a worker’s business', async () => {
  for (const method of ['remove', 'cancel', 'constructor', ''])
    expect(await call(method, 'the secret')).toMatchObject({ answer: { status: 404 }, asked: [] })
})
