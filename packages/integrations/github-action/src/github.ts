/** Client for the parts of GitHub's REST API that the action needs. */

const PER_PAGE = 100
/** Pages of 100 files. GitHub lists at most 3,000 files of a pull request. */
const MAX_PAGES = 30

interface ChangedFile {
  readonly filename: string
  readonly status: string
}

interface Comment {
  readonly id: number
  readonly body?: string
  readonly user: { readonly type: string } | null
}

export class GitHub {
  readonly #api: string
  readonly #repository: string
  readonly #token: string

  constructor(api: string, repository: string, token: string) {
    this.#api = api
    this.#repository = repository
    this.#token = token
  }

  /** Paths of files that the pull request adds or changes. Files that are only renamed are not included. */
  async changedFiles(number: number): Promise<string[]> {
    const files = await this.#all<ChangedFile>(`/pulls/${number}/files`)
    return files.filter(({ status }) => ['added', 'modified', 'changed', 'copied'].includes(status)).map(({ filename }) => filename)
  }

  /** Finds the action's own earlier comment. A person's comment with the same marker is ignored. */
  async ownComment(number: number, mark: string): Promise<Comment | undefined> {
    const comments = await this.#all<Comment>(`/issues/${number}/comments`)
    return comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(mark))
  }

  /** Creates a comment, or replaces an earlier one. */
  async comment(number: number, body: string, earlier?: Comment): Promise<void> {
    if (earlier) await this.#request('PATCH', `/issues/comments/${earlier.id}`, { body })
    else await this.#request('POST', `/issues/${number}/comments`, { body })
  }

  async #all<T>(path: string): Promise<T[]> {
    const all: T[] = []
    for (let page = 1; page <= MAX_PAGES; page++) {
      const batch = (await this.#request('GET', `${path}?per_page=${PER_PAGE}&page=${page}`)) as T[]
      for (const one of batch) all.push(one)
      if (batch.length < PER_PAGE) break
    }
    return all
  }

  async #request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#api}/repos/${this.#repository}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${this.#token}`,
        'x-github-api-version': '2022-11-28',
        'user-agent': 'whittle-action',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`GitHub request ${method} ${path} failed with HTTP ${response.status}: ${await response.text()}`)
    return response.json()
  }
}
