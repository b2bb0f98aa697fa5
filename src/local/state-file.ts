/** Small files of the state folder, which must survive a full disk and a kill at any moment. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** Replaces a file, readable by its owner only. After a failure or a kill, the old file is still complete. A file that says the same is kept. */
export async function writeStateFile(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return
  const temporary = `${path}.temporary`
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
