/** A new folder for each test, and a fake service. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type RunResult, whittle } from './run.ts'
import { type FakeService, fakeService } from './service.ts'

export interface TestFolder {
  readonly folder: string
  readonly service: FakeService
  /** Creates files with their content. `undefined`: 1000 bytes. */
  createFiles(files: Record<string, string | undefined>): void
  /** Names of the files below a folder, sorted, without hidden folders. */
  list(folder?: string): string[]
  size(name: string): number
  run(args: readonly string[], stdin?: string): Promise<RunResult>
}

export function inFolder(): TestFolder {
  let service: FakeService
  let folder: string
  beforeAll(async () => {
    service = await fakeService()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'whittle-cli-'))
    for (const list of [service.received, service.wishes, service.removed, service.requests]) list.length = 0
    service.rateLimit = undefined
    return () => rmSync(folder, { recursive: true, force: true })
  })
  return {
    get folder() {
      return folder
    },
    get service() {
      return service
    },
    createFiles(files) {
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
