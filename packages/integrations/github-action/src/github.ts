/** The three things of GitHub's REST API that the action needs. */

const PER_PAGE = 100
/** GitHub lists no more files of a pull request. */
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

  /** @param repository `owner/name` */
  constructor(api: string, repository: string, token: string) {
    this.#api = api
    this.#repository = repository
    this.#token = token
  }

  /** Paths that the pull request brings or changes; what was only renamed is not among them. */
  async changedFiles(number: number): Promise<string[]> {
    const files = await this.#all<ChangedFile>(`/pulls/${number}/files`)
    return files.filter(({ status }) => ['added', 'modified', 'changed', 'copied'].includes(status)).map(({ filename }) => filename)
  }

  /** The action's own comment of an earlier run; what a person wrote under the same mark is not taken for it. */
  async ownComment(number: number, mark: string): Promise<Comment | undefined> {
    const comments = await this.#all<Comment>(`/issues/${number}/comments`)
    return comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(mark))
  }

  /** Writes a comment, or over an earlier one. */
  async comment(number: number, body: string, earlier?: Comment): Promise<void> {
    if (earlier) await this.#ask('PATCH', `/issues/comments/${earlier.id}`, { body })
    else await this.#ask('POST', `/issues/${number}/comments`, { body })
  }

  async #all<T>(path: string): Promise<T[]> {
    const all: T[] = []
    for (let page = 1; page <= MAX_PAGES; page++) {
      const some = (await this.#ask('GET', `${path}?per_page=${PER_PAGE}&page=${page}`)) as T[]
      for (const one of some) all.push(one)
      if (some.length < PER_PAGE) break
    }
    return all
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${this.#api}/repos/${this.#repository}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${this.#token}`,
        'x-github-api-version': '2022-11-28',
        'user-agent': 'whittle-action',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${method} ${path}: ${await answer.text()}`)
    return answer.json()
  }
}
