/** Completion scripts for bash, zsh and fish, generated from the command definitions. */
import type { Command, Option } from 'commander'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface Entry {
  readonly name: string
  readonly description: string
  readonly options: readonly Option[]
}

/** @returns the completion script for the shell; its first line says where to install it */
export function completionScript(program: Command, shell: Shell): string {
  const entries = program.commands.map((command): Entry => {
    // Options of the default command also work without its name.
    return { name: command.name(), description: command.description(), options: [...command.options, ...program.options] }
  })
  return { bash, zsh, fish }[shell](entries)
}

const flagsOf = (option: Option) => [option.short, option.long].filter((flag) => flag !== undefined && flag !== null)
const optionsOf = (entries: readonly Entry[], name: string) => entries.find((entry) => entry.name === name)?.options ?? []
/** Escapes text for single quotes in a shell. */
const quoted = (text: string) => text.replaceAll("'", "'\\''")

function bash(entries: readonly Entry[]): string {
  const cases = entries.map(({ name, options }) => `    ${name}) words='${options.flatMap(flagsOf).join(' ')}' ;;`)
  const choices = choicesOf(entries).map(
    ({ flags, values }) => `    ${flags.join('|')}) COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$now")); return ;;`,
  )
  const plain = `${entries.map(({ name }) => name).join(' ')} ${optionsOf(entries, 'compress').flatMap(flagsOf).join(' ')}`
  return `# source <(whittle completion bash)
_whittle() {
  local now=\${COMP_WORDS[COMP_CWORD]} words='${plain}'
  case \${COMP_WORDS[COMP_CWORD-1]} in
${choices.join('\n')}
  esac
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$now") $(compgen -f -- "$now"))
}
complete -o filenames -F _whittle whittle
`
}

function zsh(entries: readonly Entry[]): string {
  const described = ({ name, description }: Entry) => `'${name}:${quoted(description)}'`
  const argument = (option: Option) => {
    const description = quoted(option.description).replaceAll(/[[\]:]/g, ' ')
    const values = option.argChoices ? `:value:(${option.argChoices.join(' ')})` : option.required ? ':value:_files' : ''
    return flagsOf(option).map((flag) => `'${flag}[${description}]${values}'`)
  }
  const cases = entries.map(({ name, options }) => `    ${name}) _arguments ${options.flatMap(argument).join(' ')} '*:file:_files' ;;`)
  return `#compdef whittle
# whittle completion zsh > "\${fpath[1]}/_whittle"
_whittle() {
  if ((CURRENT == 2)); then
    local -a commands=(${entries.map(described).join(' ')})
    [[ $words[2] == -* ]] || _describe command commands
    _files
  fi
  case $words[2] in
${cases.join('\n')}
    *) _arguments ${optionsOf(entries, 'compress').flatMap(argument).join(' ')} '*:file:_files' ;;
  esac
}
compdef _whittle whittle
`
}

function fish(entries: readonly Entry[]): string {
  const names = entries.map(({ name }) => name).join(' ')
  const others = entries
    .map(({ name }) => name)
    .filter((name) => name !== 'compress')
    .join(' ')
  const commands = entries.map(
    ({ name, description }) => `complete -c whittle -n '__fish_is_first_token' -a ${name} -d '${quoted(description)}'`,
  )
  const flags = entries.flatMap(({ name, options }) => {
    const condition = name === 'compress' ? `not __fish_seen_subcommand_from ${others}` : `__fish_seen_subcommand_from ${name}`
    return options.map((option) => {
      const short = option.short ? ` -s ${option.short.slice(1)}` : ''
      const long = option.long ? ` -l ${option.long.slice(2)}` : ''
      const values = option.argChoices ? ` -x -a '${option.argChoices.join(' ')}'` : option.required ? ' -r' : ''
      return `complete -c whittle -n '${condition}'${short}${long}${values} -d '${quoted(option.description)}'`
    })
  })
  return `# whittle completion fish > ~/.config/fish/completions/whittle.fish
# ${names}
${[...commands, ...flags].join('\n')}
`
}

function choicesOf(entries: readonly Entry[]): { flags: string[]; values: readonly string[] }[] {
  const all = optionsOf(entries, 'compress').filter((option) => option.argChoices)
  return all.map((option) => ({ flags: flagsOf(option), values: option.argChoices ?? [] }))
}
