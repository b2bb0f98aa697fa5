/**
 * Usage rights signatures (ISO 32000-1, 12.8.2.3; UR3 since PDF 1.6). They let Adobe Reader save forms and comments. Adobe's key signs
 * every byte of the file, so any change invalidates them. No person has signed anything.
 */
import type { Options } from '../../model/codec.ts'
import { Dict, latin1, nameOf, type PdfObject, Ref } from './objects.ts'
import { signatureOffsets } from './reachable-objects.ts'
import type { Reader } from './reader.ts'
import { AT_OFFSET } from './xref.ts'

const RIGHTS: ReadonlySet<string> = new Set(['UR', 'UR3'])
/** Maximum size in bytes of an object that is searched for usage rights. */
const MAX_HOLDER_BYTES = 1024 * 1024

/** Signatures that a change would break: none, only the usage rights for Adobe Reader, or another signature. */
export type SignatureKind = 'nothing' | 'usage rights' | 'signature'

export async function findSignatureKind(reader: Reader, root: Dict, signal: AbortSignal): Promise<SignatureKind> {
  const holders = await rightsHolders(reader, root)
  if (holders === undefined) return 'signature'
  const spans = await Promise.all(holders.map((number) => spanOf(reader, number)))
  for await (const offset of signatureOffsets(reader, signal)) {
    if (!spans.some(({ start, end }) => offset >= start && offset < end)) return 'signature'
  }
  return holders.length > 0 ? 'usage rights' : 'nothing'
}

/** True if an entry contains only usage rights. Valid for documents for which `findSignatureKind` returns "usage rights". */
export const isUsageRightsEntry = (dict: Dict, key: string): boolean => key === 'Perms' && nameOf(dict.get('Type')) === 'Catalog'

/** True if a result may omit the usage rights for Adobe Reader that this original has. */
export async function mayDropUsageRights(
  original: Reader,
  { usageRights, signal }: Pick<Options, 'usageRights' | 'signal'>,
): Promise<boolean> {
  if (usageRights !== 'drop') return false
  const root = await original.dict(original.trailer.get('Root'))
  return root !== undefined && (await findSignatureKind(original, root, signal)) === 'usage rights'
}

/** Object numbers that contain the usage rights. `undefined`: the document also has other permissions, such as DocMDP. */
async function rightsHolders(reader: Reader, root: Dict): Promise<number[] | undefined> {
  if (!root.has('Perms')) return []
  const top = numberOf(reader.trailer.get('Root'), 0)
  const entry = root.get('Perms')
  const permissions = await reader.resolve(entry)
  if (!(permissions instanceof Dict) || permissions.size === 0 || ![...permissions.keys()].every((key) => RIGHTS.has(key))) return undefined
  return [...permissions.values()].map((rights) => numberOf(rights, numberOf(entry, top)))
}

const numberOf = (object: PdfObject | undefined, around: number) => (object instanceof Ref ? object.number : around)

/** Byte range of an object in the file; empty for objects in object streams, because signatures are never compressed. */
async function spanOf({ xref, ranges }: Reader, number: number): Promise<{ start: number; end: number }> {
  const start = xref.kind(number) === AT_OFFSET ? xref.place(number) : ranges.size
  const bytes = await ranges.read(start, MAX_HOLDER_BYTES)
  const length = Math.max(0, latin1(bytes).indexOf('endobj'))
  ranges.release(bytes)
  return { start, end: start + length }
}
