/**
 * `npm run client`: makes `packages/clients/typescript/schema.d.ts` from the OpenAPI document of a running service (WHITTLE_SERVER, or
 * the local one). openapi-typescript needs an older compiler than ours, so it is run in a place of its own.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const server = process.env['WHITTLE_SERVER'] ?? 'http://127.0.0.1:8787'
const out = resolve(import.meta.dirname, '../../packages/clients/typescript/schema.d.ts')
const packages = ['-p', 'typescript@5.9.3', '-p', 'openapi-typescript@7.13.0']
execFileSync('npx', ['--yes', ...packages, 'openapi-typescript', `${server}/openapi.json`, '-o', out], { stdio: 'inherit', shell: false })
// openapi-typescript calls everything with `format: binary` a string; what a form sends is a Blob.
const types = readFileSync(out, 'utf8')
const binary = types
  .replace(/(\/\*\* Format: binary \*\/\s+file\??): string/g, '$1: Blob')
  .replace(/(["']files\[\]["']\??): string\[\]/g, '$1: Blob[]')
writeFileSync(out, binary)
execFileSync('npx', ['biome', 'format', '--write', out], { stdio: 'inherit' })
