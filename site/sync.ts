/** Publishes a built folder without a moment in which a file is missing or half written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Copies the files below `from` to `to`. Files with the same content stay untouched, so two builds of the same sources do not disturb each other.
 * @param whole folders below `to` that have no other files afterwards
 */
export function publish(from: string, to: string, whole: readonly string[]): void {
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
  for (const name of names) {
    const [content, path] = [readFileSync(join(from, name)), join(to, name)]
    if (existsSync(path) && readFileSync(path).equals(content)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, content)
    renameSync(`${path}.${process.pid}`, path)
  }
  for (const folder of whole) {
    for (const name of readdirSync(join(to, folder)))
      if (!names.includes(join(folder, name))) rmSync(join(to, folder, name), { force: true })
  }
}
