"""Compares an original and its result with independent readers.

Reads lines of JSON (`paths`, `format`, `output`, `lossless`) and writes one verdict per line: `agrees`, `disagrees` with `why`, or
`none`. `none` means that no reader is installed, or that the reader rejects the original.
"""
import email
import email.policy
import gzip
import io
import json
import math
import subprocess
import sys
import warnings
import zipfile

warnings.simplefilter("ignore")

SECONDS = 20
# Lowest accepted PSNR in dB. It is below the quality floor of 30 dB, because decoders and scalers differ slightly.
LEAST_PSNR_DB = 26
PAGES = 3


class NoReader(Exception):
    """No installed reader supports the format."""


class Differs(Exception):
    """The contents of original and result differ."""


def numpy():
    try:
        import numpy as module
    except ImportError as error:
        raise NoReader("numpy") from error
    return module


def run(*command, complaints=True):
    """Returns the output of a program. Raises ValueError if it fails or writes to standard error."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except FileNotFoundError as error:
        raise NoReader(command[0]) from error
    if done.returncode != 0 or (complaints and done.stderr.strip()):
        raise ValueError(f"{command[0]}: {done.stderr.decode(errors='replace').strip()[:200]}")
    return done.stdout


def psnr(one, other):
    np = numpy()
    error = np.mean((one.astype("f8") - other.astype("f8")) ** 2)
    return math.inf if error == 0 else 10 * math.log10(255**2 / error)


def near(one, other, what):
    if one.shape != other.shape:
        raise Differs(f"{what}: {one.shape} became {other.shape}")
    found = psnr(one, other)
    if found < LEAST_PSNR_DB:
        raise Differs(f"{what}: PSNR {found:.1f} dB")


def same(one, other, what):
    np = numpy()
    if one.shape != other.shape or one.dtype != other.dtype:
        raise Differs(f"{what}: {one.dtype}{one.shape} became {other.dtype}{other.shape}")
    if one.tobytes() != other.tobytes() and not (one.dtype.kind in "iufc" and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")):
        raise Differs(f"{what}: values")


# Pictures


def frames(path):
    """Returns frames as arrays with their durations. Fully transparent pixels are set to black."""
    np = numpy()
    try:
        from PIL import Image, ImageOps, ImageSequence
    except ImportError as error:
        raise NoReader("Pillow") from error
    found = []
    with Image.open(path) as image:
        for frame in ImageSequence.Iterator(image):
            duration = frame.info.get("duration", 0)
            if frame.mode in ("I;16", "I;16B", "I", "F"):
                pixels = np.asarray(frame)
            else:
                pixels = np.array(ImageOps.exif_transpose(frame).convert("RGBA"))
                pixels[pixels[..., 3] == 0] = 0
            if found and found[-1][0].shape == pixels.shape and duration and (found[-1][0] == pixels).all():
                found[-1] = (pixels, found[-1][1] + duration)
            else:
                found.append((pixels, duration))
    return found


def pictures(one, other, lossless):
    if len(one) != len(other):
        raise Differs(f"{len(one)} frames became {len(other)}")
    for i, ((before, time), (after, then)) in enumerate(zip(one, other)):
        if lossless:
            same(before, after, f"frame {i}")
        else:
            # Translucent pictures are compared on black and on white.
            near(over(before, 0), over(after, 0), f"frame {i}")
            near(over(before, 255), over(after, 255), f"frame {i} over white")
        # The duration of a single picture is invisible, and JPEG cannot store it.
        if len(one) > 1 and time != then:
            raise Differs(f"frame {i}: {time} ms became {then}")


def over(pixels, ground):
    if pixels.ndim != 3 or pixels.shape[2] != 4:
        return pixels
    alpha = pixels[..., 3:].astype("f8") / 255
    return pixels[..., :3] * alpha + ground * (1 - alpha)


def drawing(path):
    import PIL.Image

    np = numpy()
    png = run("rsvg-convert", "-w", "256", "-h", "256", "--keep-aspect-ratio", path)
    return over(np.asarray(PIL.Image.open(io.BytesIO(png)).convert("RGBA")), 255)


# Documents


def pages(path):
    """Returns the number of pages, the first pages rendered in grey, and the text of all pages."""
    import PIL.Image

    np = numpy()
    run("qpdf", "--check", path)
    count = int(run("qpdf", "--show-npages", path))
    found = []
    for page in range(1, min(count, PAGES) + 1):
        grey = run("pdftoppm", "-r", "50", "-gray", "-f", str(page), "-l", str(page), path)
        found.append(np.asarray(PIL.Image.open(io.BytesIO(grey))))
    return count, found, run("pdftotext", path, "-")


def documents(one, other):
    if one[0] != other[0]:
        raise Differs(f"{one[0]} pages became {other[0]}")
    for i, (before, after) in enumerate(zip(one[1], other[1])):
        near(before, after, f"page {i + 1}")
    if one[2] != other[2]:
        raise Differs("the text of the pages differs")


def entries(path):
    with zipfile.ZipFile(path) as archive:
        return [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("/")]


def is_picture(name):
    return name.lower().endswith((".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".svg", ".emf", ".wmf", ".mp3", ".wav", ".mp4", ".pdf"))


def packages(one, other):
    """Compares entries. Unreferenced media may be missing; the receipt has a step about them."""
    before, after = dict(one), dict(other)
    changed = [name for name in before.keys() ^ after.keys() if name in after or not is_picture(name)]
    if changed:
        raise Differs(f"entries: {sorted(changed)[:5]}")
    for name, content in before.items():
        if not is_picture(name) and content != after[name] and canonical(content) != canonical(after[name]):
            raise Differs(f"content of {name}")


def canonical(content):
    try:
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        return etree.tostring(etree.fromstring(content, parser), method="c14n")
    except Exception:
        return content


def mail(path):
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    parts = []
    for part in message.walk():
        if part.defects:
            raise ValueError(f"{part.defects}")
        payload = None if part.is_multipart() else part.get_payload(decode=True)
        parts.append((part.get_content_type(), None if part.get_content_maintype() == "image" else payload))
    return parts


# Sound and films


def sound(path, rate=None):
    np = numpy()
    more = ["-ac", "1", "-ar", str(rate)] if rate else []
    raw = run("ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:a:0", *more, "-f", "s16le", "-")
    return np.frombuffer(raw, "<i2").astype("f8")


def level(samples):
    np = numpy()
    return 20 * math.log10(max(1e-3, math.sqrt(np.mean(samples**2)))) if len(samples) else -60


def sounds(one, other):
    """Compares loudness and length only, because the sound may be lossy."""
    if abs(len(one) - len(other)) > 0.02 * len(one) + 4000:
        raise Differs(f"{len(one)} samples became {len(other)}")
    if abs(level(one) - level(other)) > 3 and max(level(one), level(other)) > 20:
        raise Differs(f"sound of {level(one):.1f} dB became {level(other):.1f} dB")


def has(path, kind):
    return run("ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", "stream=index", "-of", "csv=p=0", path).strip() != b""


def film(path):
    np = numpy()
    kinds = [kind for kind in "va" if has(path, kind)]
    raw = b""
    if "v" in kinds:
        raw = run("ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-vf", "scale=64:64", "-pix_fmt", "gray", "-vsync", "0", "-f", "rawvideo", "-")
    return kinds, np.frombuffer(raw, "u1").reshape(-1, 64, 64), sound(path, 8000) if "a" in kinds else None


def films(one, other):
    if one[0] != other[0]:
        raise Differs(f"tracks {one[0]} became {other[0]}")
    if len(one[1]) != len(other[1]):
        raise Differs(f"{len(one[1])} frames became {len(other[1])}")
    if len(one[1]):
        near(one[1], other[1], "frames")
    if one[2] is not None:
        sounds(one[2], other[2])


# Numbers


def scientific(path):
    try:
        import h5py
    except ImportError as error:
        raise NoReader("h5py") from error
    found = {}
    with h5py.File(path, "r") as file:

        def visit(name, item):
            attributes = {key: str(value) for key, value in item.attrs.items()}
            values = None
            if isinstance(item, h5py.Dataset) and item.shape is not None and item.size < 5_000_000:
                values = str(item[()].tolist()) if item.dtype.kind == "O" else item[()]
            found[name] = (attributes, values)

        visit("/", file)
        file.visititems(visit)
    return found


def datasets(one, other):
    np = numpy()
    if one.keys() != other.keys():
        raise Differs(f"objects: {sorted(one.keys() ^ other.keys())[:5]}")
    for name, (attributes, values) in one.items():
        if attributes != other[name][0]:
            raise Differs(f"attributes of {name}")
        if values is not None:
            same(np.asarray(values), np.asarray(other[name][1]), name)


def points(path):
    try:
        import laspy
    except ImportError as error:
        raise NoReader("laspy") from error
    cloud = laspy.read(path)
    return cloud.points.array, [(vlr.user_id, vlr.record_id, vlr.record_data_bytes()) for vlr in cloud.header.vlrs if vlr.user_id != "laszip encoded"]


def clouds(one, other):
    same(one[0], other[0], "points")
    if one[1] != other[1]:
        raise Differs("the variable length records differ")


def image_set(path):
    try:
        import pydicom
    except ImportError as error:
        raise NoReader("pydicom") from error
    data = pydicom.dcmread(path)
    try:
        pixels = data.pixel_array if "PixelData" in data else None
    except RuntimeError as error:
        # No installed decoder supports the transfer syntax.
        raise (NoReader if "missing required dependencies" in str(error) else ValueError)(str(error)) from error
    elements = {str(item.tag): str(item.value) for item in data if item.tag != (0x7FE0, 0x10)}
    return elements, pixels


def image_sets(one, other, lossless):
    np = numpy()
    changed = [tag for tag in one[0].keys() | other[0].keys() if one[0].get(tag) != other[0].get(tag)]
    # Differences that are allowed: elements about lossy compression (PS3.3 C.7.6.1.1.5), and padding.
    if lossless and changed and not set(changed) <= {"(0028, 0004)", "(0028, 0006)", "(fffc, fffc)", "(FFFC, FFFC)"}:
        raise Differs(f"elements {sorted(changed)[:5]}")
    if (one[1] is None) != (other[1] is None):
        raise Differs("only one of the files has pixels")
    if one[1] is not None and lossless:
        same(np.asarray(one[1]), np.asarray(other[1]), "pixels")


def unpacked(path, output):
    if output == "zst":
        return run("zstd", "-d", "-c", "-q", path)
    if output == "br":
        return run("brotli", "-d", "-c", path)
    with gzip.open(path) as file:
        return file.read()


def plain(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def equal(one, other, what):
    if one != other:
        raise Differs(what)


def judged(read, compare, one, other):
    """Raises NoReader if the original cannot be read, and Differs if only the result cannot be read."""
    try:
        before = read(one)
    except NoReader:
        raise
    except BaseException as error:
        raise NoReader(str(error)) from error
    try:
        after = read(other)
    except NoReader:
        raise
    except BaseException as error:
        raise Differs(f"the result cannot be read: {type(error).__name__} {error}"[:300]) from error
    compare(before, after)


PICTURES = {"png", "jpg", "gif", "bmp", "tiff", "geotiff", "webp"}
PACKAGES = {"docx", "xlsx", "pptx", "epub", "kmz", "ofd", "shapefile"}


def judge(one, other, request):
    source, output, lossless = request["format"], request["output"], request["lossless"]
    if output in ("zst", "br", "gz"):
        return equal(open(one, "rb").read(), unpacked(other, output), "bytes in the wrapper")
    if output == "nii.gz":
        return equal(plain(one), plain(other), "bytes of the volume")
    if output in PICTURES:
        return judged(frames, lambda a, b: pictures(a, b, lossless), one, other)
    if output == "svg":
        return judged(drawing, lambda a, b: near(a, b, "drawing"), one, other)
    if output == "pdf":
        return judged(pages, documents, one, other)
    if output in PACKAGES:
        return judged(entries, packages, one, other)
    if output == "eml":
        return judged(mail, lambda a, b: equal(a, b, "parts"), one, other)
    if output in ("wav", "flac", "mp3") and lossless:
        return judged(sound, lambda a, b: same(a, b, "samples"), one, other)
    if output in ("wav", "flac", "mp3"):
        return judged(sound, sounds, one, other)
    if output in ("mp4", "mov", "avi"):
        return judged(film, films, one, other)
    if output in ("hdf5", "netcdf"):
        return judged(scientific, datasets, one, other)
    if output == "laz":
        return judged(points, clouds, one, other)
    if output == "dicom":
        return judged(image_set, lambda a, b: image_sets(a, b, lossless), one, other)
    raise NoReader(f"{source} as {output}")


for line in sys.stdin:
    asked = json.loads(line)
    try:
        judge(*asked["paths"], asked)
        answer = {"kind": "agrees"}
    except NoReader as reason:
        answer = {"kind": "none", "why": str(reason)}
    except Differs as difference:
        answer = {"kind": "disagrees", "why": str(difference)}
    except Exception as error:
        answer = {"kind": "none", "why": f"{type(error).__name__} {error}"}
    print(json.dumps(answer), flush=True)
