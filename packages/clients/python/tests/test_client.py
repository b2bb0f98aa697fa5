"""Tests through a proxy that breaks each kind of request once. `npm run conformance -- clients` starts
the proxy and these tests.
"""

import asyncio
import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from whittle_app import (
    ApiError,
    AsyncWhittle,
    DamagedError,
    SignatureError,
    Task,
    TaskFailedError,
    UnreachableError,
    Whittle,
    image_url,
    verify_callback,
)

ROOT = Path(__file__).parents[4]
PHOTO = ROOT / "docs/photo.jpg"
PROXY_URL, KEY = os.environ["WHITTLE_PROXY"], os.environ["WHITTLE_KEY"]
SOURCE = "photos/Café & Bar/50 % #1?.png"
TEXT = b"the quick brown fox jumps over the lazy dog\n" * 400


class SyncWrapper:
    """AsyncWhittle with the interface of Whittle, so that the same tests run for both."""

    def __init__(self, base_url: str, key: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._inner = AsyncWhittle(base_url, key)

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **named: self._loop.run_until_complete(getattr(self._inner, name)(*args, **named))


@pytest.fixture(params=[Whittle, SyncWrapper], ids=["sync", "async"])
def whittle(request: pytest.FixtureRequest) -> Any:
    client = request.param(PROXY_URL, KEY)
    yield client
    client.close()


def test_retries_after_failures_and_creates_one_task(whittle: Any) -> None:
    task = whittle.compress(PHOTO, quality="low")
    assert isinstance(task, Task) and task.receipt and task.receipt.verified and task.quality == "low"
    result = whittle.download(task)
    assert len(result) == task.compressed_size < PHOTO.stat().st_size / 2
    assert task.task_id in [one.task_id for one in whittle.tasks()]
    assert whittle.receipt(task.task_id).count(".") == 2
    assert whittle.remove(task.task_id)["deleted"] is True
    with pytest.raises(ApiError) as refused:
        whittle.task(task.task_id)
    assert (refused.value.status, refused.value.type) == (404, "unknown_task")


def test_uploads_a_large_file_in_chunks_and_saves_its_result(whittle: Any, tmp_path: Path) -> None:
    content = TEXT * 2000
    large, seen = tmp_path / "large.txt", []
    large.write_bytes(content)
    task = whittle.compress(large, format="gz", on_progress=lambda one: seen.append(one.progress))
    assert (task.file_name, task.original_size) == ("large.txt", len(content))
    whittle.save(task, tmp_path / "large.txt.gz")
    assert gzip.decompress((tmp_path / "large.txt.gz").read_bytes()) == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.txt", "large.txt.gz"]


def test_compresses_in_one_line_and_leaves_no_task(tmp_path: Path) -> None:
    with Whittle(os.environ["WHITTLE_SERVER"], KEY) as whittle:
        task = whittle.from_file(PHOTO, quality="low").to_file(tmp_path / "small.jpg")
        assert (tmp_path / "small.jpg").stat().st_size == task.compressed_size
        assert len(whittle.from_file(PHOTO, quality="low").to_bytes()) == task.compressed_size
        with pytest.raises(ApiError):
            whittle.task(task.task_id)


def test_raises_a_specific_error_for_each_failure(whittle: Any, tmp_path: Path) -> None:
    damaged = whittle.compress(TEXT, name="damaged.txt")
    with pytest.raises(DamagedError):
        whittle.download(damaged)
    with pytest.raises(DamagedError):
        whittle.save(damaged, tmp_path / "damaged")
    assert list(tmp_path.iterdir()) == []
    with PHOTO.open("rb") as file, pytest.raises(TaskFailedError) as failed:
        whittle.compress(file, target_size=100)
    assert failed.value.type == "target_unreachable" and failed.value.task.file_name == "photo.jpg"
    with pytest.raises(ApiError) as refused:
        whittle.submit(b"\x01\x02\x03")
    assert (refused.value.status, refused.value.type) == (400, "unsupported_format")
    with pytest.raises(UnreachableError):
        type(whittle)("http://127.0.0.1:8", KEY).usage()


def test_accepts_a_genuine_callback_and_refuses_forged_ones() -> None:
    output = json.loads(Path(os.environ["WHITTLE_CALLBACK"]).read_text())
    secret, headers, body = output["secret"], output["headers"], output["body"].encode()
    assert verify_callback(secret, headers, body)["data"]["file_name"] == "called.txt"
    for wrong in (
        (secret, headers, body.replace(b"called", b"forged")),
        ("whsec_AAAA", headers, body),
        (secret, {**headers, "webhook-timestamp": "1700000000"}, body),
    ):
        with pytest.raises(SignatureError):
            verify_callback(*wrong)


def test_saves_the_results_of_a_batch_as_one_zip(whittle: Any, tmp_path: Path) -> None:
    whittle.save_batch_zip(os.environ["WHITTLE_BATCH"], tmp_path / "results.zip")
    with zipfile.ZipFile(tmp_path / "results.zip") as results:
        assert results.testzip() is None
        assert sorted(results.namelist()) == ["_receipts.json", "photo-2.jpg", "photo.jpg"]
    with pytest.raises(ApiError) as refused:
        whittle.save_batch_zip("bat_unknown", tmp_path / "none.zip", only="compressed")
    assert refused.value.type == "unknown_batch"
    assert [path.name for path in tmp_path.iterdir()] == ["results.zip"]


def test_signs_addresses_of_pictures() -> None:
    signed = image_url("https://whittle.example.com/", "img_vZlKnlY1GFU0cnEaLZUr", "ims_secret", SOURCE, "w_320,f_auto")
    assert signed == (
        "https://whittle.example.com/img/_EzFnj9al6Y78aB45rim5cxDrC19fbidOIYzR7OyVpo/w_320,f_auto/"
        "img_vZlKnlY1GFU0cnEaLZUr/photos/Caf%C3%A9%20%26%20Bar/50%20%25%20%231%3F.png"
    )


def test_makes_a_browser_token(whittle: Any) -> None:
    assert whittle.upload_token("https://app.example.com", max_files=2, formats=["jpg"])["token"].startswith("wut_")
    with pytest.raises(ApiError) as refused:
        whittle.upload_token("*")
    assert refused.value.type == "invalid_parameter"


def test_runs_the_readme_example(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(PHOTO.read_bytes())
    example = re.search(r"```python\n(.*?)```", (ROOT / "packages/clients/python/README.md").read_text(), re.S)
    assert example
    output = subprocess.run([sys.executable, "-c", example[1]], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert re.fullmatch(r"240883 → \d{5} bytes, SSIM 0\.9\d+\n", output)
    assert (tmp_path / "smaller.jpg").stat().st_size < 240_883
