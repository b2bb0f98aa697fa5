/** Scales of a receipt. They begin at the worst figure that means something, not at zero, and mark the goal of the level and the floor. */

import { t } from '../language.ts'
import { FACTS, type Goal } from '../model/facts.ts'
import type { Receipt } from '../model/protocol.ts'
import { Icon } from './icon.tsx'

interface Range {
  readonly from: number
  readonly to: number
}

const SCORE: Range = { from: 30, to: 100 }
const SSIM: Range = { from: 0.85, to: 1 }
const PSNR: Range = { from: 25, to: 50 }
const SNR: Range = { from: 0, to: 60 }

/** Position on a scale in percent. */
const positionOf = (value: number, { from, to }: Range): string =>
  `${(Math.max(0, Math.min(1, (value - from) / (to - from))) * 100).toFixed(1)}%`

/** Sets custom properties, which a Content Security Policy without `unsafe-inline` allows only from scripts. */
const placed = (places: Readonly<Record<string, string>>) => (element: HTMLElement | null) => {
  for (const [name, value] of Object.entries(places)) element?.style.setProperty(name, value)
  element?.setAttribute('data-placed', '')
}

/** Pictures whose level is defined by a goal for the score. */
const SCORED = ['jpg', 'webp', 'avif']

function goalOf({ quality, output_format: output, result }: Receipt): Goal | undefined {
  const isTuned = SCORED.includes(output) && result.fidelity === 'perceptual' && quality !== 'ultra' && quality !== null
  return isTuned ? FACTS.goals[quality] : undefined
}

export function Scales({ receipt }: { receipt: Receipt }) {
  const { ssim, psnr_db: psnr, ssimulacra2: score, snr_db: snr, measured_at: place } = receipt.result
  const goal = goalOf(receipt)
  // A result for a maximum size may be below the goal of its level.
  const reached = goal && score !== undefined && score >= goal.score ? goal : undefined
  return (
    <>
      {score !== undefined && <ScoreScale score={score} goal={reached} />}
      {(ssim !== undefined || snr !== undefined) && (
        <div class="minis">
          {ssim !== undefined && <Mini name="SSIM" value={ssim} shown={String(ssim)} floor={FACTS.floors.ssim} range={SSIM} />}
          {psnr !== undefined && <Mini name="PSNR" value={psnr} shown={`${psnr.toFixed(1)} dB`} floor={FACTS.floors.psnrDb} range={PSNR} />}
          {snr !== undefined && <Mini name="SNR" value={snr} shown={`${snr.toFixed(1)} dB`} floor={FACTS.floors.snrDb} range={SNR} />}
          <p class="faint small">
            {t('Hatched: never delivered.')}
            {place &&
              place !== 'pixels' &&
              ` ${place === 'second' ? t('Figures of the worst second.') : t('Figures of the worst page at 144 dpi.')}`}
          </p>
        </div>
      )}
    </>
  )
}

function ScoreScale({ score, goal }: { score: number; goal: Goal | undefined }) {
  const places = { '--at': positionOf(score, SCORE), '--goal': goal ? positionOf(goal.score, SCORE) : '100%', '--floor': '0%' }
  const label = goal ? t('Score {score}, goal {goal}, best 100', { score, goal: goal.score }) : t('Score {score}, best 100', { score })
  return (
    <div class="scale" ref={placed(places)}>
      <div class="scale__value">
        <span>
          {t('Visual score')} <span class="faint">SSIMULACRA 2</span>
        </span>
        <b>{score}</b>
      </div>
      <div class="scale__track" role="img" aria-label={label}>
        {goal && <i class="scale__tick scale__tick--goal" />}
        <i class="scale__at">
          <Icon name="check" />
        </i>
      </div>
      <div class="scale__legend" aria-hidden="true">
        {goal && (
          <span class="scale__goal">
            <b>{goal.score}</b>
            {t('goal')}
          </span>
        )}
        <span>
          <b>100</b>
          {t('identical')}
        </span>
      </div>
    </div>
  )
}

interface MiniProps {
  readonly name: string
  readonly value: number
  readonly shown: string
  readonly floor: number
  readonly range: Range
}

function Mini({ name, value, shown, floor, range }: MiniProps) {
  const places = { '--at': positionOf(value, range), '--goal': '100%', '--floor': positionOf(floor, range) }
  return (
    <div class="mini" ref={placed(places)}>
      <span>{name}</span>
      <div class="scale__track" role="img" aria-label={t('{name} {value}, floor {floor}', { name, value: shown, floor })}>
        <i class="scale__tick scale__tick--floor" />
        <i class="scale__at" />
      </div>
      <b>{shown}</b>
    </div>
  )
}
