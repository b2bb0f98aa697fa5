/** A folder of its own for each test, and a double of the service beside it. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Ran, whittle } from './run.ts'
import { type FakeService, fakeService } from './service.ts'

export interface Place {
  readonly folder: string
  readonly service: FakeService
  /** Lays files with their content: 1000 bytes where none is given. */
  lay(files: Record<string, string | undefined>): void
  /** Names of what lies below a folder, sorted, without what the command keeps for itself. */
  list(folder?: string): string[]
  size(name: string): number
  run(args: readonly string[], stdin?: string): Promise<Ran>
}

export function inFolder(): Place {
  let service: FakeService
  let folder: string
  beforeAll(async () => {
    service = await fakeService()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'whittle-cli-'))
    for (const list of [service.received, service.wishes, service.removed]) list.length = 0
    return () => rmSync(folder, { recursive: true, force: true })
  })
  return {
    get folder() {
      return folder
    },
    get service() {
      return service
    },
    lay(files) {
      for (const [name, content = 'x'.repeat(1000)] of Object.entries(files)) {
        mkdirSync(join(folder, name, '..'), { recursive: true })
        writeFileSync(join(folder, name), content)
      }
    },
    list: (below = '.') =>
      readdirSync(join(folder, below), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('/.'))
        .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, below).length + 1))
        .sort(),
    size: (name) => statSync(join(folder, name)).size,
    run: (args, stdin) => whittle(folder, service.baseUrl, args, stdin),
  }
}
