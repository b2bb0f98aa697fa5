/**
 * `npm run client`: generates `packages/clients/typescript/schema.d.ts` from the service's OpenAPI document. The file is not in the
 * repository. `npm run check` and `npm pack` generate it if the document or the generator has changed.
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
const outputFile = join(client, 'schema.d.ts')
const document = join(root, '.dev/openapi.json')

const text = JSON.stringify(await openApiDocument())
// Resolves the main file, because the package does not export its package.json. The generator lies beside the TypeScript 5 that it
// needs.
const generator = join(dirname(createRequire(join(client, 'package.json')).resolve('openapi-typescript')), '../bin/cli.js')
const hash = createHash('sha256')
  .update(text)
  .update(readFileSync(import.meta.filename))
  .update(generatorVersion())
  .digest('hex')
const stamp = `// Made by npm run client. ${hash}\n`
if (!currentFile().startsWith(stamp)) generate()

/** Imported by computed paths, so that tsc does not check the service's files with Node's types. */
async function openApiDocument(): Promise<object> {
  const folder = join(root, 'src/service/http')
  const { ROUTES } = (await import(join(folder, 'routes/index.ts'))) as Pick<Service, 'ROUTES'>
  const { openApi } = (await import(join(folder, 'openapi.ts'))) as Pick<Service, 'openApi'>
  return openApi(ROUTES, 'https://whittle.example.com')
}

function generatorVersion(): string {
  return (JSON.parse(readFileSync(join(dirname(generator), '../package.json'), 'utf8')) as { version: string }).version
}

function currentFile(): string {
  try {
    return readFileSync(outputFile, 'utf8')
  } catch {
    return ''
  }
}

function generate(): void {
  mkdirSync(dirname(document), { recursive: true })
  writeFileSync(document, text)
  execFileSync(process.execPath, [generator, document, '-o', outputFile], { stdio: ['ignore', 'ignore', 'inherit'] })
  // openapi-typescript types every `format: binary` as a string, but form fields contain Blobs.
  const types = readFileSync(outputFile, 'utf8')
    .replace(/^(\s+file\??): string;$/gm, '$1: Blob;')
    .replace(/(["']files\[\]["']\??): string\[\]/g, '$1: Blob[]')
  writeFileSync(outputFile, stamp + types)
}
