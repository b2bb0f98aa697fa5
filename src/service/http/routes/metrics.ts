/** GET /metrics: monthly figures of every account, in the text format of Prometheus (0.0.4). Needs the operator's token. */
import { listAccountIds } from '../../store/account-index.ts'
import type { AccountRecord, UsageView } from '../../store/accounts.ts'
import { listDeadLetters } from '../../store/dead-letters.ts'
import { bucketsOf } from '../../store/region-bindings.ts'
import type { AppContext } from '../context.ts'
import type { Route } from '../route.ts'

/** Maximum number of accounts per scrape, because each account and its keys are queried. The answer counts the rest as left out. */
const MOST_ACCOUNTS = 500
const AT_ONCE = 50
const MOST_LETTERS = 1000

type Labels = Readonly<Record<string, string>>
interface Sample {
  readonly labels: Labels
  readonly value: number
}
interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly samples: readonly Sample[]
}

interface Asked {
  readonly record: AccountRecord
  readonly usage: UsageView
}

export const metricsRoute: Route = {
  method: 'GET',
  path: '/metrics',
  access: 'operator',
  async handle(c) {
    const { accounts, leftOut } = await allAccounts(c)
    const letters = (await listDeadLetters(c.env.BLOBS, MOST_LETTERS)).letters.length
    const single = (name: string, help: string, value: number): Metric => ({ name, type: 'gauge', help, samples: [{ labels: {}, value }] })
    const all: Metric[] = [
      single('whittle_accounts', 'Accounts that these figures are of.', accounts.length),
      single('whittle_accounts_left_out', 'There are more accounts than one scrape asks.', Number(leftOut)),
      single('whittle_dead_letters', `Messages that queues gave up on, up to ${MOST_LETTERS}.`, letters),
      ...ofAccounts(accounts),
    ]
    const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' }
    return new Response(all.map(text).join(''), { headers })
  },
}

function ofAccounts(accounts: readonly Asked[]): Metric[] {
  const each = (sample: (asked: Asked) => readonly Sample[]) => accounts.flatMap(sample)
  const named = ({ record }: Asked) => ({ account: record.accountId, plan: record.plan })
  const ofMonth = 'of the month, which begins at nothing'
  return [
    {
      ...{ name: 'whittle_api_calls_total', type: 'counter', help: `Requests that counted, ${ofMonth}.` },
      samples: each((asked) => [{ labels: named(asked), value: asked.usage.api_calls }]),
    },
    {
      ...{ name: 'whittle_tasks_total', type: 'counter', help: `Tasks that ended, ${ofMonth}.` },
      samples: each((asked) => [
        { labels: { ...named(asked), result: 'completed' }, value: asked.usage.tasks_completed },
        { labels: { ...named(asked), result: 'failed' }, value: asked.usage.tasks_failed },
      ]),
    },
    {
      ...{ name: 'whittle_bytes_total', type: 'counter', help: `Bytes of completed tasks, sent and made of them, ${ofMonth}.` },
      samples: each((asked) => [
        { labels: { ...named(asked), direction: 'in' }, value: asked.usage.original_size },
        { labels: { ...named(asked), direction: 'out' }, value: asked.usage.compressed_size },
      ]),
    },
    {
      ...{ name: 'whittle_storage_bytes', type: 'gauge', help: 'What is kept.' },
      samples: each((asked) => [{ labels: named(asked), value: asked.usage.storage_used }]),
    },
    {
      ...{ name: 'whittle_storage_quota_bytes', type: 'gauge', help: 'What may be kept.' },
      samples: each((asked) => [{ labels: named(asked), value: asked.usage.storage_quota }]),
    },
  ]
}

async function allAccounts(c: AppContext): Promise<{ accounts: Asked[]; leftOut: boolean }> {
  const accounts: Asked[] = []
  for (let cursor: string | undefined; accounts.length < MOST_ACCOUNTS; ) {
    const page = await listAccountIds(bucketsOf(c.env), AT_ONCE, cursor)
    const asked = await Promise.all(
      page.ids.map(async (id): Promise<Asked[]> => {
        const account = c.env.ACCOUNTS.getByName(id)
        const record = await account.get()
        return record ? [{ record, usage: await account.usage(record.plan) }] : []
      }),
    )
    for (const one of asked.flat()) accounts.push(one)
    cursor = page.cursor
    if (cursor === undefined) return { accounts, leftOut: false }
  }
  return { accounts, leftOut: true }
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function text({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, of]) => `${label}="${escaped(of)}"`)
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
