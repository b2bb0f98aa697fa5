/** Progress and state of one file, in words. The front page and the console show them alike. */
import { Icon } from './icon.tsx'

/** Progress bar below the name of the current step. `share`: 0–1. */
export function Progress({ title, share }: { title: string; share: number }) {
  const percent = Math.floor(share * 100)
  return (
    <>
      <p class="stage">
        <span>{title}</span>
        <span class="num">{percent} %</span>
      </p>
      <div class="bar" role="progressbar" aria-label={title} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
        <i style={{ width: `${percent}%` }} />
      </div>
    </>
  )
}

/** State in a few words. Problems have an icon. `tone`: class suffix of its colour, such as `bad` or `warn`. */
export function StateTitle({ tone, title }: { tone: string; title: string }) {
  const icon = tone === 'bad' ? 'circle-alert' : tone === 'warn' ? 'triangle-alert' : undefined
  return (
    <p class={`state state--${tone}`}>
      {icon && <Icon name={icon} />}
      {title}
    </p>
  )
}
