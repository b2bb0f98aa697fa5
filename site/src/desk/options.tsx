/** Options of all files, and of one. Only what fits the files is offered. */
import { useState } from 'preact/hooks'
import { t } from '../language.ts'
import type { Desk } from '../model/desk.ts'
import { formatFacts } from '../model/facts.ts'
import type { DeskState, Item } from '../model/items.ts'
import type { FormatId, MetadataMode, Quality, Settings } from '../model/protocol.ts'
import { commonOutputs, type Own, outputTitle, parseTarget } from '../model/settings.ts'
import { Icon } from '../parts/icon.tsx'

const formatsOf = ({ items }: DeskState): FormatId[] => items.flatMap(({ place, format }) => (place === 'here' && format ? [format] : []))

export function CommonOptions({ desk, state }: { desk: Desk; state: DeskState }) {
  const formats = formatsOf(state)
  if (formats.length === 0) return null
  const { common } = state
  const outputs = commonOutputs(formats)
  const change = (own: Own) => desk.setCommon(own)
  const canStrip = formats.filter((format) => formatFacts(format).removesMetadata).length
  return (
    <details class="details">
      <summary>
        <Icon name="settings-2" />
        <span>
          {t('Options')} <span class="faint details__now">{summaryOf(common)}</span>
        </span>
        <Icon name="chevron-down" />
      </summary>
      <div class="details__body opts">
        {formats.some((format) => formatFacts(format).hasLevels) && (
          <Choice label={t('Quality')} value={common.quality} choices={qualities(false)} onChange={(quality) => change({ quality })} />
        )}
        <TargetSize id="all" value={common.targetSize} onChange={(targetSize) => change({ targetSize })} />
        {outputs.length > 0 && (
          <Choice
            label={t('Output format')}
            value={common.output ?? ''}
            choices={outputChoices(outputs, t('Same as the file'))}
            onChange={(output) => change({ output: output || undefined })}
          />
        )}
        {canStrip > 0 && (
          <Choice
            label={t('Metadata')}
            value={common.metadata}
            choices={METADATA()}
            onChange={(metadata) => change({ metadata })}
            hint={
              canStrip === formats.length ? undefined : t('Possible for {count} of {all} files.', { count: canStrip, all: formats.length })
            }
          />
        )}
      </div>
    </details>
  )
}

export function OwnOptions({ desk, item, settings }: { desk: Desk; item: Item & { readonly format: FormatId }; settings: Settings }) {
  const { outputs, removesMetadata, hasUltra } = formatFacts(item.format)
  const change = (own: Own) => desk.setOwn(item.id, own)
  const [usual, ...others] = outputs
  return (
    <div class="opts opts--own">
      {others.length > 0 && usual !== undefined && (
        <Choice
          label={t('Output format')}
          value={settings.output ?? usual}
          choices={outputs.map(
            (output) => [output, output === usual ? t('{format} (usual)', { format: outputTitle(output) }) : outputTitle(output)] as const,
          )}
          onChange={(output) => change({ output: output === usual ? undefined : output })}
        />
      )}
      <TargetSize id={`file-${item.id}`} value={settings.targetSize} onChange={(targetSize) => change({ targetSize })} />
      {removesMetadata && (
        <Choice label={t('Metadata')} value={settings.metadata} choices={METADATA()} onChange={(metadata) => change({ metadata })} />
      )}
      {hasUltra && (
        <Choice label={t('Level')} value={settings.quality} choices={qualities(true)} onChange={(quality) => change({ quality })} />
      )}
    </div>
  )
}

function summaryOf({ quality, output, targetSize, metadata }: Settings): string {
  return [
    t(`${quality} quality`),
    output === undefined ? t('same format') : outputTitle(output),
    ...(targetSize === undefined ? [] : [t('at most {size}', { size: `${targetSize / 1000} kB` })]),
    ...(metadata === 'keep' ? [] : [t('without metadata')]),
  ].join(t(', '))
}

const qualities = (withUltra: boolean): (readonly [Quality, string])[] => [
  ['low', t('Low')],
  ['medium', t('Medium')],
  ['high', t('High')],
  ...(withUltra ? ([['ultra', t('Ultra')]] as const) : []),
]

const METADATA = (): (readonly [MetadataMode, string])[] => [
  ['keep', t('Keep everything')],
  ['safe', t('Keep colour, rotation and copyright')],
  ['strip', t('Remove all but the look')],
]

const outputChoices = (outputs: readonly string[], usual: string): (readonly [string, string])[] => [
  ['', usual],
  ...outputs.map((output) => [output, outputTitle(output)] as const),
]

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
  readonly hint?: string | undefined
}

function Choice<Value extends string>({ label, value, choices, onChange, hint }: ChoiceProps<Value>) {
  return (
    <label class="field">
      <span class="lab">{label}</span>
      <select class="select" value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {choices.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
      {hint && <span class="hint">{hint}</span>}
    </label>
  )
}

interface TargetSizeProps {
  readonly id: string
  readonly value: number | undefined
  readonly onChange: (bytes: number | undefined) => void
}

function TargetSize({ id, value, onChange }: TargetSizeProps) {
  const [unit, setUnit] = useState(value !== undefined && value >= 1_000_000 ? 'MB' : 'kB')
  const [text, setText] = useState(value === undefined ? '' : String(value / (unit === 'MB' ? 1_000_000 : 1000)))
  const isWrong = Number.isNaN(parseTarget(text, unit))
  const apply = (written: string, inUnit: string) => {
    const bytes = parseTarget(written, inUnit)
    if (!Number.isNaN(bytes ?? 0)) onChange(bytes)
  }
  return (
    <div class="field">
      <label class="lab" for={`target-${id}`}>
        {t('Maximum size')} <span class="faint">{t('optional')}</span>
      </label>
      <div class="joined">
        <input
          id={`target-${id}`}
          class="input"
          inputMode="decimal"
          placeholder="500"
          value={text}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `target-${id}-wrong` : undefined}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={(event) => apply(event.currentTarget.value, unit)}
        />
        <select
          class="select"
          aria-label={t('Unit')}
          value={unit}
          onChange={(event) => {
            setUnit(event.currentTarget.value)
            apply(text, event.currentTarget.value)
          }}
        >
          <option>kB</option>
          <option>MB</option>
        </select>
      </div>
      {isWrong && (
        <span class="hint hint--bad" id={`target-${id}-wrong`}>
          <Icon name="circle-alert" />
          {t('Write a number, for example 500.')}
        </span>
      )}
    </div>
  )
}
