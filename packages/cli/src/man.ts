/** The manual page, made from the same options as the help (man(7)). */
import type { Command, Option } from 'commander'
import { EXAMPLES } from './program.ts'
import { EXIT_STATUS } from './trouble.ts'

/** Text of a manual page: backslashes and hyphens are escaped, and no line begins with a request. */
const text = (plain: string) =>
  plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')

const bold = (plain: string) => `\\fB${text(plain)}\\fR`

/** @returns the manual page in the format of man(7) */
export function manPage(program: Command): string {
  const compress = program.commands.find((command) => command.name() === 'compress')
  const others = program.commands.filter((command) => command !== compress)
  const sections = [
    `.TH WHITTLE 1 "" "whittle ${program.version()}" "User Commands"`,
    `.SH NAME\nwhittle \\- ${text(sentence(program.description()))}`,
    `.SH SYNOPSIS\n${bold('whittle')} [\\fIoptions\\fR] \\fIfiles\\fR...\n.br\n${bold('whittle')} \\fIcommand\\fR [\\fIarguments\\fR]`,
    `.SH OPTIONS\n${[...(compress?.options ?? []), ...program.options].map(optionOf).join('\n')}`,
    `.SH COMMANDS\n${others.map(commandOf).join('\n')}`,
    `.SH EXAMPLES\n.nf\n${text(EXAMPLES.split('Examples:\n')[1]!.trimEnd())}\n.fi`,
    `.SH EXIT STATUS\n${EXIT_STATUS.map(([code, meaning]) => `.TP\n${bold(String(code))}\n${text(meaning)}`).join('\n')}`,
  ]
  return `${sections.join('\n')}\n`
}

/** The description as NAME needs it: without a capital and a full stop. */
const sentence = (description: string) => description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '')

function optionOf({ flags, description, argChoices, defaultValue, envVar }: Option): string {
  const notes = [
    ...(argChoices ? [`choices: ${argChoices.join(', ')}`] : []),
    ...(typeof defaultValue === 'string' || typeof defaultValue === 'number' ? [`default: ${defaultValue}`] : []),
    ...(envVar === undefined ? [] : [`environment: ${envVar}`]),
  ]
  return `.TP\n${bold(flags)}\n${text(notes.length > 0 ? `${description} (${notes.join('; ')})` : description)}`
}

function commandOf(command: Command): string {
  const head = `.SS ${text(`whittle ${command.name()} ${command.usage()}`)}\n${text(command.description())}`
  return [head, ...command.options.map(optionOf)].join('\n')
}
