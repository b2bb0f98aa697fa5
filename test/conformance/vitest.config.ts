/**
 * Tests that measure memory, time, hangs or kills, that take long films or many megabytes, and the long form of every damage loop.
 * They need a quiet machine and minutes: `npm run conformance -- tests [FILTER …]`.
 */
import { globSync, readFileSync } from 'node:fs'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { CODEC_V8_ENVIRONMENT } from '../../src/local/workerd-flags.ts'
import { wasmModules } from '../support/wasm-modules.ts'

Object.assign(process.env, CODEC_V8_ENVIRONMENT)
process.env['WHITTLE_THOROUGH'] = '1'

/** Files of `npm test` that do more in the thorough run. `generated.test.ts` joins files that import `thorough.ts`. */
const isThorough = (path: string) => /support\/thorough\.ts|pipeline\/generated\.test/.test(`${path} ${readFileSync(path, 'utf8')}`)
const thorough = globSync('test/core/**/*.test.ts').filter(isThorough)
const thoroughPrograms = globSync('test/{packages,tools}/**/*.test.ts', { exclude: ['test/tools/fuzz/**'] }).filter(isThorough)

const wasm = {
  plugins: [wasmModules],
  test: {
    server: { deps: { inline: [/@jsquash/, /@cornerstonejs/, /officecrypto/] } },
    setupFiles: ['test/support/same-seed.ts', 'test/support/quick-bytes.ts', 'test/support/english-texts.ts'],
  },
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    // One at a time: what is measured shares the machine with nobody.
    fileParallelism: false,
    projects: [
      {
        ...wasm,
        test: { ...wasm.test, name: 'measured', include: ['test/conformance/core/**/*.test.ts'], testTimeout: 120_000 },
      },
      {
        ...wasm,
        test: { ...wasm.test, name: 'damage', include: thorough, testTimeout: 600_000 },
      },
      {
        // Buckets of real servers, inside workerd.
        plugins: [cloudflareTest({ wrangler: { configPath: './test/service/http/wrangler.toml' } })],
        test: {
          name: 'buckets',
          include: ['test/conformance/service/buckets/**/*.test.ts'],
          globalSetup: 'test/conformance/service/buckets/start-servers.ts',
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'running',
          include: ['test/conformance/{e2e,local,packages,site}/**/*.test.ts', ...thoroughPrograms],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
