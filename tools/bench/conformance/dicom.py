"""
Compares DICOM originals with Whittle's results, both decoded by DCMTK, GDCM and pydicom: Pixel Data byte by byte, pydicom's
array of samples, and all other elements. A toolkit that cannot open the original is ignored.

    apt-get install dcmtk libgdcm-tools; pip install pydicom pyjpegls
    python3 dicom.py FOLDER        # pairs a.before.dcm, a.after.dcm
"""
import hashlib
import io
import logging
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pydicom

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
JPEG_LS = "1.2.840.10008.1.2.4.80"
OF_THE_SYNTAX = {(0x0002, 0x0010), (0x0002, 0x0000)}
PLANAR = (0x0028, 0x0006)


def read(path: Path) -> pydicom.Dataset:
    """Reads a file. Without a preamble, up to 15 bytes may precede the first element; pydicom does not skip them."""
    raw = path.read_bytes()
    starts = [at for at in range(1, 16) if raw[at:at + 4] == b"\x08\0\x05\0"] if raw[128:132] != b"DICM" else []
    return pydicom.dcmread(io.BytesIO(raw[starts[0]:]) if starts else path, force=True)


def pixels_of(path: Path) -> bytes:
    """Returns the Pixel Data of an uncompressed file, interleaved by pixel, as little-endian words."""
    dataset = read(path)
    if "PixelData" not in dataset or "BitsAllocated" not in dataset:
        return b""
    data = dataset.PixelData
    width, samples = int(dataset.BitsAllocated) // 8, int(dataset.get("SamplesPerPixel", 1))
    if samples == 1 or not int(dataset.get("PlanarConfiguration", 0)) or not width:
        return data.rstrip(b"\0")
    plane = int(dataset.Rows) * int(dataset.Columns) * width
    out = bytearray(len(data) // (plane * samples) * plane * samples)
    for frame in range(0, len(out), plane * samples):
        for sample in range(samples):
            for byte in range(width):
                part = data[frame + sample * plane + byte:frame + (sample + 1) * plane:width]
                out[frame + sample * width + byte:frame + plane * samples:samples * width] = part
    return bytes(out).rstrip(b"\0")


def by_tool(command: list[str], path: Path) -> bytes | str:
    """Returns the Pixel Data written by a toolkit's converter, or its error message."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.dcm")
        done = subprocess.run([*command, str(path), str(made)], capture_output=True, timeout=120)
        if done.returncode or not made.exists() or made.stat().st_size < 132:
            lines = [line for line in (done.stderr + done.stdout).decode("utf-8", "replace").splitlines() if line.strip()]
            return lines[0][:120] if lines else f"exit status {done.returncode}"
        return pixels_of(made)


def dcmtk(path: Path) -> bytes | str:
    syntax = str(getattr(read(path).file_meta, "TransferSyntaxUID", ""))
    packed = {JPEG_LS: "dcmdjpls", "1.2.840.10008.1.2.5": "dcmdrle"}.get(syntax)
    return by_tool([packed or ("dcmdjpeg" if ".1.2.4." in syntax else "dcmconv"), "+te"], path)


def gdcm(path: Path) -> bytes | str:
    return by_tool(["gdcmconv", "--raw"], path)


def with_pydicom(path: Path) -> bytes | str:
    """Returns a hash of the samples decoded by pydicom, or its error message."""
    try:
        dataset = read(path)
        if dataset.BitsAllocated == 1 and getattr(dataset, "is_little_endian", True) is False:
            return "pydicom does not swap the bytes of one-bit samples (PS3.5, 7.3); DCMTK does"
        array = dataset.pixel_array
        array = array.astype(array.dtype.newbyteorder("<"))
    except Exception as problem:  # each decoder has its own exception classes
        return f"{type(problem).__name__}: {str(problem)[:100]}"
    return hashlib.sha256(array.tobytes()).digest() + str((array.shape, array.dtype)).encode()


def elements(path: Path) -> dict:
    """Returns the values of all elements except Pixel Data and those that depend on the transfer syntax."""
    dataset = read(path)
    found: dict = {}
    is_swapped = getattr(dataset, "is_little_endian", True) is False

    def walk(items, place):
        for element in items:
            name = (*place, (element.tag.group, element.tag.element))
            if name[-1] in OF_THE_SYNTAX or name == ((0x7FE0, 0x0010),):
                continue
            if element.tag.element == 0:
                found[name] = "a group length"
                continue
            if element.VR == "SQ":
                found[name] = len(element.value)
                for number, item in enumerate(element.value):
                    walk(item, (*name, number))
            elif name != (PLANAR,):
                value = element.value
                if is_swapped and element.VR == "OW":  # pydicom does not swap the bytes of words in big-endian files
                    value = bytes(byte for i in range(0, len(value), 2) for byte in (value[i + 1], value[i]))
                found[name] = str(value)
    walk(dataset.file_meta, ())
    walk(dataset, ())
    return found


def main() -> int:
    toolkits = {"DCMTK": dcmtk, "GDCM": gdcm, "pydicom": with_pydicom}
    for name, program in (("DCMTK", "dcmdjpls"), ("GDCM", "gdcmconv")):
        if not shutil.which(program):
            print(f"{program} of {name} is not installed")
            return 1
    opened = dict.fromkeys(toolkits, 0)
    wrong = files = 0
    for before in sorted(Path(sys.argv[1]).glob("*.before.dcm")):
        name, after = before.name.removesuffix(".before.dcm"), before.with_name(before.name.replace(".before.", ".after."))
        files += 1
        mistakes = []
        for toolkit, decode in toolkits.items():
            original, result = decode(before), decode(after)
            if isinstance(original, str):
                continue
            opened[toolkit] += 1
            if original != result:
                mistakes.append(f"{toolkit}: {result if isinstance(result, str) else 'other samples'}")
        changed = [key for key, value in elements(before).items() if elements(after).get(key) != value]
        if changed:
            mistakes.append(f"elements: {changed[:3]}")
        wrong += bool(mistakes)
        if mistakes or "-v" in sys.argv:
            sizes = f"{before.stat().st_size} -> {after.stat().st_size}"
            print(f"{name}: {sizes} {'; '.join(mistakes) or read(after).file_meta.TransferSyntaxUID.name}")
    print(f"{files} results, {wrong} wrong; originals that open: {', '.join(f'{name} {count}' for name, count in opened.items())}")
    return 1 if wrong or not files else 0


sys.exit(main())
