/** Common names of tags, so that tags compare between containers: `title` is `©nam` in MP4, `TIT2` in ID3 and `INAM` in RIFF. */

/** Name by the key of its container. */
type Names = { readonly [key: string]: string | undefined }

/** iTunes items and QuickTime user data (four characters; `©` is the byte 0xA9). */
const ITUNES: Names = {
  '©nam': 'title',
  '©ART': 'artist',
  '©alb': 'album',
  '©cmt': 'comment',
  '©day': 'date',
  '©gen': 'genre',
  '©wrt': 'composer',
  '©grp': 'grouping',
  '©lyr': 'lyrics',
  '©xyz': 'location',
  '©mak': 'make',
  '©mod': 'model',
  '©swr': 'software',
  '©cpy': 'copyright',
  '©des': 'description',
  aART: 'album_artist',
  cprt: 'copyright',
  desc: 'description',
  trkn: 'track',
  disk: 'disc',
}
/** ID3v2 frames. Version 2.2 has names of three characters. */
const ID3: Names = {
  TIT2: 'title',
  TT2: 'title',
  TPE1: 'artist',
  TP1: 'artist',
  TPE2: 'album_artist',
  TP2: 'album_artist',
  TCOM: 'composer',
  TCM: 'composer',
  TALB: 'album',
  TAL: 'album',
  TCON: 'genre',
  TCO: 'genre',
  TRCK: 'track',
  TRK: 'track',
  TPOS: 'disc',
  TPA: 'disc',
  TSRC: 'isrc',
  TRC: 'isrc',
  TDRC: 'date',
  TYER: 'date',
  TYE: 'date',
  TCOP: 'copyright',
  TCR: 'copyright',
  TLAN: 'language',
  TLA: 'language',
  TENC: 'encoded_by',
  TEN: 'encoded_by',
  TSSE: 'encoder',
  TSS: 'encoder',
}
/** Entries of `LIST INFO` (Multimedia Programming Interface 1.0, chapter 2). */
const INFO: Names = {
  IART: 'artist',
  ICMT: 'comment',
  ICOP: 'copyright',
  ICRD: 'date',
  IGNR: 'genre',
  ILNG: 'language',
  INAM: 'title',
  IPRD: 'album',
  IPRT: 'track',
  ITRK: 'track',
  ISFT: 'encoder',
  ISMP: 'timecode',
  ITCH: 'encoded_by',
}
/** Vorbis comments and APE items whose name is another one. */
const OTHER: Names = { tracknumber: 'track', albumartist: 'album_artist', discnumber: 'disc', year: 'date' }

const nameIn = (names: Names) => (key: string) => names[key] ?? key.toLowerCase()
export const itunesName = nameIn(ITUNES)
export const id3Name = nameIn(ID3)
export const infoName = nameIn(INFO)
export const commentName = (key: string): string => OTHER[key.toLowerCase()] ?? key.toLowerCase()

/** Tags that name the program which wrote the file. A new file has another one, so they are no content. */
const WRITERS = ['encoder', '©too', '©enc', 'encoding_tool']
export const isWriterTag = (name: string): boolean => WRITERS.includes(name)
