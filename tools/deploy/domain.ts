/** Checks who uses a domain. Without a terminal, wrangler takes a domain from another Worker and replaces DNS records without asking. */
import { resolve } from 'node:dns/promises'
import type { Wrangler } from './wrangler.ts'

const API = process.env['CLOUDFLARE_API_BASE_URL'] ?? 'https://api.cloudflare.com/client/v4'

type Credentials = { type: 'api_key'; key: string; email: string } | { type: 'api_token' | 'oauth'; token: string }

/**
 * Checks that no other Worker has the domain.
 * @returns true if no Worker has it yet
 * @throws Error if another Worker than `service` has it, or if Cloudflare's API fails
 */
export async function isFree(domain: string, service: string, wrangler: Wrangler, accountId: string | undefined): Promise<boolean> {
  const headers = credentials(wrangler)
  const account = accountId ?? (await findOnlyAccount(headers))
  const path = `/accounts/${account}/workers/domains?hostname=${domain}`
  const domains = await callApi<{ hostname: string; service: string }>(path, headers)
  const owner = domains.find(({ hostname }) => hostname === domain)?.service
  if (owner !== undefined && owner !== service) {
    throw new Error(
      `${domain} is the domain of the Worker ${owner}. Nothing was changed. To use it for ${service}, remove it from ${owner} first.`,
    )
  }
  return owner === undefined
}

/**
 * Checks that the domain has no address records (A, AAAA), also through aliases. A custom domain would replace them.
 * @throws Error if it has any, or if the lookup fails
 */
export async function assertLeadsNowhere(domain: string): Promise<void> {
  const addressRecords = (await Promise.all([addresses(domain, 'A'), addresses(domain, 'AAAA')])).flat()
  if (addressRecords.length === 0) return
  throw new Error(
    `${domain} already has DNS records (${addressRecords.join(', ')}), which would be replaced. To allow that, pass --replace-dns.`,
  )
}

async function addresses(domain: string, type: 'A' | 'AAAA'): Promise<string[]> {
  try {
    return (await resolve(domain, type)) as string[]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw new Error(`The DNS records of ${domain} could not be read (${code}). To deploy anyway, pass --replace-dns.`)
  }
}

function credentials(wrangler: Wrangler): Record<string, string> {
  const { stdout } = wrangler.must(['auth', 'token', '--json'])
  const login = JSON.parse(stdout.slice(Math.max(0, stdout.indexOf('{')))) as Credentials
  return login.type === 'api_key' ? { 'X-Auth-Key': login.key, 'X-Auth-Email': login.email } : { Authorization: `Bearer ${login.token}` }
}

async function findOnlyAccount(headers: Record<string, string>): Promise<string> {
  const accounts = await callApi<{ id: string }>('/accounts', headers)
  if (accounts.length !== 1) {
    throw new Error(`You have ${accounts.length} accounts. Set account_id in deploy.config.json or CLOUDFLARE_ACCOUNT_ID to one of them.`)
  }
  return accounts[0]!.id
}

async function callApi<T>(path: string, headers: Record<string, string>): Promise<T[]> {
  const response = await fetch(API + path, { headers, signal: AbortSignal.timeout(30_000) })
  const body = (await response.json().catch(() => undefined)) as { success?: boolean; result?: T[]; errors?: unknown } | undefined
  if (!response.ok || !body?.success || !Array.isArray(body.result)) {
    throw new Error(`Cloudflare's API responded with HTTP ${response.status} to ${path}: ${JSON.stringify(body?.errors ?? null)}`)
  }
  return body.result
}
