/**
 * `npm run client`: makes `packages/clients/typescript/schema.d.ts` from the service's OpenAPI document. The repository does not keep the
 * file: `npm run check` and `npm pack` make it, and make it again when the document or the generator has changed.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import '../wasm-hook.ts'

interface Service {
  readonly ROUTES: readonly unknown[]
  readonly openApi: (routes: readonly unknown[], baseUrl: string) => object
}

const root = resolve(import.meta.dirname, '../..')
const client = join(root, 'packages/clients/typescript')
const out = join(client, 'schema.d.ts')
const document = join(root, '.dev/openapi.json')

const text = JSON.stringify(await openApiDocument())
// Not its `package.json`, which it does not export; the generator lies beside the TypeScript 5 that it needs.
const generator = join(dirname(createRequire(join(client, 'package.json')).resolve('openapi-typescript')), '../bin/cli.js')
const hash = createHash('sha256')
  .update(text)
  .update(readFileSync(import.meta.filename))
  .update(generatorVersion())
  .digest('hex')
const stamp = `// Made by npm run client. ${hash}\n`
if (!existing().startsWith(stamp)) make()

/** Imported by paths that the compiler does not follow: it checks the service with the types of Workers, and this file with those of Node. */
async function openApiDocument(): Promise<object> {
  const folder = join(root, 'src/service/http')
  const { ROUTES } = (await import(join(folder, 'routes/index.ts'))) as Pick<Service, 'ROUTES'>
  const { openApi } = (await import(join(folder, 'openapi.ts'))) as Pick<Service, 'openApi'>
  return openApi(ROUTES, 'https://whittle.example.com')
}

function generatorVersion(): string {
  return (JSON.parse(readFileSync(join(dirname(generator), '../package.json'), 'utf8')) as { version: string }).version
}

function existing(): string {
  try {
    return readFileSync(out, 'utf8')
  } catch {
    return ''
  }
}

function make(): void {
  mkdirSync(dirname(document), { recursive: true })
  writeFileSync(document, text)
  execFileSync(process.execPath, [generator, document, '-o', out], { stdio: ['ignore', 'ignore', 'inherit'] })
  // openapi-typescript calls everything with `format: binary` a string; what a form sends is a Blob.
  const types = readFileSync(out, 'utf8')
    .replace(/(\/\*\* Format: binary \*\/\s+file\??): string/g, '$1: Blob')
    .replace(/(["']files\[\]["']\??): string\[\]/g, '$1: Blob[]')
  writeFileSync(out, stamp + types)
}
