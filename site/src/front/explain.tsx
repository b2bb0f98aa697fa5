/** One screen of explanations: formats, how the proof works, and what it costs. */
import type { ComponentChildren } from 'preact'
import { t } from '../language.ts'
import { guide, LINKS } from '../links.ts'
import { FACTS } from '../model/facts.ts'
import { listedNames } from '../model/format-names.ts'
import type { FormatId } from '../model/protocol.ts'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icons.ts'

const FAMILIES: readonly { readonly icon: IconName; readonly title: string; readonly promise: string; readonly of: readonly string[] }[] = [
  { icon: 'image', title: 'Pictures', promise: 'The same picture, smaller.', of: ['image'] },
  { icon: 'file-text', title: 'Documents', promise: 'The same pages, links and fields.', of: ['document', 'ebook', 'mail'] },
  {
    ...{ icon: 'database', title: 'Data', promise: 'The same values, bit for bit.' },
    of: ['text', 'cad', 'geo', 'medical', 'pointcloud', 'science', 'data'],
  },
]

const idsWhere = (isWanted: (id: FormatId) => boolean) => (Object.keys(FACTS.formats) as FormatId[]).filter(isWanted)

function Family({ icon, title, children, ids }: { icon: IconName; title: string; children: ComponentChildren; ids: FormatId[] }) {
  return (
    <div class="family">
      <Icon name={icon} />
      <h3>{title}</h3>
      <p>{children}</p>
      <ul class="chips">
        {listedNames(ids).map((name) => (
          <li key={name} class="chip">
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

export function Formats() {
  return (
    <section class="section wrap" id="formats">
      <div class="section__head">
        <h2>{t('One place for every file')}</h2>
        <p>{t('Whittle reads the bytes, not the name. Your file comes back in the format it had, unless you ask for another.')}</p>
      </div>
      <div class="families">
        {FAMILIES.map(({ icon, title, promise, of }) => (
          <Family
            key={title}
            icon={icon}
            title={t(title)}
            ids={idsWhere((id) => FACTS.formats[id].isHere && of.includes(FACTS.formats[id].family))}
          >
            {t(promise)}
          </Family>
        ))}
        <Family icon="server" title={t('With the service')} ids={idsWhere((id) => !FACTS.formats[id].isHere)}>
          {t('These need engines that a page cannot carry.')} <a href={LINKS.console}>{t('Sign in')}</a>
        </Family>
      </div>
      <p class="muted section__foot">
        {t('Anything else can be packed as Zstandard, Brotli or gzip and comes back byte for byte.')}{' '}
        <a href={guide(LINKS.formats)}>{t('All formats')}</a>
      </p>
    </section>
  )
}

export function Proof() {
  return (
    <section class="section wrap" id="proof">
      <div class="section__head">
        <h2>{t('How the proof works')}</h2>
        <p>
          {t(
            'If something would be lost that the receipt does not name, you get your own file back, unchanged. The result is never larger.',
          )}
        </p>
      </div>
      <ol class="steps">
        <Step title={t('List')} text={t('Whittle lists what your file holds: links, pages, layers, tags.')}>
          <dl class="kept">
            {[
              [t('Links'), 3],
              [t('Pages'), 48],
              [t('EXIF tags'), 59],
            ].map(([what, count]) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>{count}</dd>
              </div>
            ))}
          </dl>
        </Step>
        <Step title={t('Search')} text={t('It looks for the smallest result that still reaches the goal of the level.')}>
          <SearchArt />
        </Step>
        <Step title={t('Compare')} text={t('It decodes the result and compares it with your file, item by item.')}>
          <CompareArt />
        </Step>
        <Step title={t('Receipt')} text={t('The receipt names what was kept and what was removed. The service also signs it.')}>
          <span class="stub__seal stub__seal--open step__seal">
            <Icon name="laptop" />
          </span>
        </Step>
      </ol>
      <p class="muted section__foot">
        <a href={guide(LINKS.receipts)}>{t('How receipts work')}</a>
      </p>
    </section>
  )
}

const Step = ({ title, text, children }: { title: string; text: string; children: ComponentChildren }) => (
  <li class="step">
    <div class="step__art">{children}</div>
    <h3>{title}</h3>
    <p>{text}</p>
  </li>
)

const SearchArt = () => (
  <svg class="art" viewBox="0 0 200 96" width="200" aria-hidden="true">
    <g class="art__bars">
      <rect x="8" y="8" width="22" height="80" rx="4" />
      <rect x="42" y="26" width="22" height="62" rx="4" />
      <rect x="76" y="58" width="22" height="30" rx="4" />
      <rect x="110" y="34" width="22" height="54" rx="4" />
    </g>
    <rect class="art__bar" x="144" y="41" width="22" height="47" rx="4" />
    <path class="art__goal" d="M0 44h200" />
  </svg>
)

const CompareArt = () => (
  <svg class="art" viewBox="0 0 200 96" width="200" aria-hidden="true">
    <g class="art__picture">
      <rect x="10" y="16" width="76" height="60" rx="6" />
      <path d="m10 66 22-20 16 14 14-11 24 20" />
      <circle cx="64" cy="34" r="6" />
    </g>
    <g class="art__picture art__picture--new">
      <rect x="114" y="16" width="76" height="60" rx="6" />
      <path d="m114 66 22-20 16 14 14-11 24 20" />
      <circle cx="168" cy="34" r="6" />
    </g>
    <path class="art__equal" d="M94 42h12M94 50h12" />
  </svg>
)

export function Facts() {
  return (
    <section class="section wrap">
      <div class="facts">
        <Fact icon="circle-check" title={t('Free on this page')}>
          {t(
            'Your device does the work, so there is nothing to pay for. After the first visit, the page saves its engines and works offline.',
          )}
        </Fact>
        <Fact icon="server" title={t('Free to run yourself')}>
          {t('Apache-2.0. One command starts the service on one machine, another deploys it to Cloudflare Workers.')}{' '}
          <a href={LINKS.selfHosting}>{t('Self-hosting')}</a>
        </Fact>
        <Fact icon="shield-check" title={t('Nothing to trust blindly')}>
          {t('“Check it” decodes both files again and measures every figure anew. The command does the same without this page:')}{' '}
          <code>whittle verify</code>
        </Fact>
      </div>
    </section>
  )
}

const Fact = ({ icon, title, children }: { icon: IconName; title: string; children: ComponentChildren }) => (
  <div>
    <h3>
      <Icon name={icon} />
      {title}
    </h3>
    <p>{children}</p>
  </div>
)
