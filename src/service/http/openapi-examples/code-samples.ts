/** The same request in six languages, for the API reference (`x-codeSamples`). */

interface CodeSample {
  /** Language for the highlighter. */
  readonly lang: string
  readonly label: string
  readonly source: string
}

const sample = (lang: string, label: string, source: string): CodeSample => ({ lang, label, source })

const client = (baseUrl: string, { ts, py, go, php }: { ts: string; py: string; go: string; php: string }): CodeSample[] => [
  sample(
    'typescript',
    'TypeScript',
    `import { Whittle } from '@whittle-app/client'
import { fileAt, save } from '@whittle-app/client/node'

const whittle = new Whittle({ baseUrl: '${baseUrl}', key: process.env.WHITTLE_KEY! })
${ts}`,
  ),
  sample(
    'python',
    'Python',
    `import os
from whittle_app import Whittle

with Whittle("${baseUrl}", os.environ["WHITTLE_KEY"]) as whittle:
${py.replaceAll(/^/gm, '    ')}`,
  ),
  sample(
    'go',
    'Go',
    `client := whittle.New("${baseUrl}", os.Getenv("WHITTLE_KEY"))
${go}`,
  ),
  sample(
    'php',
    'PHP',
    `use Whittle\\Whittle;

$whittle = new Whittle('${baseUrl}', getenv('WHITTLE_KEY'));
${php}`,
  ),
]

const curl = (baseUrl: string, path: string, ...options: string[]) =>
  sample('shell', 'curl', [`curl ${baseUrl}${path}`, '-H "Authorization: Bearer $WHITTLE_KEY"', ...options].join(' \\\n  '))

const cli = (source: string) => sample('shell', 'CLI', source)

/** Samples by operation. An operation without an entry gets those of the reference itself. */
export const codeSamples = (baseUrl: string): Readonly<Record<string, readonly CodeSample[]>> => ({
  compress: [
    curl(baseUrl, '/v1/compress', '-F file=@photo.jpg', '-F quality=medium', '-F response=file', '-o smaller.jpg'),
    ...client(baseUrl, {
      ts: "const task = await whittle.compress(fileAt('photo.jpg'), { quality: 'medium' })\nawait save(whittle, task, 'smaller.jpg')",
      py: 'task = whittle.compress("photo.jpg", quality="medium")\nwhittle.save(task, "smaller.jpg")',
      go: 'task, err := client.CompressFile(ctx, "photo.jpg", whittle.Options{Quality: "medium"})\nif err != nil {\n\treturn err\n}\nreturn client.Save(ctx, task, "smaller.jpg")',
      php: "$task = $whittle->compress('photo.jpg', ['quality' => 'medium']);\n$whittle->save($task, 'smaller.jpg');",
    }),
    cli(`whittle photo.jpg -q medium -o smaller.jpg \\\n  --server ${baseUrl} --key "$WHITTLE_KEY"`),
  ],
  getTask: [
    curl(baseUrl, '/v1/tasks/$TASK_ID', "-H 'Prefer: wait=30'"),
    ...client(baseUrl, {
      ts: 'const task = await whittle.task(taskId, { waitSeconds: 30 })',
      py: 'task = whittle.task(task_id, wait_seconds=30)',
      go: 'task, err := client.Task(ctx, taskID)',
      php: '$task = $whittle->task($taskId, 30);',
    }),
    cli('whittle tasks'),
  ],
  download: [
    curl(baseUrl, '/v1/tasks/$TASK_ID/download', '-o smaller.jpg'),
    ...client(baseUrl, {
      ts: "await save(whittle, task, 'smaller.jpg')",
      py: 'whittle.save(task, "smaller.jpg")',
      go: 'err := client.Save(ctx, task, "smaller.jpg")',
      php: "$whittle->save($task, 'smaller.jpg');",
    }),
    cli('whittle get $TASK_ID'),
  ],
  getReceipt: [
    curl(baseUrl, '/v1/tasks/$TASK_ID/receipt', '-o receipt.jws'),
    ...client(baseUrl, {
      ts: 'const signed = await whittle.receipt(taskId)',
      py: 'signed = whittle.receipt(task_id)',
      go: 'signed, err := client.SignedReceipt(ctx, taskID)',
      php: '$signed = $whittle->receipt($taskId);',
    }),
    cli(`whittle verify photo.jpg smaller.jpg receipt.jws \\\n  --jwks ${baseUrl}/.well-known/jwks.json`),
  ],
  deleteTask: [
    curl(baseUrl, '/v1/tasks/$TASK_ID', '-X DELETE'),
    ...client(baseUrl, {
      ts: 'await whittle.remove(taskId)',
      py: 'whittle.remove(task_id)',
      go: 'err := client.Remove(ctx, taskID)',
      php: '$whittle->remove($taskId);',
    }),
    cli('whittle rm $TASK_ID'),
  ],
})
