"""
Compares .laz files with their .las originals by two independent LAZ coders: LASzip (C++) and laz-rs (Rust).
Both must decode every point record to the same bytes. If they can encode the point format, they must write the same chunks and
the same chunk table.

    pip install laszip lazrs
    python3 laz.py FOLDER        # pairs a.las, a.laz
"""
import io
import struct
import sys
from pathlib import Path

import laszip
import lazrs


def header(las: bytes):
    """Returns: offset of the points, point format, record length, number of points, header size, number of VLRs."""
    offset, = struct.unpack_from("<I", las, 96)
    wide = las[25] >= 4
    count, = struct.unpack_from("<Q", las, 247) if wide else struct.unpack_from("<I", las, 107)
    size, = struct.unpack_from("<H", las, 105)
    return offset, las[104] & 0x3F, size, count, struct.unpack_from("<H", las, 94)[0], struct.unpack_from("<I", las, 100)[0]


def laszip_record(laz: bytes) -> bytes:
    _, _, _, _, at, vlrs = header(laz)
    for _ in range(vlrs):
        length, = struct.unpack_from("<H", laz, at + 20)
        if laz[at + 2:at + 16] == b"laszip encoded":
            return laz[at + 54:at + 54 + length]
        at += 54 + length
    raise ValueError("no LASzip record")


def points_of(las: bytes) -> bytes:
    offset, _, size, count, _, _ = header(las)
    return las[offset:offset + size * count]


def coded_of(laz: bytes, trailing: int) -> bytes:
    """Returns the chunks and the chunk table, without the pointer to the table."""
    return laz[header(laz)[0] + 8:len(laz) - trailing]


def by_laszip(las: bytes, laz: bytes):
    points = points_of(las)
    out = bytearray(len(points))
    laszip.LasUnZipper(io.BytesIO(laz)).decompress_into(out)
    yield "LASzip reads", bytes(out) == points
    # The coder gets a header without VLRs, because it does not need their contents.
    offset, _, _, _, head, _ = header(las)
    plain = bytearray(las[:head])
    struct.pack_into("<II", plain, 96, head, 0)
    for at in ((227, 235) if las[25] >= 4 else (227,) if las[25] == 3 else ()):
        struct.pack_into("<Q", plain, at, 0)
    written = io.BytesIO()
    zipper = laszip.LasZipper(written, bytes(plain))
    zipper.compress(points)
    zipper.done()
    trailing = len(las) - offset - len(points)
    yield "LASzip writes the same", coded_of(written.getvalue(), 0) == coded_of(laz, trailing)


def by_lazrs(las: bytes, laz: bytes):
    points = points_of(las)
    out = bytearray(len(points))
    source = io.BytesIO(laz)
    source.seek(header(laz)[0])
    lazrs.LasZipDecompressor(source, laszip_record(laz)).decompress_many(out)
    yield "laz-rs reads", bytes(out) == points
    offset, form, size, _, _, _ = header(las)
    if form in (9, 10):
        return  # laz-rs 0.8 and LASzip write different wave packet layers, but each reads the other's
    base = (20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67)[form]
    vlr = lazrs.LazVlr.new_for_compression(form, size - base)
    written = io.BytesIO()
    compressor = lazrs.LasZipCompressor(written, vlr)
    compressor.compress_many(points)
    compressor.done()
    trailing = len(las) - offset - len(points)
    yield "laz-rs writes the same", written.getvalue()[8:] == coded_of(laz, trailing)


def main() -> int:
    failures = files = 0
    for path in sorted(Path(sys.argv[1]).glob("*.las")):
        las, laz = path.read_bytes(), path.with_suffix(".laz").read_bytes()
        verdicts = []
        for check in (by_laszip, by_lazrs):
            try:
                verdicts += check(las, laz)
            except Exception as problem:  # the coders' exceptions have no common base class
                verdicts.append((f"{check.__name__}: {type(problem).__name__}: {problem}", False))
        files += 1
        failures += any(not good for _, good in verdicts)
        for what, good in verdicts:
            if not good:
                print(f"{path.name}: not true: {what}")
    print(f"{files} files, {failures} with a difference")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
