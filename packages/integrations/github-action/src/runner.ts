/** What the runner gives to an action, and takes from it: environment, files and lines of its own language. */
import { appendFileSync, readFileSync } from 'node:fs'

export interface PullRequest {
  readonly number: number
  readonly head: { readonly ref: string; readonly sha: string; readonly repo: { readonly full_name: string } | null }
}

/** Of action.yml; '' where nothing was given. */
export const input = (name: string) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim()

/** undefined: the workflow was started by something else. */
export function pullRequest(): PullRequest | undefined {
  const event = JSON.parse(readFileSync(variable('GITHUB_EVENT_PATH'), 'utf8')) as { pull_request?: PullRequest }
  return event.pull_request
}

export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set; this runs in a workflow of GitHub's`)
  return value
}

export const setOutput = (name: string, value: string | number) => appendFileSync(variable('GITHUB_OUTPUT'), `${name}=${value}\n`)

/** Shown on the page of the run. */
export const summarize = (markdown: string) => appendFileSync(variable('GITHUB_STEP_SUMMARY'), `${markdown}\n`)

/** One line in the log, shown beside the pull request. */
export function annotate(kind: 'notice' | 'warning' | 'error', text: string): void {
  console.log(`::${kind}::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`)
}
