/** An icon of the page. It has no name for screen readers: the text beside it, or the label of its button, says it. */
import type { IconName } from './icons.ts'

export const Icon = ({ name, class: more = '' }: { name: IconName; class?: string }) => (
  <svg class={`i ${more}`} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)
