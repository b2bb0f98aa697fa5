/** Browser session of a person at the console: cookies, and the header that other sites cannot send. */
import { env, exports } from 'cloudflare:workers'
import { addToAccountIndex } from '../../../src/service/store/account-index.ts'
import type { PlanId } from '../../../src/service/store/plans.ts'
import { type Authenticator, newAuthenticator } from './authenticator.ts'
import { BASE } from './client.ts'
import { nested } from './nested.ts'

export class Browser {
  readonly cookies = new Map<string, string>()

  async ask(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = new Headers({ 'X-Whittle-Console': '1', Cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') })
    const form = body instanceof FormData
    if (!form) headers.set('Content-Type', 'application/json')
    const sent = body === undefined ? {} : { body: form ? body : JSON.stringify(body) }
    const answer = await exports.default.fetch(new Request(`${BASE}/console/api${path}`, { method, headers, ...sent }))
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]!.split('=')
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  /** Requests passkey options and answers them. */
  async register(invitation: string, authenticator: Authenticator): Promise<Response> {
    type Options = { options: { challenge: string; user: { id: string } } }
    const { options } = await this.json<Options>('POST', '/register/options', { invitation })
    return this.ask('POST', '/register', { invitation, credential: await authenticator.register(options) })
  }

  async signIn(authenticator: Authenticator): Promise<Response> {
    const { options } = await this.json<{ options: { challenge: string } }>('POST', '/login/options')
    return this.ask('POST', '/login', { credential: await authenticator.signIn(options) })
  }
}

export async function newAccount(plan: PlanId) {
  const accountId = `acc_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  const account = nested(env.ACCOUNTS.getByName(accountId))
  await account.put({ accountId, name: 'Test', plan, createdAt: Date.now(), state: 'active' })
  await addToAccountIndex(env.BLOBS, accountId)
  return { accountId, account }
}

/** Creates a new account with a signed-in person. */
export async function signedIn(plan: PlanId) {
  const { accountId, account } = await newAccount(plan)
  const [browser, authenticator] = [new Browser(), await newAuthenticator()]
  const answer = await browser.register(await account.people.invite('Ada'), authenticator)
  if (!answer.ok) throw new Error(await answer.text())
  return { accountId, account, browser, authenticator }
}
