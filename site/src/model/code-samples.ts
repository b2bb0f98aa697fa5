/** How to do the same with the API and from the command line, with the chosen options. */
import type { Settings } from './protocol.ts'

export interface CodeSample {
  readonly id: string
  readonly title: string
  readonly text: string
}

interface Job {
  /** Name of the file. */
  readonly name: string
  /** Name of the result. */
  readonly output: string
  readonly settings: Settings
  /** Address of the service. */
  readonly origin: string
}

export const codeSamples = (job: Job): CodeSample[] => [
  { id: 'curl', title: 'curl', text: curl(job) },
  { id: 'cli', title: 'CLI', text: command(job) },
  { id: 'typescript', title: 'TypeScript', text: typescript(job) },
  { id: 'python', title: 'Python', text: python(job) },
  { id: 'go', title: 'Go', text: go(job) },
  { id: 'php', title: 'PHP', text: php(job) },
  { id: 'library', title: 'Library', text: library(job) },
]

/** Options under the names of the API. The quality always stands there, so that readers see where it goes. */
const apiOptions = ({ quality, output, targetSize, metadata }: Settings): readonly (readonly [string, string | number])[] => [
  ['quality', quality],
  ...(output === undefined ? [] : ([['format', output]] as const)),
  ...(targetSize === undefined ? [] : ([['target_size', targetSize]] as const)),
  ...(metadata === 'keep' ? [] : ([['metadata', metadata]] as const)),
]

/** Word of a POSIX shell. */
const shell = (text: string): string => (/^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
/** A name that begins with a dash would be read as an option. */
const path = (name: string): string => shell(name.startsWith('-') ? `./${name}` : name)
const quoted = (value: string | number): string => JSON.stringify(value)
/** Text in single quotes, as PHP writes it. */
const single = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function curl({ name, output, settings, origin }: Job): string {
  // curl reads commas and semicolons in a name, unless it is quoted.
  const file = /^[\w.-]+$/.test(name) ? `file=@${name}` : `file=@"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const fields = apiOptions(settings).map(([option, value]) => `-F ${shell(`${option}=${value}`)}`)
  return `curl ${origin}/v1/compress \\
  -H "Authorization: Bearer $WHITTLE_KEY" \\
  -F ${shell(file)} ${fields.join(' ')} -F response=file \\
  -o ${shell(output)}`
}

function command({ name, output, settings: { quality, output: format, targetSize, metadata } }: Job): string {
  const options = [
    `-q ${quality}`,
    ...(format === undefined ? [] : [`-f ${format}`]),
    ...(targetSize === undefined ? [] : [`-t ${targetSize}B`]),
    ...(metadata === 'keep' ? [] : [`--metadata ${metadata}`]),
  ]
  return `# runs on your computer and needs no key
whittle ${path(name)} ${options.join(' ')} -o ${shell(output)}
whittle verify ${path(name)} ${path(output)}`
}

function typescript({ name, output, settings, origin }: Job): string {
  const options = apiOptions(settings).map(([option, value]) => `${option}: ${single(value)}`)
  return `import { Whittle } from '@whittle-app/client'
import { fileAt, save } from '@whittle-app/client/node'

const whittle = new Whittle({ baseUrl: '${origin}', key: process.env.WHITTLE_KEY! })
const task = await whittle.compress(fileAt(${single(name)}), { ${options.join(', ')} })
await save(whittle, task, ${single(output)})`
}

function python({ name, output, settings, origin }: Job): string {
  const options = apiOptions(settings).map(([option, value]) => `${option}=${quoted(value)}`)
  return `import os
from whittle_app import Whittle

with Whittle("${origin}", os.environ["WHITTLE_KEY"]) as whittle:
    task = whittle.compress(${quoted(name)}, ${options.join(', ')})
    whittle.save(task, ${quoted(output)})`
}

const GO_NAMES: Readonly<Record<string, string>> = { quality: 'Quality', format: 'Format', target_size: 'TargetSize', metadata: 'Metadata' }

function go({ name, output, settings, origin }: Job): string {
  const options = apiOptions(settings).map(([option, value]) => `${GO_NAMES[option]}: ${quoted(value)}`)
  return `client := whittle.New("${origin}", os.Getenv("WHITTLE_KEY"))
task, err := client.CompressFile(ctx, ${quoted(name)}, whittle.Options{${options.join(', ')}})
if err != nil {
	return err
}
return client.Save(ctx, task, ${quoted(output)})`
}

function php({ name, output, settings, origin }: Job): string {
  const options = apiOptions(settings).map(([option, value]) => `${single(option)} => ${single(value)}`)
  return `use Whittle\\Whittle;

$whittle = new Whittle('${origin}', getenv('WHITTLE_KEY'));
$task = $whittle->compress(${single(name)}, [${options.join(', ')}]);
$whittle->save($task, ${single(output)});`
}

function library({ name, output, settings: { quality, output: format, targetSize, metadata } }: Job): string {
  const options = [
    `quality: '${quality}'`,
    ...(format === undefined ? [] : [`format: '${format}'`]),
    ...(targetSize === undefined ? [] : [`targetSize: ${targetSize}`]),
    ...(metadata === 'keep' ? [] : [`metadata: '${metadata}'`]),
  ]
  return `import { compress } from '@whittle-app/core'
import { writeFile } from 'node:fs/promises'

const { bytes, receipt } = await compress(${single(name)}, { ${options.join(', ')} })
await writeFile(${single(output)}, bytes)`
}
