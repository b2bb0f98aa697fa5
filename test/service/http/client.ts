/** Sends requests to the app, and creates accounts with keys. */
import { env, exports } from 'cloudflare:workers'
import { addToAccountIndex } from '../../../src/service/store/account-index.ts'
import type { NewKey } from '../../../src/service/store/accounts.ts'
import { SCOPES } from '../../../src/service/store/keys.ts'
import type { TaskView } from '../../../src/service/store/task.ts'

export const BASE = 'http://127.0.0.1'

export interface Member {
  readonly accountId: string
  readonly key: string
}

/** Creates a separate account with one key, so that tests do not influence each other. */
export async function member(change: Partial<NewKey> = {}, storageBytes?: number): Promise<Member> {
  const accountId = `acc_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  const account = env.ACCOUNTS.getByName(accountId)
  const plan = change.plan ?? 'enterprise'
  const quota = storageBytes === undefined ? {} : { storageBytes }
  await account.put({ accountId, name: 'Test', plan, createdAt: Date.now(), state: 'active', ...quota })
  await addToAccountIndex(env.BLOBS, accountId)
  const { applicationId } = await account.createApplication('Test', 'test')
  const made = await account.createKey(applicationId, { plan, scopes: SCOPES, ...change })
  return { accountId, key: made!.key }
}

export function call(member: Member | undefined, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (member) headers.set('Authorization', `Bearer ${member.key}`)
  return exports.default.fetch(new Request(BASE + path, { ...init, headers }))
}

export const TEXT = 'the quick brown fox jumps over the lazy dog, again and again\n'.repeat(300)

export function form(fields: Record<string, string>, files: [name: string, content: string | Uint8Array, fileName: string][]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const [name, content, fileName] of files) data.append(name, new Blob([content]), fileName)
  return data
}

export function compress(
  who: Member,
  content: string | Uint8Array = TEXT,
  fileName = 'a.txt',
  fields: Record<string, string> = {},
  headers = {},
) {
  return call(who, '/v1/compress', { method: 'POST', headers, body: form(fields, [['file', content, fileName]]) })
}

export async function done(who: Member, content: string | Uint8Array = TEXT, fileName = 'a.txt'): Promise<TaskView> {
  const answer = await compress(who, content, fileName)
  const task = (await answer.json()) as TaskView
  if (task.status !== 'completed') throw new Error(JSON.stringify(task))
  return task
}

export interface ErrorBody {
  error: { code: number; message: string; request_id: string }
  error_detail: { type: string; [fact: string]: unknown }
}

export const errorOf = async (answer: Response) => (await answer.json()) as ErrorBody

/** R2 keys of all blobs stored for tasks. */
export async function blobs(): Promise<string[]> {
  const { objects } = await env.BLOBS.list()
  return objects.map((object) => object.key).filter((key) => !key.startsWith('accounts/'))
}
