/** Generates clients for Java and PHP with openapi-generator. Each compresses a photo through a running service. */
import { copyFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { jarOf } from './maven.ts'

const ARTIFACT = 'org.openapitools:openapi-generator-cli:7.25.0'
const SHA256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae'
const CODE_ALONE = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
const DEBIANS_GUZZLE = '/usr/share/php/GuzzleHttp/autoload.php'
const HERE = import.meta.dirname
const PHOTO = resolve(HERE, '../../../docs/photo.jpg')

type Run = (command: string, args: readonly string[], cwd: string) => Promise<{ code: number; output: string }>

export interface Subject {
  /** Path of the OpenAPI document. */
  readonly document: string
  /** Folder for the generated clients. */
  readonly folder: string
  readonly baseUrl: string
  readonly key: string
}

/** Returns the error of each language: empty if it passed, `not tried: …` if a tool is missing. */
export async function generatedClients(subject: Subject, run: Run): Promise<{ java: string; php: string }> {
  const found = jarOf(ARTIFACT, SHA256)
  if ('missing' in found) return { java: `not tried: ${found.missing}`, php: `not tried: ${found.missing}` }
  return { java: await java(found.jar, subject, run), php: await php(found.jar, subject, run) }
}

async function java(jar: string, { document, folder, baseUrl, key }: Subject, run: Run): Promise<string> {
  const packages =
    'invokerPackage=whittle,apiPackage=whittle.api,modelPackage=whittle.model,groupId=whittle,artifactId=generated,artifactVersion=1'
  const project = join(folder, 'java')
  copyFileSync(join(HERE, 'generated-client.java.txt'), join(folder, 'GeneratedClient.java'))
  const library = ['--library', 'native', '--additional-properties', packages]
  const use = ['-cp', `${project}/target/generated-1.jar:${project}/target/lib/*`, 'GeneratedClient.java', baseUrl, key, PHOTO]
  return runAll(run, [
    ['java', generate(jar, 'java', document, project, library), folder],
    ['mvn', ['-q', '-B', '-DskipTests', '-Dmaven.javadoc.skip=true', 'package'], project],
    ['java', use, folder],
  ])
}

async function php(jar: string, { document, folder, baseUrl, key }: Subject, run: Run): Promise<string> {
  const project = join(folder, 'php')
  const made = await runAll(run, [
    ['java', generate(jar, 'php', document, project, ['--additional-properties', 'invokerPackage=Whittle']), folder],
  ])
  if (made) return made
  if (!existsSync(DEBIANS_GUZZLE)) {
    const { code } = await run('composer', ['install', '--quiet', '--no-dev', '--no-interaction'], project)
    if (code !== 0) return 'not tried: Guzzle is missing (neither Composer nor the Debian package provides it)'
  }
  copyFileSync(join(HERE, 'generated-client.php.txt'), join(project, 'use.php'))
  return runAll(run, [['php', ['use.php', baseUrl, key, PHOTO], project]])
}

const generate = (jar: string, language: string, document: string, out: string, more: readonly string[]) => [
  ...['-jar', jar, 'generate', '--global-property', CODE_ALONE, '-g', language, '-i', document, '-o', out, ...more],
]

/** Runs commands one after the other. Returns the output of the first that fails, or an empty string. */
async function runAll(run: Run, commands: readonly (readonly [command: string, args: readonly string[], cwd: string])[]): Promise<string> {
  for (const [command, args, cwd] of commands) {
    const { code, output } = await run(command, args, cwd)
    // openapi-generator does not fail if two tags produce the same file.
    const overwritten = /Duplicate file path[^\n]*/.exec(output)?.[0]
    if (code !== 0 || overwritten) return overwritten ?? output
  }
  return ''
}
