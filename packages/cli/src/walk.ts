/** The files below a folder, without those that a person does not mean: hidden ones, dependencies, and what .gitignore names. */
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

export interface WalkFlags {
  /** Also files and folders whose name begins with a dot. */
  readonly hidden: boolean
  /** Also `node_modules`, repositories' own folders, and what .gitignore names. */
  readonly ignored: boolean
}

/** The rules of one .gitignore, which count for what lies below its folder. */
interface Rules {
  readonly folder: string
  readonly rules: Ignore
}

/** Never a person's own files, whatever .gitignore says: a repository's configuration may hold a token. */
const NOT_OWN = new Set(['node_modules', '.git', '.hg', '.svn'])
const GITIGNORE = '.gitignore'

/** Calls `file` for each file below `folder`. @returns how many files and folders were left out */
export function walk(folder: string, flags: WalkFlags, file: (path: string) => void): number {
  let leftOut = 0
  const enter = (current: string, above: readonly Rules[]) => {
    const rules = flags.ignored ? [] : [...rulesIn(current), ...above]
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const path = join(current, entry.name)
      if (!entry.isDirectory() && !entry.isFile()) continue
      if (isLeftOut(path, entry, rules, flags)) leftOut++
      else if (entry.isDirectory()) enter(path, rules)
      else file(path)
    }
  }
  enter(folder, flags.ignored ? [] : rulesAbove(folder))
  return leftOut
}

function isLeftOut(path: string, entry: Dirent, rules: readonly Rules[], flags: WalkFlags): boolean {
  if (!flags.hidden && entry.name.startsWith('.')) return true
  return !flags.ignored && (NOT_OWN.has(entry.name) || isIgnored(path, entry.isDirectory(), rules))
}

/** `rules` begin with the innermost folder, which has the last word (gitignore(5)). */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, rules: own } of rules) {
    const name = relative(folder, resolve(path)).replaceAll(sep, '/')
    const { ignored, unignored } = own.test(isFolder ? `${name}/` : name)
    if (ignored || unignored) return ignored
  }
  return false
}

function rulesIn(folder: string): Rules[] {
  const path = join(folder, GITIGNORE)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? [{ folder: resolve(folder), rules: read(path) }] : []
}

/** The rules of the folders above, up to the repository's root. They do not count for a folder that they name: it was asked for by name. */
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
  // Git tells large from small letters where the file system does.
  const ignorecase = process.platform === 'darwin' || process.platform === 'win32'
  return ignore({ ignorecase, allowRelativePaths: true }).add(readFileSync(path, 'utf8'))
}
