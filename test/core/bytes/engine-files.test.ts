/** Files of engines that the library loads when it needs them. */
import { globSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createInstance,
  EngineFile,
  importsOf,
  lateEngines,
  loadEngines,
  useEngines,
  withEngines,
} from '../../../wasm/loading/engine-files.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SCALE_ENGINE = join(ROOT, 'wasm/scale/scale.wasm')
const address = pathToFileURL(SCALE_ENGINE)
const compiled = new WebAssembly.Module(readFileSync(SCALE_ENGINE))
const NOWHERE = new URL('file:///no/such/engine.wasm')

let server: Server | undefined
afterEach(() => {
  useEngines({})
  vi.restoreAllMocks()
  server?.close()
  server = undefined
})

async function serverWith(answers: readonly (200 | 404)[]): Promise<URL> {
  let count = 0
  server = createServer((_, response) => {
    response.statusCode = answers[Math.min(count++, answers.length - 1)]!
    response.setHeader('content-type', 'application/octet-stream').end(readFileSync(SCALE_ENGINE))
  })
  await new Promise<void>((ready) => server?.listen(0, '127.0.0.1', ready))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/scale.wasm`)
}

describe('the file of an engine', () => {
  it('is loaded once, however often it is asked for', async () => {
    const compile = vi.spyOn(WebAssembly as unknown as { compile(): Promise<WebAssembly.Module> }, 'compile')
    const file = new EngineFile('once', address)
    await Promise.all([file.load(), file.load()])
    await file.load()
    expect(compile).toHaveBeenCalledTimes(1)
    expect(file.module).toBeInstanceOf(WebAssembly.Module)
    expect(lateEngines()).not.toContain('once')
  })

  it('is read synchronously and counts as late if nothing loaded it before', () => {
    const file = new EngineFile('late', address)
    expect(importsOf(file).length).toBeGreaterThan(0)
    expect(lateEngines()).toContain('late')
  })

  it('cannot be used before it is loaded where files cannot be read synchronously', async () => {
    const file = new EngineFile('remote', await serverWith([200]))
    expect(() => file.module).toThrow('the engine remote is not loaded')
    await file.load()
    expect(file.module).toBeInstanceOf(WebAssembly.Module)
  })

  it('is fetched again after an error', async () => {
    const file = new EngineFile('unlucky', await serverWith([404, 200]))
    await expect(file.load()).rejects.toThrow('the engine unlucky cannot be loaded: HTTP status 404')
    await file.load()
    expect(file.module).toBeInstanceOf(WebAssembly.Module)
  })

  it('comes from the address that the application gives', async () => {
    const asked: string[] = []
    useEngines({
      locateFile(name, url) {
        asked.push(`${name} ${url.href}`)
        return address
      },
    })
    await new EngineFile('moved', NOWHERE).load()
    expect(asked).toEqual([`moved.wasm ${NOWHERE.href}`])
  })

  it('is not read if the application hands the module in', async () => {
    useEngines({ modules: { given: compiled } })
    const [asynchronous, synchronous] = [new EngineFile('given', NOWHERE), new EngineFile('given', NOWHERE)]
    await asynchronous.load()
    expect([asynchronous.module, synchronous.module]).toEqual([compiled, compiled])
    expect(lateEngines()).not.toContain('given')
  })

  it('says what the Content-Security-Policy of a page lacks', async () => {
    const refused = new WebAssembly.CompileError("Refused to compile: 'unsafe-eval' is not an allowed source of script")
    vi.spyOn(WebAssembly as unknown as { compile(): Promise<never> }, 'compile').mockRejectedValue(refused)
    const loading = new EngineFile('refused', address).load()
    await expect(loading).rejects.toThrow("needs 'wasm-unsafe-eval' in the script-src of the Content-Security-Policy")
  })

  it('is loaded with the code that imports it', async () => {
    const code = Promise.resolve().then(() => new EngineFile('with-code', address))
    const file = await withEngines(code)
    expect(file.module).toBeInstanceOf(WebAssembly.Module)
    expect(lateEngines()).not.toContain('with-code')
  })
})

it('an engine is a compiled module where imports give one', async () => {
  await loadEngines()
  const memory = new WebAssembly.Memory({ initial: 3, maximum: 1536 })
  expect(createInstance(compiled, { env: { memory } }).exports).toHaveProperty('begin')
})

it('only the loader compiles engines and creates instances, so that none is forgotten', () => {
  const files = globSync('{src/core,wasm}/**/*.ts', { cwd: ROOT }).filter((path) => path !== 'wasm/loading/engine-files.ts')
  expect(files.length).toBeGreaterThan(500)
  const compiling = /\bnew WebAssembly\.(?:Instance|Module)\b|WebAssembly\.(?:compile|instantiate)/
  expect(files.filter((path) => compiling.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})
