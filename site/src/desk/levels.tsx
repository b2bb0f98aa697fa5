/** The three levels of a file side by side. Their sizes come from real results. */
import { savedPercent, sizeText, t } from '../language.ts'
import type { Desk } from '../model/desk.ts'
import { currentSettings, type DeskState, type Item, levelSettings } from '../model/items.ts'
import type { Quality, Settings } from '../model/protocol.ts'
import { settingsKey } from '../model/settings.ts'

const NAMES: { readonly [level in Quality]: readonly [name: string, word: string] } = {
  low: ['Low', 'Looks clean'],
  medium: ['Medium', 'No difference at normal size'],
  high: ['High', 'No difference at 100 %'],
  ultra: ['Ultra', 'Looks clean'],
}

interface LevelsProps {
  readonly desk: Desk
  readonly state: DeskState
  readonly item: Item
}

export function Levels({ desk, state, item }: LevelsProps) {
  const levels = levelSettings(item, state.common)
  if (levels.length === 0) return null
  const chosen = currentSettings(item, state.common)?.quality
  return (
    <fieldset>
      <legend class="vh">{t('Quality level')}</legend>
      <div class="levels">
        {levels.map((settings) => (
          <label key={settings.quality} class="level">
            <input
              type="radio"
              name={`level-${item.id}`}
              checked={settings.quality === chosen}
              onChange={() => desk.setOwn(item.id, { quality: settings.quality })}
            />
            <Level item={item} settings={settings} />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Level({ item, settings }: { item: Item; settings: Settings }) {
  const [name, word] = NAMES[settings.quality]
  const attempt = item.attempts.get(settingsKey(settings))
  const result = attempt?.state === 'done' ? attempt.result : undefined
  const bytes = attempt?.state === 'unreachable' ? attempt.bestSize : result?.result.size
  const percent = bytes === undefined ? 0 : Math.round((100 * bytes) / Math.max(1, item.file.size))
  const isLossless = result?.receipt.result.fidelity === 'lossless' && result.receipt.result.outcome === 'compressed'
  return (
    <span class="level__in">
      <span class="level__name">
        {t(name)}
        {result && bytes !== undefined && bytes < item.file.size && <i>−{savedPercent(item.file.size, bytes)} %</i>}
      </span>
      <span class="level__size">{bytes === undefined ? <Measuring /> : sizeText(bytes)}</span>
      <span class="bar bar--thin">
        <i style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
      <span class="level__word">
        {attempt?.state === 'unreachable'
          ? t('Cannot get that small')
          : result?.receipt.result.outcome === 'unchanged'
            ? t('Unchanged')
            : isLossless
              ? t('Nothing lost')
              : t(word)}
      </span>
    </span>
  )
}

const Measuring = () => (
  <>
    <span class="skel" />
    <span class="vh">{t('Being measured')}</span>
  </>
)
