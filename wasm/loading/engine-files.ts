/**
 * Loads the files of engines. In Workers and in the local service, the import of a `.wasm` file gives its compiled module. Builds of the
 * library replace the import by an `EngineFile`, which is fetched and compiled before the code that needs it runs.
 */
import { readLocalFile, readLocalFileNow } from './local-files.ts'

/** What the import of a `.wasm` file gives. */
export type EngineImport = WebAssembly.Module | EngineFile

/** Where engines come from, for applications that do not serve them beside the script or may not compile them. */
export interface EngineSources {
  /**
   * Returns the address of an engine. Default: `url`.
   * @param file name of the file, for example `zstd.wasm`
   * @param url address beside the script
   */
  readonly locateFile?: (file: string, url: URL) => string | URL
  /** Compiled engines by name, for example `zstd`. Default: none. */
  readonly modules?: { readonly [name: string]: WebAssembly.Module }
}

/** Compilation at run time, which the types of Workers leave out because Workers refuse it. */
const compiler = WebAssembly as unknown as {
  compile(bytes: BufferSource): Promise<WebAssembly.Module>
  readonly Module: new (bytes: BufferSource) => WebAssembly.Module
}

let sources: EngineSources = {}
const files = new Set<EngineFile>()
const late = new Set<string>()

/** Sets where engines come from. Engines that are loaded already stay. */
export function useEngines(from: EngineSources): void {
  sources = from
}

/** Names of the engines that were loaded synchronously, because nothing had loaded them before. Browsers cannot do this. */
export const lateEngines = (): readonly string[] => [...late]

/** File of an engine that is not loaded when the script starts. */
export class EngineFile {
  readonly name: string
  readonly #url: URL
  #module: WebAssembly.Module | undefined
  #loading: Promise<void> | undefined

  /** @param name name of the engine, for example `zstd` @param url default address of its file */
  constructor(name: string, url: URL) {
    this.name = name
    this.#url = url
    files.add(this)
  }

  /**
   * Fetches and compiles the engine, once.
   * @throws Error if the file cannot be fetched or compiled; the next call tries again
   */
  load(): Promise<void> {
    if (this.#module) return Promise.resolve()
    this.#loading ??= this.#compile().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Compiled module. An engine that is not loaded yet is read synchronously where the platform can do that. @throws Error elsewhere */
  get module(): WebAssembly.Module {
    return (this.#module ??= sources.modules?.[this.name] ?? this.#moduleNow())
  }

  async #compile(): Promise<void> {
    this.#module = sources.modules?.[this.name] ?? (await compiled(this.name, this.#address()))
  }

  #moduleNow(): WebAssembly.Module {
    const bytes = readLocalFileNow(this.#address())
    if (!bytes) throw new Error(`the engine ${this.name} is not loaded`)
    late.add(this.name)
    return new compiler.Module(bytes)
  }

  #address(): URL {
    const address = sources.locateFile?.(`${this.name}.wasm`, this.#url) ?? this.#url
    return new URL(address, this.#url)
  }
}

async function compiled(name: string, address: URL): Promise<WebAssembly.Module> {
  const bytes = await readLocalFile(address)
  try {
    return await compiler.compile(bytes ?? (await fetched(name, address)))
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError) || !/content security policy|unsafe-eval/i.test(error.message)) throw error
    throw new Error(`the engine ${name} needs 'wasm-unsafe-eval' in the script-src of the Content-Security-Policy`, { cause: error })
  }
}

/** Any MIME type is accepted, because many servers do not know `application/wasm`. */
async function fetched(name: string, address: URL): Promise<ArrayBuffer> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`the engine ${name} cannot be loaded: HTTP status ${response.status} for ${address.href}`)
  return await response.arrayBuffer()
}

/** Loads the engines of all code that was imported so far. */
export async function loadEngines(): Promise<void> {
  await Promise.all(Array.from(files, (file) => file.load()))
}

/** Returns imported code when its engines are loaded. @param code result of an `import()` */
export async function withEngines<Code>(code: Promise<Code>): Promise<Code> {
  const imported = await code
  await loadEngines()
  return imported
}

const moduleOf = (engine: EngineImport): WebAssembly.Module => (engine instanceof EngineFile ? engine.module : engine)

/** Creates an instance of an engine. All engines are created here. */
export const createInstance = (engine: EngineImport, imports?: WebAssembly.Imports): WebAssembly.Instance =>
  new WebAssembly.Instance(moduleOf(engine), imports)

/** Returns what an engine imports. */
export const importsOf = (engine: EngineImport): WebAssembly.ModuleImportDescriptor[] => WebAssembly.Module.imports(moduleOf(engine))
