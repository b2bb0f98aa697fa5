/**
 * `npm run sbom -- [FILE]`: writes the software bill of materials (CycloneDX 1.5), by default to `dist/sbom.cdx.json`. It lists the
 * npm packages of the lock file, and the Wasm engines with the sources in their origin.json.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface Component {
  readonly type: string
  readonly 'bom-ref'?: string
  readonly group?: string
  readonly name: string
  readonly version?: string
  readonly purl?: string
  readonly hashes?: readonly { readonly alg: 'SHA-256'; readonly content: string }[]
  /** Common Platform Enumeration 2.3, by which the National Vulnerability Database names products. */
  readonly cpe?: string
  readonly licenses?: readonly License[]
  readonly components?: readonly Component[]
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/** `id`: SPDX licence identifier. `expression`: SPDX expression of several identifiers. */
type License = { readonly license: { readonly id: string } } | { readonly expression: string }

export interface Bom {
  readonly bomFormat: string
  readonly specVersion: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
}

interface Source {
  readonly name: string
  readonly version: string
  readonly sha256?: string
  readonly purl: string
  /** `undefined`: the National Vulnerability Database does not list the product, or a source beside this one stands for it. */
  readonly cpe?: string
  /** SPDX licence expression. */
  readonly spdx: string
}

interface Origin {
  readonly sources: readonly Source[]
  readonly wasmSha256: string
}

const root = resolve(import.meta.dirname, '../..')
const sha256 = (content: string) => [{ alg: 'SHA-256' as const, content }]

export function billOfMaterials(): Bom {
  // `--omit dev` would also drop runtime packages that a development tool shares.
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx']
  const bom = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as Bom
  // npm uses the folder's name as the name of the project.
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string }
  const metadata = { ...bom.metadata, component: { ...bom.metadata.component, name } }
  return { ...bom, metadata, components: [...bom.components.filter((component) => !isTool(component)), ...engines()] }
}

const isTool = ({ properties }: Component) => properties?.some(({ name }) => name === 'cdx:npm:package:development') ?? false

function engines(): Component[] {
  const folders = readdirSync(join(root, 'wasm'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.flatMap(({ name }) => {
    const origin = originOf(name)
    if (!origin) return []
    const components = origin.sources.map(
      (source, i): Component => ({
        type: 'library',
        'bom-ref': `wasm/${name}/${i}`,
        name: source.name,
        version: source.version,
        purl: source.purl,
        ...(source.cpe === undefined ? {} : { cpe: source.cpe }),
        ...(source.sha256 === undefined ? {} : { hashes: sha256(source.sha256) }),
        licenses: [source.spdx.includes(' ') ? { expression: source.spdx } : { license: { id: source.spdx } }],
      }),
    )
    return [{ type: 'library', 'bom-ref': `wasm/${name}`, name: `wasm/${name}`, hashes: sha256(origin.wasmSha256), components }]
  })
}

function originOf(engine: string): Origin | undefined {
  try {
    return JSON.parse(readFileSync(join(root, 'wasm', engine, 'origin.json'), 'utf8')) as Origin
  } catch {
    // A folder with wrapper code, but without a binary.
    return undefined
  }
}

if (import.meta.main) {
  // `parseArgs` refuses options, which would otherwise be taken as file names.
  const { positionals } = parseArgs({ allowPositionals: true })
  const file = resolve(positionals[0] ?? join(root, 'dist/sbom.cdx.json'))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
  console.log(file)
}
