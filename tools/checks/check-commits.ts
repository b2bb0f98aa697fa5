/**
 * `node tools/checks/check-commits.ts`: the messages of all commits written since `SINCE` have one subject of at most 72 characters,
 * `type(scope): what changed`. `--message FILE` looks at one message that is being written, as `.githooks/commit-msg` does.
 * Prints what is wrong and exits with 1.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * What was written before is left alone. A date and not a revision, because the date at which a commit was written outlives
 * rebasing, and because it decides in a shallow clone, too: there, the commits that were fetched are looked at.
 */
export const SINCE = '2026-11-22T14:15:00Z'

const LONGEST = 72
const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test']
const SUBJECT = new RegExp(`^(${TYPES.join('|')})(\\([^()]+\\))?!?: \\S`)
/** Commits that the next rebase joins to others (`git commit --fixup`), and merges: git writes their subjects. */
const PASSING = /^(fixup!|squash!|amend!|Merge ) /

/** What is wrong with a message; nothing when it is good. */
export function faultsOf(message: string): string[] {
  const [subject = '', second = ''] = message.split('\n')
  const length = [...subject].length
  return [
    ...(SUBJECT.test(subject) ? [] : [`begins with none of ${TYPES.join(', ')} and a colon, as in \`fix(png): …\``]),
    ...(length > LONGEST ? [`has ${length} characters, ${LONGEST} is the most`] : []),
    ...(subject.includes(';') ? ['joins several subjects by `;`: make a commit of each'] : []),
    ...(second.trim() ? ['goes on in the second line, which has to be empty'] : []),
  ]
}

/** Of each commit written since, newest first: its short name, subject, and what is wrong with it. undefined: no repository. */
export function faultyCommits(root: string, since = SINCE): string[] | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' })
  try {
    // Sources without their history may lie inside of another repository.
    if (git('rev-parse', '--show-prefix').trim() !== '') return undefined
  } catch {
    return undefined
  }
  const commits = git('log', '--no-merges', '--format=%at%x00%h%x00%B%x01').split('\x01').slice(0, -1)
  return commits.flatMap((commit) => {
    const [seconds = '', name = '', message = ''] = commit.trimStart().split('\0')
    if (Number(seconds) * 1000 < Date.parse(since)) return []
    return faultsOf(message).map((fault) => `${name} "${message.split('\n')[0]}" ${fault}`)
  })
}

/** Of a message in an editor: git leaves out the lines that begin with #, and what follows its scissors. */
function faultsOfFile(path: string): string[] {
  const [written = ''] = readFileSync(path, 'utf8').split('\n# ------------------------ >8')
  const message = written.replace(/^#.*\n?/gm, '').trimStart()
  return PASSING.test(message) ? [] : faultsOf(message).map((fault) => `the first line ${fault}`)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { message: { type: 'string' } } })
  const faults = values.message ? faultsOfFile(values.message) : faultyCommits('.')
  if (!faults) console.log('no repository: commits are not checked')
  for (const fault of faults ?? []) console.error(fault)
  process.exitCode = faults?.length ? 1 : 0
}
