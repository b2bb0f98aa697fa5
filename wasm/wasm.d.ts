declare module '*.wasm' {
  const engine: import('./loading/engine-files.ts').EngineImport
  export default engine
}
