/**
 * Entry point of the action: compresses the files of a pull request, pushes the results to its branch, and comments with the receipts.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Whittle } from '../../../clients/typescript/src/index.ts'
import { compressInPlace, type FileResult, parseSettings } from '../../lighten.ts'
import { buildComment, COMMENT_MARKER, resultHashesIn } from './comment.ts'
import { GitHub } from './github.ts'
import { annotate, input, type PullRequest, pullRequest, setOutput, summarize, variable } from './runner.ts'

async function run(): Promise<void> {
  const request = pullRequest()
  const reason = request ? skipReason(request) : 'the workflow was not started by a pull request'
  if (!request || reason) return annotate('notice', `Whittle skipped this run: ${reason}.`)
  const root = variable('GITHUB_WORKSPACE')
  const pushesResults = input('commit') !== 'false'
  if (pushesResults && git(root, 'rev-parse', 'HEAD') !== request.head.sha) {
    throw new Error(
      "The branch of the pull request is not checked out. Set ref: github.head_ref for actions/checkout, or 'commit: false' for this action.",
    )
  }
  const github = new GitHub(variable('GITHUB_API_URL'), variable('GITHUB_REPOSITORY'), input('github-token'))
  const earlier = await github.ownComment(request.number, COMMENT_MARKER)
  const results = resultHashesIn(earlier?.body)
  const settings = parseSettings(input('quality') || 'medium', input('least-saving') || '5', results)
  const whittle = new Whittle({ baseUrl: input('server'), key: input('key') })
  const files = await compressInPlace(whittle, root, await github.changedFiles(request.number), settings)
  const smaller = files.filter(({ outcome }) => outcome === 'smaller')
  setOutput('files', smaller.length)
  setOutput('saved-bytes', saved(smaller))
  if (files.length === 0) return annotate('notice', 'Whittle: no new files to compress.')
  for (const { path, reason: why } of files.filter(({ outcome }) => outcome === 'failed')) annotate('warning', `${path}: ${why}`)
  const text = buildComment(files, [...results, ...smaller.map(({ path }) => sha256(join(root, path)))])
  summarize(text)
  if (pushesResults && smaller.length > 0) push(root, request, smaller)
  await github.comment(request.number, text, earlier)
}

/** Reason why the action cannot run. `undefined`: it can. */
function skipReason({ head }: PullRequest): string | undefined {
  if (input('key') === '') return 'the input key is empty (pull requests from forks have no access to secrets)'
  if (head.repo?.full_name !== variable('GITHUB_REPOSITORY')) return 'the pull request comes from another repository'
  return undefined
}

function push(root: string, { head }: PullRequest, smaller: readonly FileResult[]): void {
  const person = ['-c', 'user.name=github-actions[bot]', '-c', 'user.email=41898282+github-actions[bot]@users.noreply.github.com']
  const paths = smaller.map(({ path }) => `:(literal)${path}`)
  const title = `Make ${smaller.length} file${smaller.length === 1 ? '' : 's'} smaller by ${saved(smaller)} bytes`
  git(root, ...person, 'commit', '--quiet', '-m', title, '--', ...paths)
  git(root, 'push', '--quiet', 'origin', `HEAD:refs/heads/${head.ref}`)
}

const git = (root: string, ...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const saved = (files: readonly FileResult[]) => files.reduce((sum, { originalSize, size }) => sum + originalSize - size, 0)
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

try {
  await run()
} catch (error) {
  annotate('error', error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
