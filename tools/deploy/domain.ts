/**
 * Whose is a domain? wrangler takes one from another Worker, and puts its own in the place of a DNS record, without asking when nobody
 * sits at a terminal.
 */
import { resolve } from 'node:dns/promises'
import type { Wrangler } from './wrangler.ts'

const API = process.env['CLOUDFLARE_API_BASE_URL'] ?? 'https://api.cloudflare.com/client/v4'

type Credentials = { type: 'api_key'; key: string; email: string } | { type: 'api_token' | 'oauth'; token: string }

/**
 * @returns whether no Worker has the domain yet
 * @throws Error when another Worker than `service` has it, or when that could not be found out
 */
export async function isFree(domain: string, service: string, wrangler: Wrangler, accountId: string | undefined): Promise<boolean> {
  const headers = credentials(wrangler)
  const account = accountId ?? (await onlyAccount(headers))
  const path = `/accounts/${account}/workers/domains?hostname=${domain}`
  const domains = await ask<{ hostname: string; service: string }>(path, headers)
  const owner = domains.find(({ hostname }) => hostname === domain)?.service
  if (owner !== undefined && owner !== service) {
    throw new Error(
      `${domain} is the domain of the Worker ${owner}; it was not taken from it. Remove it there if ${service} shall have it.`,
    )
  }
  return owner === undefined
}

/**
 * Records that a custom domain replaces are those of addresses, and aliases that lead to some.
 * @throws Error when there are any, or when that could not be found out
 */
export async function assertLeadsNowhere(domain: string): Promise<void> {
  const found = (await Promise.all([addresses(domain, 'A'), addresses(domain, 'AAAA')])).flat()
  if (found.length === 0) return
  throw new Error(
    `${domain} leads somewhere already (${found.join(', ')}): its DNS record would be replaced. Say --replace-dns if it shall.`,
  )
}

async function addresses(domain: string, type: 'A' | 'AAAA'): Promise<string[]> {
  try {
    return (await resolve(domain, type)) as string[]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw new Error(`Whether ${domain} leads somewhere already could not be found out (${code}). Say --replace-dns if that is no matter.`)
  }
}

function credentials(wrangler: Wrangler): Record<string, string> {
  const { stdout } = wrangler.must(['auth', 'token', '--json'])
  const found = JSON.parse(stdout.slice(Math.max(0, stdout.indexOf('{')))) as Credentials
  return found.type === 'api_key' ? { 'X-Auth-Key': found.key, 'X-Auth-Email': found.email } : { Authorization: `Bearer ${found.token}` }
}

async function onlyAccount(headers: Record<string, string>): Promise<string> {
  const accounts = await ask<{ id: string }>('/accounts', headers)
  if (accounts.length !== 1) {
    throw new Error(`You have ${accounts.length} accounts: name one as account_id in deploy.config.json, or in CLOUDFLARE_ACCOUNT_ID.`)
  }
  return accounts[0]!.id
}

async function ask<T>(path: string, headers: Record<string, string>): Promise<T[]> {
  const answer = await fetch(API + path, { headers, signal: AbortSignal.timeout(30_000) })
  const body = (await answer.json().catch(() => undefined)) as { success?: boolean; result?: T[]; errors?: unknown } | undefined
  if (!answer.ok || !body?.success || !Array.isArray(body.result)) {
    throw new Error(`Cloudflare's API answered ${answer.status} to ${path}: ${JSON.stringify(body?.errors ?? null)}`)
  }
  return body.result
}
