/** The interface of a bucket of another service, such as Amazon S3 or Azure Blob Storage. Each implementation throws `BucketError`. */

/** Longest key of an object in bytes of UTF-8 (S3 API, "Object key naming"). */
export const MAX_KEY_BYTES = 1024
/** Most objects of a page of a list. */
export const MAX_PAGE_OBJECTS = 1000

export interface ObjectFacts {
  /** Size in bytes. */
  readonly size: number
  /** Entity tag without its quotes. It changes whenever the content does. */
  readonly etag: string
  /** Time of the last change in epoch milliseconds. */
  readonly modified: number
}

export interface ObjectEntry extends ObjectFacts {
  readonly key: string
}

export interface ObjectPage {
  readonly objects: readonly ObjectEntry[]
  /** Cursor of the next page. `undefined`: this is the last page. */
  readonly next?: string
}

export interface ListOptions {
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string | undefined
  /** Most objects of the page. Default: `MAX_PAGE_OBJECTS`. */
  readonly limit?: number
}

export interface ReadRange {
  /** Offset of the first byte. */
  readonly offset: number
  /** Entity tag that the object must still have. */
  readonly etag: string
}

export interface ObjectBody extends ObjectFacts {
  /**
   * Bytes from the offset to the end. The stream fails when the signal of the store aborts. It may end early if the connection breaks, so
   * the reader compares its length with `size`.
   */
  readonly body: ReadableStream<Uint8Array>
  /** Media type that the bucket stores with the object. `undefined`: none. */
  readonly contentType?: string
}

/** Headers that a bucket stores with an object and returns with each download. */
export interface ObjectHeaders {
  readonly contentType: string
  readonly contentDisposition?: string
}

/** Objects of a bucket by key. Keys are any text of 1 to `MAX_KEY_BYTES` bytes, and arrive unchanged. */
export interface ObjectStore {
  /** Lists the objects whose keys begin with `prefix`, in pages of bounded size. `''`: all objects. */
  list(prefix: string, options?: ListOptions): Promise<ObjectPage>
  /** `undefined`: there is no such object. */
  head(key: string): Promise<ObjectFacts | undefined>
  /**
   * Opens an object, or the rest of it.
   * @throws BucketError `missing_object`, or `changed` if the object no longer has the entity tag of `range`
   */
  read(key: string, range?: ReadRange): Promise<ObjectBody>
  /**
   * Stores an object by one request, which is not repeated: the caller opens the stream again. An object of this key is replaced.
   * @param size exact number of bytes of `body`
   * @returns the entity tag of the stored object
   */
  write(key: string, body: ReadableStream<Uint8Array>, size: number, headers: ObjectHeaders): Promise<{ readonly etag: string }>
  /** Deletes an object. Resolves as well if there is none. */
  remove(key: string): Promise<void>
}

/** What went wrong with a bucket. */
export type BucketTrouble =
  /** The credentials are wrong, revoked, or do not permit this. */
  | 'unauthorised'
  | 'missing_bucket'
  | 'missing_object'
  /** The object no longer has the expected entity tag. */
  | 'changed'
  /** The server was overloaded or failed (429, 5xx), also at the last try. */
  | 'busy'
  /** The server did not answer, or the connection failed. */
  | 'unreachable'
  /** The guard of outgoing addresses does not allow the address of the bucket. */
  | 'unsafe_address'
  /** The answer is not one of the protocol. */
  | 'malformed'
  /** The object has a `Content-Encoding`, so its bytes are not those of a file. */
  | 'encoded'
  /** The key cannot be sent: empty, too long, or not valid Unicode. */
  | 'unusable_key'
  /** The server refused the request for another reason, such as a wrong region. */
  | 'refused'
  /** The account has no connection with this name. */
  | 'missing_connection'
  /** The stored credentials cannot be decrypted, because the secret of the service was changed. */
  | 'unreadable_credentials'

/** Kinds that may end without a change of the connection, so that a later try makes sense. */
export const PASSING_TROUBLES: readonly BucketTrouble[] = ['busy', 'unreachable']

export interface BucketAnswer {
  /** HTTP status of the answer. `undefined`: there was none. */
  readonly status?: number
  /** Error code of the server, such as `SignatureDoesNotMatch`: up to 64 letters and digits. `undefined`: it named none. */
  readonly code?: string | undefined
  /** Pause that the server demands before the next try, in milliseconds. Default: 0. */
  readonly retryAfterMs?: number
}

export class BucketError extends Error {
  override readonly name = 'BucketError'
  readonly trouble: BucketTrouble
  readonly status: number | undefined
  readonly code: string | undefined
  readonly retryAfterMs: number

  constructor(trouble: BucketTrouble, { status, code, retryAfterMs = 0 }: BucketAnswer = {}) {
    super([trouble, ...(status === undefined ? [] : [`status ${status}`]), ...(code === undefined ? [] : [code])].join(', '))
    this.trouble = trouble
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }

  /** True if a later try may succeed. */
  get isPassing(): boolean {
    return PASSING_TROUBLES.includes(this.trouble)
  }
}
