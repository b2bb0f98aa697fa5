/** What all packages have: members, the data around them, media and XML parts. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import type { InventoryKind } from '../../catalog/inventory/kinds.ts'
import type { Source } from '../../model/codec.ts'
import { Digest, digestOfStream } from '../digest.ts'
import { INFLATE_LIBRARY } from '../inflate.ts'
import { InventoryBuilder } from '../inventory.ts'
import { XML_LIBRARY } from '../xml-library.ts'
import { openZip, type ZipDirectory, type ZipMember } from '../zip.ts'
import { type MemberFacts, ZipContent } from '../zip-content.ts'
import { type KnownParts, knownPartsOf } from './known-parts.ts'
import { XmlPart, type XmlVisitor } from './xml.ts'

/** Libraries that the readers of packages use, for receipts. */
export const PACKAGE_LIBRARIES = `${INFLATE_LIBRARY}, ${XML_LIBRARY}`

/** Adds items of one part. */
export type AddItem = (kind: InventoryKind, value: string, count?: number) => void

/** How a format reads one XML part. `key`: everything besides the part's bytes that its items depend on. */
export interface XmlReading {
  readonly key: string
  visitor(add: AddItem): XmlVisitor
  /** Adds items when the whole part was read. */
  finish?(add: AddItem, part: ParsedPart): void
}

export interface ParsedPart {
  /** Local name of the root element. Empty: none. */
  readonly root: string
  /** Digest of the content, or of the bytes if the part is no readable XML. */
  readonly digest: string
  readonly isXml: boolean
}

export class Package {
  readonly builder = new InventoryBuilder()
  /** Files of the archive, in the order of the directory. */
  readonly files: readonly ZipMember[]
  readonly content: ZipContent
  readonly #known: KnownParts

  private constructor(directory: ZipDirectory, known: KnownParts) {
    this.content = new ZipContent(directory)
    this.files = directory.members.filter(({ isFolder }) => !isFolder)
    this.#known = known
  }

  static async open(source: Source, format: string, signal: AbortSignal): Promise<Package> {
    return new Package(await openZip(source, format, signal), knownPartsOf(signal))
  }

  /** Files in the order of their bytes in the archive, which is the fastest order to read them. */
  get inFileOrder(): readonly ZipMember[] {
    return [...this.files].sort((a, b) => a.headerOffset - b.headerOffset)
  }

  readonly add: AddItem = (kind, value, count) => this.builder.add(kind, value, count)

  /** Adds comments and the bytes before and behind the archive. `ofMembers`: kind of the members' comments. */
  async addSurroundings(ofMembers: InventoryKind): Promise<void> {
    const { view, members, comment, prefixBytes, end } = this.content.directory
    if (comment !== '') this.add('archive_comments', `comment = ${comment}`)
    for (const member of members) if (member.comment !== '') this.add(ofMembers, `${member.name}: ${member.comment}`)
    if (prefixBytes > 0)
      this.add('archive_comments', `${prefixBytes} bytes before the first member #${await digestOfStream(view.chunks(0, prefixBytes))}`)
    let isZero = true
    const hash = new Digest()
    for await (const chunk of view.chunks(end, view.size - end)) {
      hash.update(chunk)
      isZero &&= chunk.every((byte) => byte === 0)
    }
    if (!isZero) this.add('trailing_bytes', `${view.size - end} bytes #${hash.finish()}`)
  }

  /**
   * Reads an XML part and returns the local name of its root element. A part that this job has already read is only compared by the digest
   * of its bytes.
   */
  async readXml(member: ZipMember, reading: XmlReading): Promise<string> {
    const key = `${reading.key}\0${member.name}\0${member.bytes}\0${member.crc32}`
    const known = this.#known.get(key)
    if (known && (await digestOfStream(this.content.content(member))) === known.digest) {
      this.builder.addAll(known.items)
      return known.root
    }
    let items = new InventoryBuilder()
    const parsed = await this.parse(
      member,
      reading.visitor((kind, value, count) => items.add(kind, value, count)),
    )
    if (!parsed.isXml) items = new InventoryBuilder()
    reading.finish?.((kind, value, count) => items.add(kind, value, count), parsed)
    const found = items.build()
    this.#known.set(key, { digest: parsed.bytesDigest, root: parsed.root, items: found })
    this.builder.addAll(found)
    return parsed.root
  }

  /** Parses an XML part. */
  async parse(member: ZipMember, visitor: XmlVisitor): Promise<ParsedPart & { readonly bytesDigest: string }> {
    const part = new XmlPart(visitor)
    const hash = new Digest()
    for await (const chunk of this.content.content(member)) {
      hash.update(chunk)
      part.write(chunk)
    }
    const [content, bytesDigest] = [part.end(), hash.finish()]
    return { root: part.root, digest: content ?? bytesDigest, isXml: content !== undefined, bytesDigest }
  }

  /** Reads a member that is no XML part and returns what it is. */
  describe(member: ZipMember): Promise<MemberFacts> {
    return this.content.describe(member)
  }

  /** Returns the first bytes of a readable member, at most `most`. Empty: it cannot be read. */
  async start(member: ZipMember, most: number): Promise<Uint8Array> {
    if (!this.content.isReadable(member)) return new Uint8Array(0)
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.content.content(member)) {
      chunks.push(chunk.slice(0, most - length))
      length += chunk.length
      if (length >= most) break
    }
    return concat(chunks)
  }

  /**
   * Adds a media file. Pictures that the codecs compress count as `picture`, because their bytes may change. Their own inventory was
   * compared when they were compressed.
   */
  addMedia(name: string, { text, start }: MemberFacts, suffix = ''): void {
    this.add('media', `${isPicture(start) ? 'picture' : `${extensionOf(name)} = ${text}`}${suffix}`)
  }
}

const MEDIA = new Set(
  'png jpg jpeg gif bmp tif tiff emf wmf wdp svg webp avif heic jb2 jp2 ico mp3 mp4 m4a m4v mov avi wmv wav wma ogg pcx pict'.split(' '),
)

/** True if the name of a file says that it is a picture, a film or sound. */
export const isMedia = (name: string): boolean => MEDIA.has(extensionOf(name))

/** True for a picture whose bytes a codec may change: PNG, JPEG, GIF, BMP or TIFF, by its first bytes. */
export const isPicture = (start: Uint8Array): boolean =>
  /^(\x89PNG|GIF8|\xff\xd8\xff|BM|II[*+]\0|MM\0[*+])/.test(latin1Of(start.subarray(0, 4)))

export const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()

/** Returns the last segment of a path. */
export const leafOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Extensions and types of pictures, which change if a picture becomes a JPEG. Only the end of an attribute value counts. */
export const PICTURE_NAMES = /\.(?:png|jpe?g)(?=["'])|image\/(?:png|jpeg)(?=["'])/gi

/** Replaces the extension of a picture, which may change with its format. */
export const withoutPictureExtension = (name: string): string => name.replace(/\.(png|jpe?g|gif|bmp|tiff?)$/i, '.picture')
