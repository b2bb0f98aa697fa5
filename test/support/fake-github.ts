/** Simulates the parts of GitHub's REST API that the action uses: files of a pull request from a real repository, and comments. */
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeGitHub {
  readonly baseUrl: string
  readonly comments: { id: number; body: string; user: { type: string } }[]
  stop(): Promise<void>
}

const STATUS: Record<string, string> = { A: 'added', M: 'modified', D: 'removed', R: 'renamed', T: 'changed' }

/** @param token expected access token */
export async function fakeGitHub(repository: string, base: string, head: string, token: string): Promise<FakeGitHub> {
  const comments: FakeGitHub['comments'] = []
  const files = () => {
    const output = execFileSync('git', ['diff', '--name-status', '--no-renames', '-z', `${base}...${head}`], {
      cwd: repository,
      encoding: 'utf8',
    })
    const words = output.split('\0')
    return words.flatMap((word, i) => (i % 2 === 0 && word ? [{ status: STATUS[word[0]!], filename: words[i + 1] }] : []))
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { message: 'Bad credentials' })
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
    const page = <T>(all: readonly T[]) => {
      const [size, number] = [Number(searchParams.get('per_page')), Number(searchParams.get('page'))]
      return all.slice(size * (number - 1), size * number)
    }
    const { body = '' } = (text ? JSON.parse(text) : {}) as { body?: string }
    const [, , , , what, id, of] = pathname.split('/')
    if (request.method === 'GET' && what === 'pulls' && of === 'files') return answer(200, page(files()))
    if (request.method === 'GET' && what === 'issues') return answer(200, page(comments))
    if (request.method === 'POST') return answer(201, comments[comments.push({ id: comments.length + 1, body, user: { type: 'Bot' } }) - 1])
    const comment = id === 'comments' ? comments.find((one) => one.id === Number(of)) : undefined
    if (request.method !== 'PATCH' || !comment) return answer(404, { message: 'Not Found' })
    comment.body = body
    return answer(200, comment)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl, comments, stop: () => new Promise((done) => server.close(() => done())) }
}
