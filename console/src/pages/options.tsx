/** Options for the next files. Output formats are only those that all waiting files can have. */
import { outputTitle } from '../../../site/src/model/settings.ts'
import { t } from '../language.ts'
import { changeWishes, outputsFor, targetBytes, upper, useWishes, type Wishes } from '../wishes.ts'

const LEVELS: readonly Wishes['quality'][] = ['low', 'medium', 'high', 'ultra']

export function Options() {
  const wishes = useWishes()
  const outputs = outputsFor(wishes.held.map(({ name }) => name))
  // A format that the files cannot have is not sent.
  const format = outputs.includes(wishes.format) ? wishes.format : ''
  if (format !== wishes.format) changeWishes({ format })
  return (
    <div class="details__body opts">
      <label class="field">
        <span class="lab">{t('Quality')}</span>
        <select
          class="select"
          value={wishes.quality}
          onChange={(event) => changeWishes({ quality: event.currentTarget.value as Wishes['quality'] })}
        >
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {upper(t(level))}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span class="lab">{t('Output format')}</span>
        <select class="select" value={format} onChange={(event) => changeWishes({ format: event.currentTarget.value })}>
          <option value="">{t('Same as input')}</option>
          {outputs.map((output) => (
            <option key={output} value={output}>
              {outputTitle(output)}
            </option>
          ))}
        </select>
        {wishes.held.length === 0 && <span class="hint">{t('More formats appear when files are chosen.')}</span>}
      </label>
      <Target wishes={wishes} />
      <label class="field">
        <span class="lab">{t('Password for the result')}</span>
        <input
          class="input"
          type="password"
          autoComplete="new-password"
          value={wishes.password}
          placeholder={t('optional')}
          onInput={(event) => changeWishes({ password: event.currentTarget.value })}
        />
      </label>
    </div>
  )
}

function Target({ wishes }: { wishes: Wishes }) {
  const isWrong = Number.isNaN(targetBytes(wishes))
  return (
    <div class="field">
      <label for="target">{t('Maximum size')}</label>
      <span class="joined">
        <input
          id="target"
          class="input"
          inputMode="decimal"
          placeholder={t('no limit')}
          value={wishes.target}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? 'target-problem' : undefined}
          onInput={(event) => changeWishes({ target: event.currentTarget.value })}
        />
        <select
          class="select"
          aria-label={t('Unit')}
          value={wishes.unit}
          onChange={(event) => changeWishes({ unit: event.currentTarget.value as Wishes['unit'] })}
        >
          <option value="kB">kB</option>
          <option value="MB">MB</option>
        </select>
      </span>
      {isWrong && (
        <span id="target-problem" class="hint hint--bad">
          {t('Enter a number such as 250 or 1.5.')}
        </span>
      )}
    </div>
  )
}
