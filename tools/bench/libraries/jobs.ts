/**
 * Compresses all files of a folder with one library, as a program of a user does, with one file per core at the same time:
 * `node tools/bench/libraries/jobs.ts PACKAGES JOB SETTING IN OUT [FORMAT]`. PACKAGES: folder whose `node_modules` has the library.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [packages = '', name = '', setting = '', input = '', output = '', format = ''] = process.argv.slice(2)
const quality = Number(setting)

interface Work {
  encode(file: Buffer): Promise<Uint8Array> | Uint8Array
  close?(): Promise<unknown>
}

type Opener = () => Promise<Work>

/** A module of a library, whose types are not installed here. */
type Loaded = { readonly [name: string]: unknown }
type Convert = (data: unknown, options?: object) => Promise<ArrayBuffer>

const pathOf = (path: string) => join(packages, 'node_modules', path)

/** Loads a package by its entrance for Node. */
async function load(name: string): Promise<Loaded> {
  const manifest = JSON.parse(readFileSync(pathOf(`${name}/package.json`), 'utf8')) as { exports?: unknown; module?: string; main?: string }
  return import(pathToFileURL(pathOf(join(name, entranceOf(manifest.exports) ?? manifest.main ?? 'index.js'))).href)
}

/** Returns the file of the first condition of `exports` that Node imports. `undefined`: none. */
function entranceOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (typeof exports !== 'object' || exports === null) return undefined
  const conditions = exports as { readonly [condition: string]: unknown }
  return entranceOf(conditions['.'] ?? conditions['node'] ?? conditions['import'] ?? conditions['default'])
}

// Class of browsers that @jsquash expects.
Object.assign(globalThis, {
  ImageData: class {
    readonly data: Uint8ClampedArray
    readonly width: number
    readonly height: number
    constructor(data: Uint8ClampedArray, width: number, height: number) {
      this.data = data
      this.width = width
      this.height = height
    }
  },
})

const whittle: Opener = async () => {
  const { createPool } = (await load('@whittle-app/core')) as {
    createPool(): { compress(file: Buffer, options: object): Promise<{ bytes: Uint8Array }>; close(): Promise<void> }
  }
  const pool = createPool()
  const options = { quality: setting, ...(format === '' ? {} : { format }) }
  return { encode: async (file) => (await pool.compress(file, options)).bytes, close: () => pool.close() }
}

type Sharp = (file: Buffer) => { [format: string]: (options: object) => { toBuffer(): Promise<Buffer> } }

const sharp =
  (format: string, options: object): Opener =>
  async () => {
    const make = (await load('sharp'))['default'] as Sharp
    return { encode: (file) => make(file)[format]!(options).toBuffer() }
  }

/** Loads one function of @jsquash and compiles its module. */
async function jsquashFunction(script: string, module: string): Promise<Convert> {
  const loaded = (await import(pathToFileURL(pathOf(`@jsquash/${script}`)).href)) as Loaded
  const init = loaded['init'] as (module: WebAssembly.Module) => Promise<unknown>
  await init(new WebAssembly.Module(readFileSync(pathOf(`@jsquash/${module}`))))
  return loaded['default'] as Convert
}

const jsquash =
  (script: string, module: string): Opener =>
  async () => {
    const decode = await jsquashFunction('jpeg/decode.js', 'jpeg/codec/dec/mozjpeg_dec.wasm')
    const encode = await jsquashFunction(script, module)
    return { encode: async (file) => new Uint8Array(await encode(await decode(file), { quality })) }
  }

const jsquashOxipng: Opener = async () => {
  const optimise = await jsquashFunction('oxipng/optimise.js', 'oxipng/codec/pkg/squoosh_oxipng_bg.wasm')
  return { encode: async (file) => new Uint8Array(await optimise(file.buffer.slice(file.byteOffset, file.byteOffset + file.length))) }
}

interface SquooshPool {
  ingestImage(file: Buffer): {
    encode(options: object): Promise<unknown>
    encodedWith: { [codec: string]: Promise<{ binary: Uint8Array }> }
  }
  close(): Promise<void>
}

const squoosh =
  (codec: string, options: object): Opener =>
  async () => {
    const { ImagePool } = (await load('@squoosh/lib')) as { ImagePool: new (threads: number) => SquooshPool }
    const pool = new ImagePool(availableParallelism())
    return {
      encode: async (file) => {
        const image = pool.ingestImage(file)
        await image.encode({ [codec]: options })
        return (await image.encodedWith[codec]!).binary
      },
      close: () => pool.close(),
    }
  }

type Plugin = (options?: object) => unknown

const imagemin =
  (plugin: string, options?: object): Opener =>
  async () => {
    const { buffer } = (await load('imagemin'))['default'] as {
      buffer(file: Buffer, options: { plugins: unknown[] }): Promise<Uint8Array>
    }
    const plugins = [((await load(plugin))['default'] as Plugin)(options)]
    return { encode: (file) => buffer(file, { plugins }) }
  }

const svgo: Opener = async () => {
  const { optimize } = (await load('svgo')) as { optimize(text: string, options: object): { data: string } }
  return { encode: (file) => Buffer.from(optimize(file.toString('utf8'), { multipass: true }).data) }
}

const JOBS: { readonly [name: string]: Opener } = {
  whittle,
  'sharp-jpeg': sharp('jpeg', { quality, mozjpeg: true }),
  'sharp-webp': sharp('webp', { quality }),
  'sharp-avif': sharp('avif', { quality }),
  // An `effort` would make a palette.
  'sharp-png': sharp('png', { compressionLevel: 9, adaptiveFiltering: true }),
  'sharp-palette': sharp('png', { palette: true, quality, effort: 10 }),
  'jsquash-jpeg': jsquash('jpeg/encode.js', 'jpeg/codec/enc/mozjpeg_enc.wasm'),
  'jsquash-webp': jsquash('webp/encode.js', 'webp/codec/enc/webp_enc_simd.wasm'),
  'jsquash-avif': jsquash('avif/encode.js', 'avif/codec/enc/avif_enc.wasm'),
  'jsquash-oxipng': jsquashOxipng,
  'squoosh-mozjpeg': squoosh('mozjpeg', { quality }),
  'squoosh-webp': squoosh('webp', { quality }),
  'squoosh-avif': squoosh('avif', { cqLevel: quality }),
  'squoosh-oxipng': squoosh('oxipng', {}),
  'imagemin-mozjpeg': imagemin('imagemin-mozjpeg', { quality }),
  'imagemin-webp': imagemin('imagemin-webp', { quality }),
  'imagemin-pngquant': imagemin('imagemin-pngquant', { quality: [0, quality / 100] }),
  'imagemin-optipng': imagemin('imagemin-optipng'),
  'imagemin-svgo': imagemin('imagemin-svgo', { multipass: true }),
  svgo,
}

const opener = JOBS[name]
if (!opener) throw new Error(`unknown job '${name}'; available: ${Object.keys(JOBS).join(', ')}`)
const work = await opener()
const queue = readdirSync(input)
let written = 0
let failure: unknown
const inParallel = Array.from({ length: availableParallelism() }, async () => {
  for (let file = queue.shift(); file; file = queue.shift()) {
    try {
      writeFileSync(join(output, file), await work.encode(readFileSync(join(input, file))))
      written++
    } catch (error) {
      // A library may refuse single files. They have no result.
      failure = error
    }
  }
})
await Promise.all(inParallel)
await work.close?.()
if (written === 0 && failure !== undefined) throw failure
// Some libraries leave threads open.
process.exit(0)
