/** Scopes of API keys in words. */
import { t } from './language.ts'

export const SCOPES: Readonly<Record<string, string>> = {
  compress: 'compress files',
  'tasks:read': 'read tasks',
  'tasks:delete': 'delete tasks',
  'usage:read': 'read usage',
  tokens: 'make browser tokens',
  connections: 'change bucket connections',
}

/** What a key may do: `everything`, or a list. */
export const scopesText = (scopes: readonly string[]): string =>
  Object.keys(SCOPES).every((scope) => scopes.includes(scope))
    ? t('everything')
    : scopes.map((scope) => t(SCOPES[scope] ?? scope)).join(t(', '))
