/** Checks which npm packages run inside workerd: each is bundled by wrangler and called once. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestHarness } from 'wrangler'
import { CODEC_V8_ENVIRONMENT } from '../../../src/local/workerd-flags.ts'
import { nameOf, type Package } from './packages.ts'

// Same environment as `npm start`: offline, and without local observability.
Object.assign(process.env, CODEC_V8_ENVIRONMENT)
Object.assign(process.env, { X_LOCAL_OBSERVABILITY: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' })

const WORKER = `
import { FFmpeg } from '@ffmpeg/ffmpeg'
import { zlibSync } from 'fflate'
import { ZstdCodec } from 'zstd-codec'
const bytes = new Uint8Array(1000)
const CALLS = {
  '@ffmpeg/ffmpeg': async () => new FFmpeg().load(),
  fflate: async () => zlibSync(bytes).length,
  'zstd-codec': () => new Promise((resolve) => ZstdCodec.run((codec) => resolve(new codec.Simple().compress(bytes).length))),
}
const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('nothing within 10 s')), 10_000))
export default {
  async fetch(request) {
    const call = CALLS[decodeURIComponent(new URL(request.url).pathname.slice(1))]
    return new Response(await Promise.race([call(), late()]).then(() => 'works', (error) => String(error)))
  },
}
`

/** Prints the result of each package inside workerd. `packages`: folder with the installed packages. */
export async function callInWorkers(packages: string): Promise<void> {
  writeFileSync(join(packages, 'worker.mjs'), WORKER)
  const configPath = join(packages, 'wrangler.toml')
  const lines = ['name = "stock"', 'main = "worker.mjs"', 'compatibility_date = "2026-09-01"', 'compatibility_flags = ["nodejs_compat"]']
  writeFileSync(configPath, `${lines.join('\n')}\n`)
  const harness = createTestHarness({ workers: [{ configPath }] })
  const base = (await harness.listen()).url.origin.replace('localhost', '127.0.0.1')
  console.log('\nInside a Worker')
  for (const name of ['@ffmpeg/ffmpeg', 'zstd-codec', 'fflate'] satisfies Package[]) {
    console.log(`  ${nameOf(name).padEnd(26)} ${await (await fetch(`${base}/${encodeURIComponent(name)}`)).text()}`)
  }
  await harness.close()
}
