/** Finds archives whose compressed bytes must stay, because a signature or an index covers them. */
import { latin1Of } from '../../bytes/latin1.ts'
import type { ZipArchive } from '../../containers/zip/read.ts'
import { message } from '../../i18n/message.ts'
import type { Outcome } from '../../model/codec.ts'

/** End of the signing block of Android (APK Signature Scheme v2 and later), which stands in front of the central directory. */
const APK_BLOCK_END = 'APK Sig Block 42'
/** Members of signatures over the bytes of the archive: NuGet (.signature.p7s), Windows apps (block map with compressed sizes). */
const ARCHIVE_SIGNATURE = /^(?:\.signature\.p7s|AppxSignature\.p7x|AppxBlockMap\.xml|AppxMetadata\/CodeIntegrity\.cat)$/i
/** Starts of programs: Windows, ELF. A signature of the program may cover the archive behind it. */
const PROGRAM = /^(?:MZ|\x7fELF)/

/** Returns the outcome of an archive that must stay as it is. `undefined`: none. Signatures of JAR and XPI cover contents only. */
export async function findObstacle(archive: ZipArchive): Promise<Outcome | undefined> {
  const directoryAt = archive.physical.at(-1)?.limit ?? archive.prefixBytes
  const before = await archive.source.read(Math.max(0, directoryAt - APK_BLOCK_END.length), Math.min(directoryAt, APK_BLOCK_END.length))
  if (latin1Of(before) === APK_BLOCK_END) return { kind: 'unchanged', reason: 'signed', detail: message('apk_signing_block') }
  const signature = archive.entries.find(({ name }) => ARCHIVE_SIGNATURE.test(name))
  if (signature) return { kind: 'unchanged', reason: 'signed', detail: message('archive_signature', { name: signature.name }) }
  if (archive.prefixBytes > 0 && PROGRAM.test(latin1Of(await archive.source.read(0, 4))))
    return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('program_in_front_of_archive') }
  return undefined
}
