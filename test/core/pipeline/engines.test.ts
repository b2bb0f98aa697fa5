/** Compares the engines named in receipts with the imports of the codecs. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type EngineName, engineNames, enginesOf } from '../../../src/core/catalog/engines.ts'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Matches imports that exist at run time, without types. */
const IMPORT = /^\s*(?:import|export)\b(?!\s+type\b)[^'"]*?from\s+'(\.[^']+)'|(?:^\s*import\s+|\bimport\()'(\.[^']+)'/gm
const FORMAT_IDS = Object.keys(FORMATS) as FormatId[]
/** Formats that compress embedded files with codecs that they do not import. */
const LENDING: readonly FormatId[] = [
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'ods',
  'odp',
  'odg',
  'ofd',
  'epub',
  'kmz',
  'svg',
  'eml',
  'rtf',
  'xls',
  'ppt',
]

/** Engines that a codec imports with the table of conversions and never calls: a JPEG becomes JPEG XL with the engine that stores it exactly. */
const NEVER_CALLED: { readonly [Id in FormatId]?: readonly string[] } = { jpg: ['jxl-picture'] }

function importsOf(file: string): string[] {
  const text = /\.ts$/.test(file) && existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : ''
  return [...text.matchAll(IMPORT)].map(([, from, bare]) => normalize(join(dirname(file), from ?? bare ?? '')))
}

/** Maps each format to the file of its codec. */
function codecFiles(): Map<FormatId, string> {
  const files = new Map<FormatId, string>()
  for (const list of ['src/core/formats/press.ts', 'src/core/formats/media.ts']) {
    for (const [, names = '', from = ''] of readFileSync(join(ROOT, list), 'utf8').matchAll(/^import \{ (.+) \} from '(.+)'/gm))
      for (const name of names.split(', ')) files.set(name as FormatId, normalize(join('src/core/formats', from)))
  }
  return files
}

function enginesReached(file: string): string[] {
  const reached = new Set([file])
  for (const each of reached) for (const target of importsOf(each)) reached.add(target)
  return [...new Set([...reached].flatMap((each) => /^wasm\/([^/]+)\/.+\.wasm$/.exec(each)?.[1] ?? []))].sort()
}

const named = (id: FormatId): EngineName[] => [
  ...new Set([id as OutputId, ...FORMATS[id].outputs].flatMap((output: OutputId) => engineNames(id, output))),
]

describe('engines', () => {
  const files = codecFiles()

  it.each(FORMAT_IDS)('of %s are those that its codec imports, over all outputs', (id) => {
    const reached = enginesReached(files.get(id)!)
    if (LENDING.includes(id)) expect(named(id)).toEqual(expect.arrayContaining(reached))
    else expect([...named(id), ...(NEVER_CALLED[id] ?? [])].sort()).toEqual(reached)
  })

  it('of a container include those of its embedded formats', () => {
    for (const id of LENDING)
      for (const inner of ['jpg', 'png', 'gif', 'bmp'] as const)
        expect(named(id)).toEqual(expect.arrayContaining(engineNames(inner, inner)))
    for (const inner of ['pdf', 'svg', 'docx', 'dicom', 'hdf5', 'las'] as const)
      expect(named('eml')).toEqual(expect.arrayContaining(engineNames(inner, inner)))
  })

  it('depend on the requested output', () => {
    expect(engineNames('png', 'png')).not.toContain('webp')
    expect(engineNames('png', 'webp')).toContain('webp')
    expect(engineNames('text', 'zst')).toEqual(['zstd'])
    expect(engineNames('jpg', 'jxl')).toEqual(['jxl-decoder', 'jxl-encoder'])
    expect(engineNames('png', 'jxl')).toEqual(expect.arrayContaining(['jxl-decoder', 'jxl-picture']))
    expect(engineNames('dicom', 'gz')).toEqual(['libdeflate', 'zlib'])
  })

  it('are listed after Whittle, with the hash of their binary and the versions of their sources', () => {
    const [service, ...engines] = enginesOf('jpg', 'jpg')
    expect(service).toEqual({ name: 'whittle', version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version })
    const origin = JSON.parse(readFileSync(join(ROOT, 'wasm/jpeg/origin.json'), 'utf8'))
    const jpeg = engines.find(({ name }) => name === 'jpeg')
    expect(jpeg).toEqual({ name: 'jpeg', wasmSha256: origin.wasmSha256, sources: [expect.stringContaining('mozjpeg')] })
  })
})
