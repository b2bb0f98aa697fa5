/** The development account that the first `npm start` creates through the admin API, with one key for each plan and each key state. */

export interface DevelopmentKeys {
  readonly base_url: string
  readonly account_id: string
  readonly webhook_secret: string
  readonly keys: Readonly<Record<KeyName, string>>
}

const KEYS = {
  free: { plan: 'free' },
  basic: { plan: 'basic' },
  pro: { plan: 'pro' },
  enterprise: { plan: 'enterprise' },
  disabled: { plan: 'basic', state: 'disabled' },
  expired: { plan: 'basic', expires_at: '2026-01-01T00:00:00Z' },
  read_only: { plan: 'basic', scopes: ['tasks:read', 'usage:read'] },
} as const

type KeyName = keyof typeof KEYS

/**
 * Returns the development account and its keys. Reuses `existing` if the service still has that account, otherwise creates a new one.
 * @throws Error if the admin API refuses a call
 */
export async function provisionDevelopmentAccount(
  baseUrl: string,
  adminToken: string,
  existing: DevelopmentKeys | undefined,
): Promise<DevelopmentKeys> {
  const operator = new Operator(baseUrl, adminToken)
  if (existing && (await operator.hasAccount(existing.account_id))) return { ...existing, base_url: baseUrl }
  const { account_id } = await operator.post<{ account_id: string }>('/admin/accounts', { name: 'Development', plan: 'enterprise' })
  const account = `/admin/accounts/${account_id}`
  const application = { name: 'Development', environment: 'development' }
  const { application_id } = await operator.post<{ application_id: string }>(`${account}/applications`, application)
  const keys: Partial<Record<KeyName, string>> = {}
  for (const [name, options] of Object.entries(KEYS)) {
    keys[name as KeyName] = (await operator.post<{ key: string }>(`${account}/keys`, { application_id, name, ...options })).key
  }
  const { webhook_secret } = await operator.get<{ webhook_secret: string }>(`${account}/webhook-secret`)
  return { base_url: baseUrl, account_id, webhook_secret, keys: keys as Record<KeyName, string> }
}

/** Creates a one-time link that registers a passkey for the development account's console. */
export async function inviteDeveloper(baseUrl: string, adminToken: string, accountId: string, name = 'Developer'): Promise<string> {
  const path = `/admin/accounts/${accountId}/invitations`
  const { invitation_url } = await new Operator(baseUrl, adminToken).post<{ invitation_url: string }>(path, { name })
  // A passkey belongs to a host name, and browsers accept no IP address. So the link uses `localhost`.
  return invitation_url.replace('//127.0.0.1', '//localhost')
}

class Operator {
  readonly #baseUrl: string
  readonly #headers: Record<string, string>

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl
    this.#headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  }

  async hasAccount(accountId: string): Promise<boolean> {
    const response = await fetch(`${this.#baseUrl}/admin/accounts/${encodeURIComponent(accountId)}`, { headers: this.#headers })
    await response.arrayBuffer()
    return response.ok
  }

  get<T>(path: string): Promise<T> {
    return this.#call<T>('GET', path)
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#call<T>('POST', path, JSON.stringify(body))
  }

  async #call<T>(method: string, path: string, body?: string): Promise<T> {
    const response = await fetch(this.#baseUrl + path, { method, headers: this.#headers, ...(body === undefined ? {} : { body }) })
    if (!response.ok) throw new Error(`${method} ${path} failed with HTTP ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }
}
