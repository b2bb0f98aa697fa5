/**
 * `npm run account -- create|list|plan|disable|enable|invite|people|remove|export|import|restore …`: admin commands for a deployment
 * or the local service.
 *
 * For the local service, address and token are read from `.dev`. For a deployment, set WHITTLE_SERVER and WHITTLE_ADMIN_TOKEN.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'

const root = resolve(import.meta.dirname, '..')

interface AccountView {
  account_id: string
  name: string
  plan: string
  state: string
  created_at: string
}

function server(): { url: string; token: string } {
  const { WHITTLE_SERVER: url, WHITTLE_ADMIN_TOKEN: token } = process.env
  if (url && token) return { url: url.replace(/\/+$/, ''), token }
  try {
    const keys = JSON.parse(readFileSync(join(root, '.dev/keys.json'), 'utf8')) as { base_url: string; state?: string }
    const secrets = readFileSync(join(keys.state ?? join(root, '.dev/state'), 'secrets.env'), 'utf8')
    const local = /^ADMIN_TOKEN=(.+)$/m.exec(secrets)?.[1]
    if (local) return { url: keys.base_url, token: local }
  } catch {
    // `npm start` has not run yet.
  }
  throw new Error('Set WHITTLE_SERVER and WHITTLE_ADMIN_TOKEN, or run `npm start` first.')
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const { url, token } = server()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/admin${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }).catch(() => {
    throw new Error(`${url} cannot be reached.`)
  })
  const result = (await response.json()) as T & { error?: { message: string } }
  if (!response.ok) throw new Error(result.error?.message ?? `The service responded with HTTP ${response.status}.`)
  return result
}

const print = (account: AccountView) =>
  console.log(
    `${account.account_id}  ${account.plan.padEnd(10)} ${account.state.padEnd(8)} ${account.created_at.slice(0, 10)}  ${account.name}`,
  )

async function invite(accountId: string, name: string, { role = 'owner' }: { role?: string } = {}) {
  const { invitation_url } = await call<{ invitation_url: string }>('POST', `/accounts/${accountId}/invitations`, { name, role })
  // A passkey belongs to a host name, and browsers accept no IP address. So the link uses `localhost`.
  console.log(`Invitation for ${name}, valid for 7 days and one person:\n  ${invitation_url.replace('//127.0.0.1', '//localhost')}`)
}

const program = new Command('account').description('Admin commands for operators.')
program
  .command('create <name>')
  .option('--plan <plan>', 'free, basic, pro or enterprise', 'free')
  .option('--region <region>', 'region for the data, one of those that the deployment has')
  .option('--invite <person>', 'also print an invitation to the console')
  .action(async (name: string, options: { plan: string; region?: string; invite?: string }) => {
    const account = await call<AccountView>('POST', '/accounts', { name, plan: options.plan, region: options.region })
    print(account)
    if (options.invite) await invite(account.account_id, options.invite)
  })
program.command('list').action(async () => {
  let cursor: string | null = null
  do {
    const query: string = cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''
    const page: { accounts: AccountView[]; next_cursor: string | null } = await call('GET', `/accounts${query}`)
    page.accounts.forEach(print)
    cursor = page.next_cursor
  } while (cursor)
})
program
  .command('plan <account> <plan>')
  .action(async (account: string, plan: string) => print(await call('PATCH', `/accounts/${account}`, { plan })))
program
  .command('disable <account>')
  .action(async (account: string) => print(await call('PATCH', `/accounts/${account}`, { state: 'disabled' })))
program
  .command('enable <account>')
  .action(async (account: string) => print(await call('PATCH', `/accounts/${account}`, { state: 'active' })))
program.command('invite <account> <person>').option('--role <role>', 'owner, admin, member or viewer', 'owner').action(invite)
program.command('people <account>').action(async (account: string) => {
  type Person = { user_id: string; name: string; passkeys: unknown[]; sessions: unknown[] }
  const { people } = await call<{ people: Person[] }>('GET', `/accounts/${account}/people`)
  for (const { user_id, name, passkeys, sessions } of people) {
    console.log(`${user_id}  ${passkeys.length} passkeys  ${sessions.length} sessions  ${name}`)
  }
})
program.command('remove <account> <user>').action(async (account: string, user: string) => {
  await call('DELETE', `/accounts/${account}/people/${user}`)
  console.log(`${user} was removed and signed out.`)
})
program
  .command('export')
  .description('export all accounts to the bucket, as every night')
  .action(async () => {
    const { accounts, failed } = await call<{ accounts: number; failed: number }>('POST', '/export')
    console.log(`${accounts} accounts exported${failed ? `, ${failed} failed` : ''}.`)
  })
program
  .command('import <account> <day>')
  .description('recreate a deleted account from its export of a day (2026-11-22)')
  .action(async (account: string, day: string) => print(await call('POST', `/accounts/${account}/import`, { day })))
program
  .command('restore <account> <moment>')
  .description('restore an account to a time of the last 30 days (2026-11-22T10:00:00Z) or to a bookmark; only on Cloudflare')
  .action(async (account: string, to: string) => {
    const body = Number.isNaN(Date.parse(to)) ? { bookmark: to } : { at: new Date(to).toISOString() }
    const { undo } = await call<{ undo: string }>('POST', `/accounts/${account}/restore`, body)
    console.log(`${account} is restored. To undo it: npm run account -- restore ${account} ${undo}`)
  })

await program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
