/**
 * What WASI engines import, refused: our engines do pure computation, so every call answers EBADF (8) and an exit is
 * an error. Built per module, so an engine that suddenly wants more still links.
 */
export function refusedWasi(module: WebAssembly.Module, own: WebAssembly.ModuleImports = {}): WebAssembly.Imports {
  const EBADF = 8
  const imports: Record<string, WebAssembly.ModuleImports> = { env: { ...own } }
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
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
