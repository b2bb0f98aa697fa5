import { globSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { CODEC_V8_ENVIRONMENT } from './src/local/workerd-flags.ts'
import { wasmModules } from './test/support/wasm-modules.ts'

Object.assign(process.env, CODEC_V8_ENVIRONMENT)
// Programs that tests start, some hundred times, are compiled once.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'whittle-compile-cache')

/**
 * What starts processes, or measures memory while V8 collects when it likes, shares CI's machine with others. A test that needs its
 * second try is named in the report (`retry x1`), and is a bug. Properties take the same examples again (test/support/same-seed.ts).
 */
const retry = process.env['CI'] ? 1 : 0

/** A condition that a test waits for may take as long as a loaded machine needs. Vitest's own limit is 1 s. */
const patient = { retry, hookTimeout: 240_000, expect: { poll: { timeout: 30_000 } } }

/** Many files in one process of workerd, which loads the Workers once. */
const warm = { isolate: false, setupFiles: ['test/support/fresh-storage.ts'] }

/** Files that need a fresh process: they count the blocks of code that V8 compiles, or the Wasm memories that modules make or share. */
const ALONE = [
  'test/core/bytes/memories.test.ts',
  'test/core/formats/{gif-large,hdf5,svg,svg-scans}.test.ts',
  'test/core/formats/tiff/tiff.test.ts',
]

/** Files that replace a module with `vi.mock`. In a shared process, other files would get the replacement, or these the original. */
const MOCKING = globSync('test/service/http/**/*.test.ts').filter((path) => readFileSync(path, 'utf8').includes('vi.mock('))

/** Files that take longer than 10 s on an idle machine. They start first, so that no core waits for the last file. */
const LONG = [
  'test/e2e/console.test.ts',
  'test/tools/deploy/deploy.test.ts',
  'test/e2e/client.test.ts',
  'test/packages/cli/local.test.ts',
  'test/packages/core/core.test.ts',
  'test/service/http/resumable.test.ts',
  'test/packages/cli/place.test.ts',
  'test/packages/cli/pack.test.ts',
  'test/service/http/trouble.test.ts',
  'test/service/http/upload-memory.test.ts',
  'test/core/formats/hdf5.test.ts',
  'test/core/formats/tiff/tiff.test.ts',
  'test/core/pipeline/generated.test.ts',
  'test/core/pipeline/independent-readers.test.ts',
  'test/core/formats/svg.test.ts',
  'test/core/formats/pdf/palettes.test.ts',
  'test/core/formats/png/hdr.test.ts',
  'test/core/formats/png/png.test.ts',
  'test/core/formats/jpg/convert.test.ts',
]

/** Projects in the order in which they run. Files of a project stay together, so that those which share a process do. */
const PROJECTS = ['e2e', 'tools', 'http-alone', 'http', 'objects', 'codecs-alone', 'codecs']

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longAt = (moduleId: string) => {
      const at = LONG.findIndex((path) => moduleId.endsWith(path))
      return at < 0 ? LONG.length : at
    }
    const sorted = await super.sort(files)
    return sorted.sort(
      (a, b) => PROJECTS.indexOf(a.project.name) - PROJECTS.indexOf(b.project.name) || longAt(a.moduleId) - longAt(b.moduleId),
    )
  }
}

/** Workers of codecs, which never wait. Two even on two cores, where Vitest would take one. */
const CODEC_WORKERS = Math.max(2, availableParallelism() - 1)
/** Projects that run before the codecs. Their tests wait for processes and timers, so one worker more keeps all cores at work. */
const waiting = { maxWorkers: CODEC_WORKERS + 1, sequence: { groupOrder: 0 } }
const codecGroup = { maxWorkers: CODEC_WORKERS, sequence: { groupOrder: 1 } }

const codecs = {
  plugins: [wasmModules],
  test: {
    ...codecGroup,
    server: { deps: { inline: [/@jsquash/, /@cornerstonejs/, /officecrypto/] } },
    testTimeout: 60_000,
    ...patient,
    setupFiles: ['test/support/same-seed.ts', 'test/support/quick-bytes.ts', 'test/support/english-texts.ts'],
  },
}

export default defineConfig({
  test: {
    // Workers log every request.
    silent: 'passed-only',
    sequence: { sequencer: LongFirst },
    projects: [
      {
        // Codecs: fixtures, properties, bad input. Plain Node with the Workers' module rules, in one process for many files.
        ...codecs,
        test: {
          ...codecs.test,
          name: 'codecs',
          include: ['test/core/**/*.test.ts', 'test/tools/fuzz/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
        },
      },
      {
        ...codecs,
        test: { ...codecs.test, name: 'codecs-alone', include: ALONE },
      },
      {
        // Durable Objects, inside workerd.
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './test/durable-objects/wrangler.toml' },
            miniflare: { bindings: { KEPT_TASKS: process.env['WHITTLE_KEPT_TASKS'] ?? '' } },
          }),
        ],
        test: { name: 'objects', ...waiting, ...patient, ...warm, include: ['test/durable-objects/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        // HTTP, inside workerd.
        plugins: [cloudflareTest({ wrangler: { configPath: './test/service/http/wrangler.toml' } })],
        test: {
          name: 'http',
          ...waiting,
          ...patient,
          ...warm,
          include: ['test/service/{buckets,http}/**/*.test.ts'],
          exclude: MOCKING,
          testTimeout: 60_000,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './test/service/http/wrangler.toml' } })],
        test: { name: 'http-alone', ...waiting, ...patient, include: MOCKING, testTimeout: 60_000 },
      },
      {
        // The command line, the deployment, the build and the pool of presses, with doubles for the service and for wrangler.
        test: {
          name: 'tools',
          ...waiting,
          ...patient,
          include: ['test/{packages,tools,local,site,console}/**/*.test.ts'],
          exclude: ['test/tools/fuzz/**'],
          testTimeout: 60_000,
        },
      },
      {
        // All three Workers over HTTP.
        test: {
          name: 'e2e',
          ...waiting,
          ...patient,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
