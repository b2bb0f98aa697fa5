/** Reads files of the machine in Node, Deno and Bun. The module of Node is not imported, so that bundlers for browsers need no settings. */

/** The module `node:fs`, as far as it is used. */
interface FileSystem {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>
  readonly promises: { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> }
}

/** `getBuiltinModule` exists since Node 20.16. */
interface Process {
  getBuiltinModule?(name: 'node:fs'): FileSystem | undefined
}

const fileSystemFor = (address: URL): FileSystem | undefined =>
  address.protocol === 'file:' ? (globalThis as { process?: Process }).process?.getBuiltinModule?.('node:fs') : undefined

/** Returns the content of a file. `undefined`: the address is no local file, or the platform has no files. */
export const readLocalFile = async (address: URL): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  await fileSystemFor(address)?.promises.readFile(address)

/** Like `readLocalFile`, but synchronous. */
export const readLocalFileNow = (address: URL): Uint8Array<ArrayBuffer> | undefined => fileSystemFor(address)?.readFileSync(address)
