/**
 * Runs one job of an npm package on one file in its own process:
 * `node --import ./tools/bench/stock/count-memories.ts tools/bench/stock/jobs.ts PACKAGES JOB IN OUT`. Prints bytes and CPU seconds as
 * JSON. Modules are compiled before the measurement starts, as for Whittle.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import '../../wasm-hook.ts'

const [packages = '', name = '', input = '', output = ''] = process.argv.slice(2)

interface Picture {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

type Job = (file: Buffer) => Promise<Uint8Array>

interface FfmpegCore {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void; readFile(path: string): Uint8Array }
  exec(...args: string[]): number
}

interface ZstdCodec {
  run(ready: (codec: { Simple: new () => { compress(bytes: Uint8Array, level: number): Uint8Array } }) => void): void
}

// Browser classes that these packages expect.
Object.assign(globalThis, {
  ImageData: class implements Picture {
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

const pathOf = (path: string) => join(packages, 'node_modules', path)
const load = (path: string): Promise<Record<string, unknown>> => import(pathToFileURL(pathOf(path)).href)

/** Loads one function of a jSquash package and compiles its module. */
async function jsquash<In, Out>(script: string, module: string): Promise<(data: In, options?: object) => Promise<Out>> {
  const loaded = await load(`@jsquash/${script}`)
  const init = loaded['init'] as (module: WebAssembly.Module) => Promise<unknown>
  await init(new WebAssembly.Module(readFileSync(pathOf(`@jsquash/${module}`))))
  return loaded['default'] as (data: In, options?: object) => Promise<Out>
}

const decodePng = () => jsquash<Buffer, Picture>('png/decode.js', 'png/codec/pkg/squoosh_png_bg.wasm')

/** Returns a job that decodes with one module and encodes with another. Both stay loaded, as in a Worker. */
async function recode(
  decoding: Promise<(file: Buffer) => Promise<Picture>>,
  encoding: Promise<(picture: Picture) => Promise<ArrayBuffer>>,
): Promise<Job> {
  const [decode, encode] = [await decoding, await encoding]
  return async (file) => new Uint8Array(await encode(await decode(file)))
}

const JOBS: Readonly<Record<string, () => Promise<Job>>> = {
  jpeg: () =>
    recode(jsquash('jpeg/decode.js', 'jpeg/codec/dec/mozjpeg_dec.wasm'), jsquash('jpeg/encode.js', 'jpeg/codec/enc/mozjpeg_enc.wasm')),
  png: () => recode(decodePng(), jsquash('png/encode.js', 'png/codec/pkg/squoosh_png_bg.wasm')),
  webp: () => recode(decodePng(), jsquash('webp/encode.js', 'webp/codec/enc/webp_enc_simd.wasm')),
  avif: () => recode(decodePng(), jsquash('avif/encode.js', 'avif/codec/enc/avif_enc.wasm')),
  oxipng: async () => {
    const optimise = await jsquash<Buffer, ArrayBuffer>('oxipng/optimise.js', 'oxipng/codec/pkg/squoosh_oxipng_bg.wasm')
    return async (file) => new Uint8Array(await optimise(file))
  },
  fflate: async () => {
    const { zlibSync } = (await load('fflate/esm/index.mjs')) as { zlibSync(bytes: Uint8Array, options: { level: number }): Uint8Array }
    return async (file) => zlibSync(file, { level: 9 })
  },
  compressionStream: async () => async (file) => {
    const stream = new Blob([new Uint8Array(file)]).stream().pipeThrough(new CompressionStream('deflate'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  },
  libdeflate: async () => {
    const { zlibCompress } = await import('../../../src/core/bytes/deflate.ts')
    return async (file) => zlibCompress(file)
  },
  zstdCodec: async () => {
    const { ZstdCodec } = createRequire(pathOf('./'))('zstd-codec') as { ZstdCodec: ZstdCodec }
    return (file) => new Promise((resolve) => ZstdCodec.run((codec) => resolve(new codec.Simple().compress(file, 19))))
  },
  ffmpeg: async () => {
    // The package expects the global scope of a browser worker.
    Object.assign(globalThis, { self: { location: { href: 'file:///ffmpeg-core.js' } } })
    const create = (await load('@ffmpeg/core/dist/esm/ffmpeg-core.js'))['default'] as (options: object) => Promise<FfmpegCore>
    const core = await create({
      wasmBinary: readFileSync(pathOf('@ffmpeg/core/dist/esm/ffmpeg-core.wasm')),
      print: () => 0,
      printErr: () => 0,
    })
    return async (file) => {
      core.FS.writeFile('in', file)
      const args = ['-nostdin', '-y', '-i', 'in', '-map', '0:v:0', '-map', '0:a?', '-c:a', 'copy', '-c:v', 'libx264', '-preset', 'medium']
      const status = core.exec(...args, '-crf', '26', 'out.mp4')
      if (status !== 0) throw new Error(`ffmpeg ended with ${status}`)
      return core.FS.readFile('out.mp4')
    }
  },
}

const prepare = JOBS[name]
if (!prepare) throw new Error(`unknown job '${name}'; available: ${Object.keys(JOBS).join(', ')}`)
const job = await prepare()
const file = readFileSync(input)
const before = process.cpuUsage()
const result = await job(file)
const cpu = process.cpuUsage(before)
writeFileSync(output, result)
console.log(JSON.stringify({ bytes: result.length, cpuSeconds: (cpu.user + cpu.system) / 1e6 }))
