/** Lists files in a folder recursively. Skips hidden files, dependencies and files ignored by .gitignore. */
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

export interface WalkFlags {
  /** True: includes files and folders whose name begins with a dot. */
  readonly hidden: boolean
  /** True: includes `node_modules`, version control folders and files ignored by .gitignore. */
  readonly ignored: boolean
}

/** Rules of one .gitignore, which apply below its folder. */
interface Rules {
  readonly folder: string
  readonly rules: Ignore
}

/** Folders that are always skipped by default, because they hold no user files and may hold secrets such as tokens. */
const ALWAYS_SKIPPED = new Set(['node_modules', '.git', '.hg', '.svn'])
const GITIGNORE = '.gitignore'

/** Calls `file` for each file below `folder`. @returns the number of skipped files and folders */
export function walkFiles(folder: string, flags: WalkFlags, file: (path: string) => void): number {
  let leftOut = 0
  const visit = (current: string, parentRules: readonly Rules[]) => {
    const rules = flags.ignored ? [] : [...rulesIn(current), ...parentRules]
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const path = join(current, entry.name)
      if (!entry.isDirectory() && !entry.isFile()) continue
      if (isSkipped(path, entry, rules, flags)) leftOut++
      else if (entry.isDirectory()) visit(path, rules)
      else file(path)
    }
  }
  visit(folder, flags.ignored ? [] : rulesAbove(folder))
  return leftOut
}

function isSkipped(path: string, entry: Dirent, rules: readonly Rules[], flags: WalkFlags): boolean {
  if (!flags.hidden && entry.name.startsWith('.')) return true
  return !flags.ignored && (ALWAYS_SKIPPED.has(entry.name) || isIgnored(path, entry.isDirectory(), rules))
}

/** True if .gitignore rules exclude the path. `rules` begin with the innermost folder, which takes precedence (gitignore(5)). */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, rules: matcher } of rules) {
    const name = relative(folder, resolve(path)).replaceAll(sep, '/')
    const { ignored, unignored } = matcher.test(isFolder ? `${name}/` : name)
    if (ignored || unignored) return ignored
  }
  return false
}

function rulesIn(folder: string): Rules[] {
  const path = join(folder, GITIGNORE)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? [{ folder: resolve(folder), rules: read(path) }] : []
}

/**
 * Rules of the parent folders up to the repository's root. Empty if they ignore the folder itself, because the user named it
 * explicitly.
 */
function rulesAbove(folder: string): Rules[] {
  const found: Rules[] = []
  for (let current = resolve(folder); !existsSync(join(current, '.git')); ) {
    const parent = dirname(current)
    if (parent === current) return []
    for (const rules of rulesIn(parent)) found.push(rules)
    current = parent
  }
  return isIgnored(folder, true, found) ? [] : found
}

function read(path: string): Ignore {
  // Git ignores case where the file system does.
  const ignorecase = process.platform === 'darwin' || process.platform === 'win32'
  return ignore({ ignorecase, allowRelativePaths: true }).add(readFileSync(path, 'utf8'))
}
