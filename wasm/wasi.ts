import { type EngineImport, importsOf } from './loading/engine-files.ts'

/**
 * Imports for WASI modules that refuse every call. The engines only compute, so each function returns EBADF (8), and an exit throws. The
 * list comes from the module itself, so a module with more imports still links.
 */
export function refusedWasi(engine: EngineImport, own: WebAssembly.ModuleImports = {}): WebAssembly.Imports {
  const EBADF = 8
  const imports: Record<string, WebAssembly.ModuleImports> = { env: { ...own } }
  for (const { module: from, name, kind } of importsOf(engine)) {
    if (kind !== 'function') continue
    imports[from] ??= {}
    imports[from][name] ??=
      name === 'proc_exit'
        ? () => {
            throw new WebAssembly.RuntimeError('the engine gave up')
          }
        : () => EBADF
  }
  return imports
}
