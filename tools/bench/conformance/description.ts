/**
 * Checks /openapi.json of a running service: `npm run conformance -- description`. Linters (redocly, spectral) must not warn, schemathesis
 * must find no 5xx and no undocumented response, and generated clients (oapi-codegen, openapi-generator for Java and PHP,
 * openapi-python-client) must compress a photo. Tools are downloaded from their registries. Missing runtimes (Python with venv, Go, Java
 * with Maven, PHP with Guzzle) are reported and skipped.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startService } from '../../../test/e2e/running.ts'
import { generatedClients } from './openapi-generator.ts'

/** Hook for schemathesis, which cannot serialise the media type of tus. */
const HOOKS = `import schemathesis

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
`
/**
 * Settings of redocly. It adds `unevaluatedProperties: false` to every schema, and then reports all properties of a union that has a
 * discriminator. Answers are open for new fields.
 * `test/service/http/openapi.test.ts` checks the examples against schemas without further fields.
 */
const REDOCLY = `extends: [recommended]
rules:
  no-invalid-media-type-examples: { severity: error, allowAdditionalProperties: true }
  no-invalid-schema-examples: { severity: error, allowAdditionalProperties: true }
`
const CHECKS = 'not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance'
const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'whittle-description-'))
const document = join(folder, 'openapi.json')
const service = await startService()
let failed = 0
try {
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text())
  failed += await lint()
  failed += installed('go', 'version') ? await generatedGo() : 0
  failed += installed('java', '-version') ? await openApiGenerator() : 0
  failed += installed('python3', '--version') ? (await generatedPython()) + (await schemathesis()) : 0
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed > 0 ? 1 : 0)

function installed(command: string, version: string): boolean {
  const is = spawnSync(command, [version]).status === 0
  if (!is) console.log(`${command} is not installed; the checks that need it were skipped`)
  return is
}

/** Runs the linters. Returns how many reported problems. */
async function lint(): Promise<number> {
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  writeFileSync(join(folder, 'redocly.yaml'), REDOCLY)
  const redocly = await run('npx', ['--yes', '@redocly/cli@2.77.0', 'lint', '--config', 'redocly.yaml', '--max-problems', '50', document])
  // redocly exits with 0 if there are only warnings.
  const isSilent = redocly.code === 0 && !/\bwarnings?\b/i.test(redocly.output.replace(/Deprecation warning[^\n]*/g, ''))
  const spectral = await run('npx', ['--yes', '@stoplight/spectral-cli@6.16.3', 'lint', '--fail-severity', 'hint', document])
  return verdict('redocly', isSilent, redocly.output) + verdict('spectral', spectral.code === 0, spectral.output)
}

async function generatedGo(): Promise<number> {
  const place = join(folder, 'go')
  mkdirSync(place)
  writeFileSync(join(place, 'go.mod'), 'module generated\n\ngo 1.24\n')
  writeFileSync(join(place, 'main.go'), readFileSync(join(root, 'tools/bench/conformance/generated-client.go.txt')))
  for (const command of [
    ['run', GENERATOR, '-generate', 'types,client', '-package', 'main', '-o', 'client.gen.go', document],
    ['mod', 'tidy'],
    ['run', '.', service.baseUrl, service.keys.enterprise, join(root, 'docs/photo.jpg')],
  ]) {
    const { code, output } = await run('go', command, place)
    if (code !== 0) return verdict('oapi-codegen', false, output)
  }
  return verdict('oapi-codegen', true, '')
}

async function openApiGenerator(): Promise<number> {
  const subject = { document, folder, baseUrl: service.baseUrl, key: service.keys.enterprise }
  const results = Object.entries(await generatedClients(subject, run))
  for (const [language, why] of results) if (why.startsWith('not tried')) console.log(`openapi-generator, ${language}: ${why}`)
  const tried = results.filter(([, why]) => !why.startsWith('not tried'))
  return tried.reduce((sum, [language, why]) => sum + verdict(`openapi-generator, ${language}`, why === '', why), 0)
}

async function generatedPython(): Promise<number> {
  const script = join(root, 'tools/release/generated-client.py')
  const { code, output } = await run('python3', [script, service.baseUrl, service.keys.enterprise, join(root, 'docs/photo.jpg')])
  return verdict('openapi-python-client', code === 0, output)
}

async function schemathesis(): Promise<number> {
  const venv = join(folder, 'venv')
  writeFileSync(join(folder, 'hooks.py'), HOOKS)
  await run('python3', ['-m', 'venv', venv])
  await run(join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', 'schemathesis==4.32.5'])
  const key = `Authorization: Bearer ${service.keys.enterprise}`
  const options = ['--checks', CHECKS, '--max-examples', '20', '--phases', 'examples,coverage,fuzzing', '-H', key]
  const { code, output } = await run(join(venv, 'bin/schemathesis'), ['run', `${service.baseUrl}/openapi.json`, ...options], folder, {
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: folder,
  })
  return verdict(`schemathesis ${/\d+ generated, \d+ passed/.exec(output)?.[0] ?? ''}`, code === 0, output)
}

function verdict(name: string, isFine: boolean, output: string): number {
  console.log(isFine ? `${name}: passed` : `${name} failed:\n${output}`)
  return isFine ? 0 : 1
}

function run(
  command: string,
  args: readonly string[],
  cwd = folder,
  extra: NodeJS.ProcessEnv = {},
): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...extra } })
    let output = ''
    const append = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', append)
    child.stderr.on('data', append)
    child.once('error', (error) => done({ code: 1, output: error.message }))
    child.once('close', (code) => done({ code: code ?? 1, output }))
  })
}
