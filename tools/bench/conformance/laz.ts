/**
 * Checks LAZ results with LASzip and laz-rs (laz.py): `node --import ./tools/wasm-hook.ts tools/bench/conformance/laz.ts [LAS file …]`.
 * Both must read and write the same bytes, for generated files of every point format and LAS version and for the given files. Needs a
 * Python with `laszip` and `lazrs` (variable PYTHON).
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { encodeLaz } from '../../../src/core/formats/las/las-to-laz.ts'
import { lasFile } from '../../../test/support/las-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'conformance-laz-'))
const versionsOf = (format: number): number[] => (format >= 6 ? [4] : format >= 4 ? [3, 4] : [0, 1, 2, 3, 4])

for (let format = 0; format <= 10; format++) {
  for (const minor of versionsOf(format)) {
    for (const extraBytes of [0, 5]) {
      for (const content of ['walk', 'noise'] as const) {
        // 100,001 points fill whole chunks and leave a last chunk of one point.
        const points = content === 'walk' ? 100_001 : 3000
        const name = `pf${format}-las1${minor}-extra${extraBytes}-${content}`
        writeFileSync(join(folder, `${name}.las`), lasFile({ format, minor, points, extraBytes, content, trailingBytes: 90, vlrs: 2 }))
        await encode(join(folder, `${name}.las`))
      }
    }
  }
}
for (const path of process.argv.slice(2)) {
  const copy = join(folder, basename(path))
  copyFileSync(path, copy)
  await encode(copy)
}
const { status } = spawnSync(process.env['PYTHON'] ?? 'python3', [join(import.meta.dirname, 'laz.py'), folder], { stdio: 'inherit' })
rmSync(folder, { recursive: true })
process.exitCode = status ?? 1

async function encode(path: string): Promise<void> {
  const las = readFileSync(path)
  const pieces: Uint8Array[] = []
  const patches: [offset: number, bytes: Uint8Array][] = []
  await encodeLaz(
    { size: las.length, read: async (offset, length) => las.subarray(offset, offset + length) },
    { write: async (bytes) => void pieces.push(bytes), patch: (offset, bytes) => void patches.push([offset, bytes]) },
    async () => undefined,
  )
  const laz = Buffer.concat(pieces)
  for (const [offset, bytes] of patches) laz.set(bytes, offset)
  writeFileSync(path.replace(/\.las$/, '.laz'), laz)
}
