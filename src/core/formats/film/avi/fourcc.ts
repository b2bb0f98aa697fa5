/** FFmpeg decoders by the FourCC of an AVI stream, in capital letters. */
const DECODERS: { readonly [fourcc: string]: string } = {
  XVID: 'mpeg4',
  DIVX: 'mpeg4',
  DX50: 'mpeg4',
  FMP4: 'mpeg4',
  MP4V: 'mpeg4',
  MP4S: 'mpeg4',
  '3IV2': 'mpeg4',
  DIV3: 'msmpeg4',
  DIV4: 'msmpeg4',
  MP43: 'msmpeg4',
  MP42: 'msmpeg4v2',
  MPG4: 'msmpeg4v1',
  MJPG: 'mjpeg',
  AVRN: 'mjpeg',
  DMB1: 'mjpeg',
  H264: 'h264',
  X264: 'h264',
  AVC1: 'h264',
  DAVC: 'h264',
  HEVC: 'hevc',
  DVSD: 'dvvideo',
  DVCP: 'dvvideo',
  DV25: 'dvvideo',
  DV50: 'dvvideo',
  HFYU: 'huffyuv',
  FFVH: 'ffvhuff',
  FFV1: 'ffv1',
  ULY0: 'utvideo',
  ULY2: 'utvideo',
  ULRG: 'utvideo',
  CVID: 'cinepak',
  CRAM: 'msvideo1',
  MSVC: 'msvideo1',
  MPG1: 'mpeg1video',
  MPG2: 'mpeg2video',
  H263: 'h263',
  '\0\0\0\0': 'rawvideo',
  I420: 'rawvideo',
  IYUV: 'rawvideo',
  YV12: 'rawvideo',
  YUY2: 'rawvideo',
  UYVY: 'rawvideo',
}

export const decoderOf = (fourcc: string): string | undefined => DECODERS[fourcc.toUpperCase()]

const INTRA_ONLY = new Set(['mjpeg', 'dvvideo', 'huffyuv', 'ffvhuff', 'utvideo', 'rawvideo'])

/** True if a decoder's every picture is a key frame, even if the index does not mark it. */
export const isIntraOnly = (decoder: string): boolean => INTRA_ONLY.has(decoder)
