/** `npm run deploy` against a fake wrangler with the behaviour of wrangler 4.135.0. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { CONTAINER_PRESS_MB } from '../../../src/service/lanes.ts'
import { configurationOf, EDGE, SERVICES, withLogShare, withTraces } from '../../../tools/deploy/configuration.ts'
import { withRegion } from '../../../tools/deploy/regions.ts'
import { readSettings } from '../../../tools/deploy/settings.ts'
import { fewOf } from '../../support/thorough.ts'
import { type Call, Checkout, PRODUCTION } from './account.ts'

const DOMAIN = 'whittle.example.com'
const TROUBLE = { path: 'workers/scripts/whittle/deployments', text: 'Internal error; try again later.', code: 10013 }
const names = (calls: readonly Call[]) => calls.map(({ name }) => name)

describe('a staging environment', () => {
  it('refuses routes in wrangler.toml, which would take the domain of production', async () => {
    using checkout = new Checkout(PRODUCTION)
    checkout.replace(
      'wrangler.toml',
      'workers_dev = true\n',
      `workers_dev = true\nroutes = [{ pattern = "${DOMAIN}", custom_domain = true }]\n`,
    )
    const { code, output } = await checkout.deploy('--env', 'staging')
    expect(checkout.account.workers['whittle']?.domains).toEqual([DOMAIN])
    expect(checkout.deploys).toEqual([])
    expect(code).toBe(1)
    expect(output).toContain('wrangler.toml names routes, which all environments would share')
  })

  it.each([
    'route = "whittle.example.com/*"\n',
    '[[routes]]\npattern = "whittle.example.com"\ncustom_domain = true\n',
    '[env.production]\nroutes = [ "whittle.example.com/*" ]\n',
  ])('is refused however the route is written: %j', async (route) => {
    using checkout = new Checkout(PRODUCTION)
    checkout.append('wrangler.toml', `\n${route}`)
    expect((await checkout.deploy('--env', 'staging')).code).toBe(1)
    expect(checkout.calls).toEqual([])
  })

  it('refuses the domain of another Worker', async () => {
    using checkout = new Checkout(PRODUCTION)
    const { code, output } = await checkout.deploy('--env', 'staging', '--domain', DOMAIN)
    expect({ code, made: checkout.deploys }).toEqual({ code: 1, made: [] })
    expect(output).toContain(`${DOMAIN} is the domain of the Worker whittle. Nothing was changed`)
    expect(checkout.account.buckets).toEqual(['whittle-blobs'])
  })

  const STAGING = 'staging.example.com'
  it.each([
    [{ [`A ${STAGING}`]: ['203.0.113.5'] }, `${STAGING} already has DNS records (203.0.113.5), which would be replaced`],
    [{ [`A ${STAGING}`]: 'ENODATA', [`AAAA ${STAGING}`]: ['2001:db8::5'] }, 'already has DNS records (2001:db8::5)'],
    [{ [`AAAA ${STAGING}`]: 'ETIMEOUT' }, 'could not be read (ETIMEOUT)'],
  ])('refuses a domain with a DNS record, which wrangler would replace: %j', async (records, message) => {
    using checkout = new Checkout({ ...PRODUCTION, records })
    const { code, output } = await checkout.deploy('--env', 'staging', '--domain', STAGING)
    expect({ code, made: checkout.deploys, buckets: checkout.account.buckets }).toEqual({ code: 1, made: [], buckets: ['whittle-blobs'] })
    expect(output).toContain(message)
  })

  it('replaces a DNS record with --replace-dns, and needs the flag only once', async () => {
    using checkout = new Checkout({ ...PRODUCTION, records: { [`A ${STAGING}`]: ['203.0.113.5'] } })
    expect(await checkout.deploy('--env', 'staging', '--domain', STAGING, '--replace-dns')).toMatchObject({ code: 0 })
    expect(await checkout.deploy('--env', 'staging', '--domain', STAGING)).toMatchObject({ code: 0 })
  })

  it('refuses the domain of another environment in deploy.config.json', async () => {
    using checkout = new Checkout()
    checkout.append('deploy.config.json', JSON.stringify({ production: { domain: DOMAIN }, staging: { domain: DOMAIN.toUpperCase() } }))
    const { code, output } = await checkout.deploy('--env', 'staging')
    expect({ code, calls: checkout.calls }).toEqual({ code: 1, calls: [] })
    expect(output).toContain(`${DOMAIN} is already the domain of the environment production`)
  })

  it('uses its own names, domain and account', async () => {
    using checkout = new Checkout(PRODUCTION)
    const staging = { domain: 'staging.example.com', account_id: 'a'.repeat(32) }
    checkout.append('deploy.config.json', JSON.stringify({ production: { domain: DOMAIN }, staging }))
    const { code, output } = await checkout.deploy('--env', 'staging')
    expect(output).toContain('https://staging.example.com/healthz is healthy')
    expect(code).toBe(0)
    const edges = checkout.deploys.filter(({ name }) => name === 'whittle-staging')
    expect(edges.map(({ domains, workersDev }) => ({ domains, workersDev }))).toEqual([
      { domains: [], workersDev: false },
      { domains: ['staging.example.com'], workersDev: false },
    ])
    expect(names(checkout.deploys).every((name) => name?.endsWith('-staging'))).toBe(true)
    expect(checkout.calls.map(({ command }) => command)).toContain(
      `fetch api.cloudflare.com/client/v4/accounts/${'a'.repeat(32)}/workers/domains`,
    )
    expect(checkout.account.workers['whittle']).toEqual(PRODUCTION.workers?.['whittle'])
  })
})

it('sets lifecycle rules that delete blobs a day after their retention', async () => {
  using checkout = new Checkout(PRODUCTION)
  expect((await checkout.deploy('--env', 'staging')).code).toBe(0)
  const days = (checkout.account.rules?.['whittle-blobs-staging'] ?? []).map(({ conditions, deleteObjectsTransition }) => [
    conditions.prefix,
    deleteObjectsTransition && deleteObjectsTransition.condition.maxAge / 86_400,
  ])
  expect(Object.fromEntries(days)).toEqual({
    'results-1d/': 2,
    'uploads-1d/': 4,
    'results-3d/': 4,
    'uploads-3d/': 6,
    'results-7d/': 8,
    'uploads-7d/': 10,
    'results-30d/': 31,
    'uploads-30d/': 33,
    'parts/': 2,
    'incoming/': 2,
    'results/': 32,
    'uploads/': 32,
    'dead-letters/': 32,
    'exports/': 32,
    'pictures/': 32,
    'picture-sources/': 2,
    '': undefined,
  })
})

it('uses its own metrics dataset, with a name that is valid in SQL', () => {
  const root = join(import.meta.dirname, '../../..')
  for (const file of [EDGE, ...SERVICES]) {
    expect(configurationOf(root, file, '-staging')).toContain('dataset = "whittle_tasks_staging"')
    expect(configurationOf(root, file, '')).toContain('dataset = "whittle_tasks"')
  }
})

it('keeps the logs of a tenth of all invocations, or the share of deploy.config.json', async () => {
  const root = join(import.meta.dirname, '../../..')
  for (const file of [EDGE, ...SERVICES]) {
    const own = configurationOf(root, file, '')
    expect(withLogShare(own, readSettings(root, []).logShare)).toMatch(/^\[observability\]\nenabled = true\nhead_sampling_rate = 0\.1$/m)
    expect(withLogShare(own, 0.05)).toMatch(/^\[observability\]\nenabled = true\nhead_sampling_rate = 0\.05$/m)
  }
})

it('sends traces of all Workers to the destinations of deploy.config.json, and none by default', () => {
  const root = join(import.meta.dirname, '../../..')
  const folder = mkdtempSync(join(tmpdir(), 'whittle-traces-'))
  try {
    const asked = { production: { log_share: 0.5, traces: { share: 0.1, destinations: ['grafana-traces'] } } }
    writeFileSync(join(folder, 'deploy.config.json'), JSON.stringify(asked))
    const { traces } = readSettings(folder, [])
    mkdirSync(join(folder, 'deploy'))
    for (const file of [EDGE, ...SERVICES]) {
      const configuration = withLogShare(configurationOf(root, file, ''), 0.5)
      expect(withTraces(configuration, readSettings(folder, ['--env', 'staging']).traces)).toBe(configuration)
      writeFileSync(join(folder, file), withTraces(configuration, traces))
      expect(unstable_readConfig({ config: join(folder, file) }).observability).toMatchObject({
        ...{ enabled: true, head_sampling_rate: 0.5 },
        traces: { enabled: true, head_sampling_rate: 0.1, destinations: ['grafana-traces'], persist: false },
      })
    }
    const hostile = { production: { traces: { destinations: ['a"]\nmain = "b'] } } }
    writeFileSync(join(folder, 'deploy.config.json'), JSON.stringify(hostile))
    expect(() => readSettings(folder, [])).toThrow('expected a destination of letters')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('regions', () => {
  it('have one bucket each, in its location, with lifecycle rules, bound by all Workers', async () => {
    using checkout = new Checkout(PRODUCTION)
    checkout.append('deploy.config.json', JSON.stringify({ staging: { regions: ['apac', 'eu'], region: 'eu' } }))
    expect(await checkout.deploy('--env', 'staging')).toMatchObject({ code: 0 })
    const { locations, rules } = checkout.account
    expect(locations).toEqual({
      'whittle-blobs-staging': '',
      'whittle-eu-blobs-staging': '--jurisdiction eu',
      'whittle-apac-blobs-staging': '--location apac',
    })
    expect(Object.keys(rules ?? {}).toSorted()).toEqual(Object.keys(locations ?? {}).toSorted())
    for (const name of ['whittle-press-staging', 'whittle-media-staging', 'whittle-staging']) {
      expect(checkout.deploys.findLast((call) => call.name === name)?.buckets).toEqual([
        'BLOBS whittle-blobs-staging',
        'BLOBS_EU whittle-eu-blobs-staging eu',
        'BLOBS_APAC whittle-apac-blobs-staging',
      ])
    }
    expect(checkout.deploys.map(({ name, vars }) => [name, vars]).at(-1)).toEqual(['whittle-staging', ['REGION = "eu"']])
    expect(checkout.deploys.filter(({ vars }) => vars?.length).every(({ name }) => name === 'whittle-staging')).toBe(true)
  })

  it.each([
    [{ region: 'eu' }, 'the region eu is not listed in regions'],
    [{ regions: ['mars'] }, 'production.regions'],
  ])('refuses %j', async (production, message) => {
    using checkout = new Checkout()
    checkout.append('deploy.config.json', JSON.stringify({ production }))
    const { code, output } = await checkout.deploy()
    expect({ code, calls: checkout.calls }).toEqual({ code: 1, calls: [] })
    expect(output).toContain(message)
  })

  it('are added to the variables of wrangler.toml', () => {
    expect(withRegion('name = "whittle"\n\n[vars]\nCALLBACK_PORTS = "9443"\n', 'us')).toContain('[vars]\nREGION = "us"\nCALLBACK_PORTS')
  })
})

describe('containers', () => {
  it('are deployed before the edge, and only with --heavy', async () => {
    using checkout = new Checkout(PRODUCTION)
    expect(await checkout.deploy('--heavy')).toMatchObject({ code: 0 })
    expect(names(checkout.deploys)).toEqual(['whittle-press', 'whittle-media', 'whittle-heavy', 'whittle'])
    const [heavy, edge] = checkout.deploys.slice(-2)
    expect(heavy).toMatchObject({
      queues: ['whittle-heavy-jobs', 'whittle-heavy-dead'],
      buckets: ['BLOBS whittle-blobs'],
      workersDev: false,
    })
    expect(edge?.queues).toContain('whittle-heavy-jobs')
    expect(edge?.vars, 'GET /v1/formats tells it').toEqual([`JOB_MEMORY_BYTES = "${(CONTAINER_PRESS_MB - 224) * 2 ** 20}"`])
    expect(checkout.deploys[0]?.queues).not.toContain('whittle-heavy-jobs')
    using without = new Checkout(PRODUCTION)
    expect(await without.deploy()).toMatchObject({ code: 0 })
    expect(JSON.stringify(without.calls)).not.toContain('heavy')
    expect(without.deploys.at(-1)?.vars).toEqual([])
  })

  it('can be set per environment in deploy.config.json, also for its first deployment', async () => {
    using checkout = new Checkout()
    checkout.append('deploy.config.json', JSON.stringify({ staging: { heavy: true, regions: ['eu'] } }))
    expect(await checkout.deploy('--env', 'staging')).toMatchObject({ code: 0 })
    const heavy = checkout.deploys.find(({ name }) => name === 'whittle-heavy-staging')
    expect(heavy).toMatchObject({
      queues: ['whittle-heavy-jobs-staging', 'whittle-heavy-dead-staging'],
      buckets: ['BLOBS whittle-blobs-staging', 'BLOBS_EU whittle-eu-blobs-staging eu'],
    })
  })

  it('that cannot be deployed leave the edge unchanged', async () => {
    using checkout = new Checkout({ ...PRODUCTION, broken: [{ command: 'deploy', name: 'whittle-heavy', ...TROUBLE }] })
    expect(await checkout.deploy('--heavy')).toMatchObject({ code: 1 })
    expect(checkout.account.workers['whittle']).toEqual(PRODUCTION.workers?.['whittle'])
  })
})

it('switches guests on only if the settings of the environment say so', async () => {
  using checkout = new Checkout(PRODUCTION)
  expect((await checkout.deploy()).code).toBe(0)
  expect(checkout.deploys.at(-1)?.vars).toEqual([])
  checkout.append('deploy.config.json', JSON.stringify({ production: { guests: true } }))
  expect((await checkout.deploy()).code).toBe(0)
  expect(checkout.deploys.at(-1)?.vars).toEqual(['GUESTS = "on"'])
})

describe('queues', () => {
  const queuesOf = (checkout: Checkout, name: string) => checkout.deploys.findLast((call) => call.name === name)?.queues

  it('are separate for long jobs', async () => {
    using checkout = new Checkout(PRODUCTION)
    expect((await checkout.deploy()).code).toBe(0)
    expect(queuesOf(checkout, 'whittle-press')).toEqual(['whittle-press-jobs', 'whittle-press-dead', 'whittle-press-large-jobs'])
    expect(queuesOf(checkout, 'whittle-media')).toEqual(['whittle-media-jobs', 'whittle-media-dead', 'whittle-media-large-jobs'])
    expect(queuesOf(checkout, 'whittle')?.toSorted()).toEqual(
      ['press', 'media'].flatMap((kind) => [`whittle-${kind}-jobs`, `whittle-${kind}-large-jobs`]).toSorted(),
    )
  })

  it('are as many as deploy.config.json sets, each with producer and consumer', async () => {
    using checkout = new Checkout(PRODUCTION)
    checkout.append('deploy.config.json', JSON.stringify({ staging: { queue_shards: 3 } }))
    expect((await checkout.deploy('--env', 'staging')).code).toBe(0)
    const consumed = ['whittle-press-staging', 'whittle-media-staging'].flatMap((name) => queuesOf(checkout, name) ?? [])
    const sent = queuesOf(checkout, 'whittle-staging') ?? []
    expect(sent).toHaveLength(12)
    expect(sent).toContain('whittle-media-large-jobs-2-staging')
    expect(consumed.filter((name) => !name.includes('-dead')).toSorted()).toEqual(sent.toSorted())
    expect(checkout.account.queues).toEqual(expect.arrayContaining(consumed))
  })
})

describe('the first deployment', () => {
  it('is not assumed after an error: nothing is deployed and the error is shown', async () => {
    using checkout = new Checkout({ ...PRODUCTION, broken: [{ command: 'deployments list', ...TROUBLE }] })
    const { code, output } = await checkout.deploy()
    expect(checkout.deploys).toEqual([])
    expect(code).toBe(1)
    expect(output).toContain('Internal error; try again later. [code: 10013]')
  })

  it('deploys stubs, the edge without an address, secrets, then all Workers', async () => {
    using checkout = new Checkout()
    const { code } = await checkout.deploy('--domain', DOMAIN)
    expect(code).toBe(0)
    const steps = checkout.calls.filter(({ command }) => /^(deploy$|secret put|fetch whittle)/.test(command))
    expect(steps.map(({ command, name, main, domains }) => [command, name, main, domains?.join()].filter(Boolean).join(' '))).toEqual([
      'deploy whittle-press wrangler.deploy.mjs',
      'deploy whittle-media wrangler.deploy.mjs',
      'deploy whittle src/index.ts',
      'secret put SECRET_KEY whittle',
      'secret put ADMIN_TOKEN whittle',
      'secret put RECEIPT_KEYS whittle',
      'deploy whittle-press src/service/press.ts',
      'deploy whittle-media src/service/media.ts',
      `deploy whittle src/index.ts ${DOMAIN}`,
      'fetch whittle.example.com/healthz',
    ])
    const edges = checkout.deploys.filter(({ name }) => name === 'whittle')
    expect(edges.map(({ services }) => services)).toEqual([
      ['whittle-press', 'whittle-media'],
      ['whittle-press', 'whittle-media'],
    ])
  })

  it('a later deployment deploys the edge once, after its services', async () => {
    using checkout = new Checkout(PRODUCTION)
    expect((await checkout.deploy()).code).toBe(0)
    expect(names(checkout.deploys)).toEqual(['whittle-press', 'whittle-media', 'whittle'])
    expect(checkout.deploys.at(-1)).toMatchObject({ services: ['whittle-press', 'whittle-media'] })
  })

  it('keeps an existing service if only the edge is missing', async () => {
    using checkout = new Checkout({ ...PRODUCTION, workers: { 'whittle-press': { versions: ['v1'], domains: [] } } })
    expect((await checkout.deploy()).code).toBe(0)
    expect(checkout.deploys.filter(({ name }) => name === 'whittle-press').map(({ main }) => main)).toEqual(['src/service/press.ts'])
  })
})

describe('the admin token', () => {
  it('is saved to a file of the owner instead of printed, without a terminal', async () => {
    using checkout = new Checkout()
    const { output } = await checkout.deploy()
    const [secretKey, token] = checkout.account.values
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(output).not.toContain(token)
    expect(output).not.toContain(secretKey)
    expect(output).toContain('.dev/whittle.admin-token')
    expect(checkout.read('.dev/whittle.admin-token')).toEqual({ text: `${token}\n`, mode: 0o600 })
  })
})

describe('after a deployment', () => {
  it('all Workers are rolled back if /healthz is not healthy', async () => {
    using checkout = new Checkout({ ...PRODUCTION, health: 503 })
    const { code, output } = await checkout.deploy('--wait', '0')
    expect(code).toBe(1)
    expect(output).toContain('https://whittle.acme.workers.dev/healthz is not healthy: 503 {"status":503}')
    const versions = Object.values(checkout.account.workers).map((worker) => worker.versions)
    expect(versions).toEqual(['whittle-press', 'whittle-media', 'whittle'].map((name) => [`${name}-v1`, `${name}-v2`, `${name}-v1`]))
  })

  it('reports an unhealthy first deployment, without a rollback', async () => {
    using checkout = new Checkout({ health: 503 })
    const { code, output } = await checkout.deploy('--wait', '0')
    expect(code).toBe(1)
    expect(output).toMatch(/is not healthy: 503[\s\S]*There is no earlier version to restore/)
    expect(checkout.calls.filter(({ command }) => command.startsWith('rollback'))).toEqual([])
  })

  it('reports the failed step, and leaves no temporary file', async () => {
    using checkout = new Checkout({ ...PRODUCTION, broken: [{ command: 'deploy', name: 'whittle-media', ...TROUBLE }] })
    const { code, output } = await checkout.deploy()
    expect({ code, deployed: names(checkout.deploys) }).toEqual({ code: 1, deployed: ['whittle-press', 'whittle-media'] })
    expect(output).toMatch(/wrangler deploy [\s\S]* failed:[\s\S]*code: 10013/)
    expect(() => checkout.read('wrangler.deploy.toml')).toThrow()
  })
})

/** Commands that change something, each with the name of its Worker. */
const changes = ({ calls }: Checkout) =>
  calls
    .filter(({ command }) => /^(deploy$|versions|triggers|rollback|fetch whittle)/.test(command))
    .map(({ command, name = '' }) => `${command} · ${name}`)
const live = ({ account }: Checkout) => Object.entries(account.workers).map(([name, { versions }]) => `${name}: ${versions.at(-1)}`)
const OLD = ['whittle-press: whittle-press-v1', 'whittle-media: whittle-media-v1', 'whittle: whittle-v1']

describe('a gradual deployment', () => {
  const gradual = (checkout: Checkout) => checkout.deploy('--domain', DOMAIN, '--gradual', '--soak', '0', '--wait', '0')

  it('gives new versions of press and media 5 % of the calls, checks /healthz, then gives them all; the edge comes last', async () => {
    using checkout = new Checkout(PRODUCTION)
    expect(await gradual(checkout)).toMatchObject({ code: 0 })
    const both = (command: (name: string) => string) => ['whittle-press', 'whittle-media'].map((name) => `${command(name)} · ${name}`)
    expect(changes(checkout)).toEqual([
      ...both(() => 'versions upload'),
      ...both((name) => `versions deploy ${name}-v2@5% ${name}-v1@95% --name ${name} --yes`),
      `fetch ${DOMAIN}/healthz · `,
      ...['whittle-press', 'whittle-media'].flatMap((name) => [
        `versions deploy ${name}-v2@100% --name ${name} --yes · ${name}`,
        `triggers deploy · ${name}`,
      ]),
      'deploy · whittle',
      `fetch ${DOMAIN}/healthz · `,
    ])
    expect(live(checkout)).toEqual(['whittle-press: whittle-press-v2', 'whittle-media: whittle-media-v2', 'whittle: whittle-v2'])
  })

  it('rolls back before the edge is deployed if /healthz is not healthy', async () => {
    using checkout = new Checkout({ ...PRODUCTION, health: 503 })
    const { code, output } = await gradual(checkout)
    expect({ code, live: live(checkout), edge: checkout.deploys }).toEqual({ code: 1, live: OLD, edge: [] })
    expect(output).toMatch(/not healthy with the new versions: 503[\s\S]*whittle-press: rolled back to whittle-press-v1/)
  })

  const failures = [
    ['versions upload', 'whittle-media'],
    ['versions deploy whittle-media-v2@5%', 'whittle-media'],
    ['versions deploy whittle-media-v2@100%', 'whittle-media'],
    ['triggers deploy', 'whittle-press'],
  ] as const
  it.each(fewOf(failures, 2))('rolls back if %s of %s fails', async (command, name) => {
    using checkout = new Checkout({ ...PRODUCTION, broken: [{ command, name, ...TROUBLE }] })
    const { code, output } = await gradual(checkout)
    expect({ code, live: live(checkout), edge: checkout.deploys }).toEqual({ code: 1, live: OLD, edge: [] })
    expect(output).toContain('code: 10013')
  })

  it('deploys at once if there is no earlier version, and needs a domain for /healthz', async () => {
    using first = new Checkout()
    expect(await gradual(first)).toMatchObject({ code: 0 })
    expect(changes(first).filter((change) => change.startsWith('versions'))).toEqual([])
    using nowhere = new Checkout(PRODUCTION)
    expect(await nowhere.deploy('--gradual')).toMatchObject({ code: 1 })
    expect(nowhere.calls).toEqual([])
  })
})

const COMMANDS = ['r2 bucket create', 'r2 bucket lifecycle', 'queues create', 'secret list', 'secret put RECEIPT_KEYS', 'deploy']
it.each(fewOf(COMMANDS, 2))('keeps the live versions if Cloudflare fails at %s', async (command) => {
  const secrets = ['SECRET_KEY', 'ADMIN_TOKEN']
  using checkout = new Checkout({ ...PRODUCTION, secrets, broken: [{ command, ...TROUBLE }] })
  const { code, output } = await checkout.deploy('--domain', DOMAIN)
  expect({ code, live: live(checkout) }).toEqual({ code: 1, live: OLD })
  expect(output).toContain('Internal error; try again later. [code: 10013]')
  expect(() => checkout.read('wrangler.deploy.toml')).toThrow()
})

describe('invalid settings', () => {
  it.each([
    [['--env', 'production'], 'deploy production without --env'],
    [['--env', 'Staging'], 'lower-case'],
    [['--domain', DOMAIN, '--gradual', '--soak', 'long'], 'whole number of seconds'],
    [['--domain', 'https://whittle.example.com'], 'host name'],
  ])('refuses %j', async (args, message) => {
    using checkout = new Checkout()
    const { code, output } = await checkout.deploy(...args)
    expect({ code, calls: checkout.calls }).toEqual({ code: 1, calls: [] })
    expect(output).toContain(message)
  })

  it('reports an unknown field of deploy.config.json with its path', async () => {
    using checkout = new Checkout()
    checkout.append('deploy.config.json', '{ "production": { "domian": "whittle.example.com" } }')
    const { code, output } = await checkout.deploy()
    expect({ code, calls: checkout.calls }).toEqual({ code: 1, calls: [] })
    expect(output).toMatch(/deploy\.config\.json[\s\S]*domian[\s\S]*production/)
  })

  it('stops if there are several accounts, or if the API refuses to tell the owner of a domain', async () => {
    using several = new Checkout({ accounts: ['one', 'two'] })
    expect((await several.deploy('--domain', DOMAIN)).output).toContain('You have 2 accounts')
    using silent = new Checkout({ api: 'Authentication error' })
    expect((await silent.deploy('--domain', DOMAIN)).output).toMatch(/HTTP 403 to .*Authentication error/)
    expect([...several.deploys, ...silent.deploys]).toEqual([])
  })
})
