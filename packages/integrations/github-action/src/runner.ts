/** Interface to the GitHub Actions runner: environment variables, output files and log commands. */
import { appendFileSync, readFileSync } from 'node:fs'

export interface PullRequest {
  readonly number: number
  readonly head: { readonly ref: string; readonly sha: string; readonly repo: { readonly full_name: string } | null }
}

/** Value of an input of action.yml. Empty: not set. */
export const input = (name: string) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim()

/** The pull request. `undefined`: another event started the workflow. */
export function pullRequest(): PullRequest | undefined {
  const event = JSON.parse(readFileSync(variable('GITHUB_EVENT_PATH'), 'utf8')) as { pull_request?: PullRequest }
  return event.pull_request
}

export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set. Run this action in a GitHub workflow.`)
  return value
}

export const setOutput = (name: string, value: string | number) => appendFileSync(variable('GITHUB_OUTPUT'), `${name}=${value}\n`)

/** Adds Markdown to the summary page of the run. */
export const summarize = (markdown: string) => appendFileSync(variable('GITHUB_STEP_SUMMARY'), `${markdown}\n`)

/** Writes an annotation, which GitHub shows in the log and beside the pull request. */
export function annotate(kind: 'notice' | 'warning' | 'error', text: string): void {
  console.log(`::${kind}::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`)
}
