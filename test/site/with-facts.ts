/** Defines the constant that the bundler inserts into the page. Import this file before those of `site/src/`. */
import { siteFacts } from '../../site/facts.ts'

Object.assign(globalThis, { SITE_FACTS: siteFacts() })
