// Replaces node_modules/wrangler/bin/wrangler.js: has the output and exit codes of wrangler 4.135.0, and stores the account in
// ACCOUNT (see account.ts). Each call becomes one line of CALLS.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'

const { ACCOUNT, CALLS } = process.env
const args = process.argv.slice(2)
const account = JSON.parse(readFileSync(ACCOUNT, 'utf8'))
const option = (name) => args[args.indexOf(name) + 1]
const apiError = (path, text, code) => fail(`A request to the Cloudflare API (/accounts/acc/${path}) failed.`, `  ${text} [code: ${code}]`)

function fail(...lines) {
  console.error(`\n✘ [ERROR] ${lines.join('\n\n')}\n`)
  process.exit(1)
}

const call = { command: args.join(' ').replace(/ (-c|--file) \S+/g, '') }
const text = args.includes('-c') ? readFileSync(option('-c'), 'utf8') : ''
const name = text ? /^name = "(.+)"$/m.exec(text)[1] : args.includes('--name') ? option('--name') : undefined
if (args[0] === 'deploy' || args[1] === 'upload') {
  Object.assign(call, {
    name,
    main: /^main = "(.+)"$/m.exec(text)[1],
    services: [...text.matchAll(/^service = "(.+)"$/gm)].map((match) => match[1]),
    objects: [...text.matchAll(/^script_name = "(.+)"$/gm)].map((match) => match[1]),
    domains: [...text.matchAll(/pattern = "(.+?)"/g)].map((match) => match[1]),
    queues: [...text.matchAll(/^queue = "(.+)"$/gm)].map((match) => match[1]),
    buckets: [...text.matchAll(/^\[\[r2_buckets\]\]\n(?:.+\n?)+/gm)].map(([table]) =>
      [...table.matchAll(/= "(.+)"$/gm)].map((match) => match[1]).join(' '),
    ),
    vars: [...text.matchAll(/^(?:REGION|JOB_MEMORY_BYTES|GUESTS) = .+$/gm)].map((match) => match[0]),
    workersDev: /^workers_dev = true$/m.test(text),
  })
}
call.name ??= name
appendFileSync(CALLS, `${JSON.stringify(call)}\n`)

const isMeant = ({ command, name: only = name }) => `${call.command} `.startsWith(`${command} `) && only === name
const broken = account.broken.find(isMeant)
if (broken) apiError(broken.path, broken.text, broken.code)

/** Versions of a deployment as stored in the account: one version, or `v2@5% v1@95%`. */
const versionsOf = (split) =>
  split.split(' ').map((one) => ({ version_id: one.split('@')[0], percentage: Number.parseInt(one.split('@')[1] ?? '100', 10) }))
const knows = (worker, version) => [...worker.versions, ...(worker.uploaded ?? [])].some((known) => known.split('@')[0] === version)
const nextVersion = (worker) => `${name}-v${worker.versions.length + (worker.uploaded?.length ?? 0) + 1}`

const commands = {
  'r2 bucket': () => {
    if (args[2] === 'lifecycle') {
      if (!args.includes('--force')) fail('This command needs confirmation.')
      const place = account.locations?.[args[4]]
      if (place?.startsWith('--jurisdiction') && !args.join(' ').includes(place)) {
        apiError(`r2/buckets/${args[4]}/lifecycle`, 'The specified bucket does not exist.', 10006)
      }
      account.rules = { ...account.rules, [args[4]]: JSON.parse(readFileSync(option('--file'), 'utf8')).rules }
      return
    }
    if (account.buckets.includes(args[3])) apiError('r2/buckets', 'The bucket you tried to create already exists, and you own it.', 10004)
    account.buckets.push(args[3])
    account.locations = { ...account.locations, [args[3]]: args.slice(4).join(' ') }
  },
  'queues create': () => {
    if (account.queues.includes(args[2])) {
      apiError('queues', `Queue name '${args[2]}' is already taken. Please use a different name and try again.`, 11009)
    }
    account.queues.push(args[2])
  },
  'deployments list': () => {
    const worker = account.workers[name]
    if (!worker) apiError(`workers/scripts/${name}/deployments`, 'This Worker does not exist on your account.', 10007)
    const deployments = worker.versions.map((split, i) => ({ created_on: `2026-11-0${i + 1}`, versions: versionsOf(split) }))
    console.log(JSON.stringify(deployments, null, 2))
  },
  deploy: () => {
    const lost = call.services.concat(call.objects).find((target) => !account.workers[target])
    if (lost) apiError(`workers/scripts/${name}/versions`, `Could not resolve binding. Target script '${lost}' not found.`, 10143)
    const noBucket = call.buckets.map((bucket) => bucket.split(' ')[1]).find((bucket) => !account.buckets.includes(bucket))
    if (noBucket) apiError(`workers/scripts/${name}/versions`, `R2 bucket '${noBucket}' not found.`, 10085)
    const noQueue = call.queues.find((queue) => !account.queues.includes(queue))
    if (noQueue) apiError('queues', `Queue "${noQueue}" does not exist.`, 11000)
    const worker = (account.workers[name] ??= { versions: [], domains: [] })
    worker.versions.push(nextVersion(worker))
    // Without a terminal, wrangler sets override_existing_origin, which takes the domain from its current owner.
    for (const domain of call.domains) {
      for (const other of Object.values(account.workers)) other.domains = other.domains.filter((taken) => taken !== domain)
      worker.domains.push(domain)
    }
    console.log(`Uploaded ${name} (3.21 sec)\nDeployed ${name} triggers (1.02 sec)`)
    if (call.workersDev) console.log(`  https://${name}.acme.workers.dev`)
    for (const domain of call.domains) console.log(`  ${domain} (custom domain)`)
    console.log(`Current Version ID: ${worker.versions.at(-1)}`)
  },
  'versions upload': () => {
    const worker = account.workers[name]
    if (!worker) fail('You cannot upload a new version of a Worker that does not yet exist. Please run the `deploy` command first.')
    const version = nextVersion(worker)
    worker.uploaded = [...(worker.uploaded ?? []), version]
    console.log(`Total Upload: 1 KiB / gzip: 1 KiB\nUploaded ${name} (3.21 sec)\nWorker Version ID: ${version}`)
  },
  'versions deploy': () => {
    const shares = args.slice(2, args.indexOf('--name'))
    const worker = account.workers[name]
    const lost = versionsOf(shares.join(' ')).find(({ version_id }) => !knows(worker, version_id))
    if (lost) apiError(`workers/scripts/${name}/versions/${lost.version_id}`, 'Version not found.', 10203)
    const sum = versionsOf(shares.join(' ')).reduce((total, { percentage }) => total + percentage, 0)
    if (sum !== 100) fail(`The specified traffic percentages add up to ${sum}%, but must total exactly 100%.`)
    worker.versions.push(shares.length === 1 ? shares[0].split('@')[0] : shares.join(' '))
    console.log(`╰  SUCCESS  Deployed ${name} (1.02 sec)`)
  },
  'triggers deploy': () => console.log(`Deployed ${name} triggers (1.02 sec)`),
  'secret list': () => console.log(JSON.stringify(account.secrets.map((secret) => ({ name: secret, type: 'secret_text' })))),
  'secret put': () => {
    account.secrets.push(args[2])
    account.values.push(readFileSync(0, 'utf8'))
  },
  'auth token': () => console.log(JSON.stringify({ type: 'api_token', token: 'token' })),
  rollback: () => {
    account.workers[name].versions.push(args[1])
  },
}
const run = commands[`${args[0]} ${args[1]}`] ?? commands[args[0]]
if (!run) fail(`Unknown arguments: ${args.join(', ')}`)
run()
writeFileSync(ACCOUNT, JSON.stringify(account))
