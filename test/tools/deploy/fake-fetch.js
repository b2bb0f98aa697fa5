// Replaces DNS and `fetch` with the fake account. Loaded before the deploy script (NODE_OPTIONS).
import dns from 'node:dns/promises'
import { appendFileSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

dns.resolve = async (name, type) => {
  const { records = {} } = JSON.parse(readFileSync(process.env.ACCOUNT, 'utf8'))
  const found = records[`${type} ${name}`] ?? 'ENOTFOUND'
  if (Array.isArray(found)) return found
  throw Object.assign(new Error(found), { code: found })
}
syncBuiltinESMExports()

globalThis.fetch = async (url) => {
  const account = JSON.parse(readFileSync(process.env.ACCOUNT, 'utf8'))
  const { hostname, pathname, searchParams } = new URL(url)
  appendFileSync(process.env.CALLS, `${JSON.stringify({ command: `fetch ${hostname}${pathname}` })}\n`)
  if (pathname === '/healthz') return Response.json({ status: account.health }, { status: account.health })
  if (account.api) return Response.json({ success: false, errors: [{ code: 10000, message: account.api }] }, { status: 403 })
  if (pathname.endsWith('/accounts')) return Response.json({ success: true, result: account.accounts.map((id) => ({ id })) })
  const owners = Object.entries(account.workers).filter(([, worker]) => worker.domains.includes(searchParams.get('hostname')))
  return Response.json({ success: true, result: owners.map(([service, { domains }]) => ({ hostname: domains[0], service })) })
}
