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
import time
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from whittle_app import (
    ApiError,
    AsyncWhittle,
    BucketObject,
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


def test_compresses_from_a_bucket_and_waits_for_the_delivery_to_a_bucket(whittle: Any, request: pytest.FixtureRequest) -> None:
    assert [(one["name"], one["bucket"]) for one in whittle.connections()] == [("shop", "photos")]
    key = f"delivered/{request.node.name}.jpg"
    task = whittle.compress(BucketObject("shop", "photos/photo.jpg"), quality="low", destination={"connection": "shop", "key": key})
    assert task.original_size == PHOTO.stat().st_size and task.delivery
    delivered = whittle.delivered(task, poll_seconds=0.1)
    assert delivered.task_id == task.task_id and delivered.delivery["status"] == "delivered"
    # The delivered object has the size of the result.
    assert whittle.compress(BucketObject("shop", key)).original_size == task.compressed_size
    with pytest.raises(TaskFailedError) as failed:
        whittle.compress(BucketObject("shop", "photos/missing.jpg"))
    assert failed.value.type == "source_unreachable"
    with pytest.raises(ApiError) as refused:
        whittle.submit(BucketObject("closed", "photos/photo.jpg"))
    assert refused.value.type == "unknown_connection"


def test_delivers_to_a_bucket_and_to_an_address_of_a_double() -> None:
    states, requests = ["pending", "pending", "failed"], []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append((f"{request.method} {request.url.path}", json.loads(request.content or "null")))
        delivery = {"status": states.pop(0), "attempts": 1, "last_status": None}
        task = {"task_id": "tsk_1", "status": "completed", "file_name": "a", "format": "jpg", "quality": "low", "original_size": 9}
        return httpx.Response(200, json={**task, "delivery": delivery})

    whittle = Whittle("http://service.test", "whl_live_x", httpx.Client(transport=httpx.MockTransport(respond)))
    task = whittle.compress(BucketObject("shop", "a"), destination_url="https://example.com/a", destination_headers={"X-A": "1"})
    assert whittle.delivered(task, poll_seconds=0.001).delivery == {"status": "failed", "attempts": 1, "last_status": None}
    assert [path for path, _ in requests] == ["POST /v1/compress", "GET /v1/tasks/tsk_1", "GET /v1/tasks/tsk_1"]
    assert requests[0][1] == {
        "source": {"connection": "shop", "key": "a"},
        "destination_url": "https://example.com/a",
        "destination_headers": {"X-A": "1"},
    }


def test_runs_syncs_until_they_end(whittle: Any, request: pytest.FixtureRequest) -> None:
    source, destination = ({"connection": "shop", "prefix": prefix} for prefix in ("texts/", f"out/{request.node.name}/"))
    estimate = whittle.wait_for_sync(whittle.start_sync(source, destination, dry_run=True)["sync_id"], poll_seconds=0.1)
    assert (estimate["status"], estimate["dry_run"], estimate["found"], estimate["compressed"]) == ("completed", True, 2, 0)
    assert estimate["estimated_size"] > 0
    started = whittle.start_sync(source, destination, format="gz")
    seen: list[str] = []
    ended = whittle.wait_for_sync(started["sync_id"], on_progress=lambda sync: seen.append(sync["status"]), poll_seconds=0.05)
    assert (ended["status"], ended["found"], ended["compressed"], ended["failed"]) == ("completed", 2, 2, 0)
    assert "completed" not in seen
    with pytest.raises(ApiError) as refused:
        whittle.resume_sync(started["sync_id"])
    assert refused.value.type == "not_resumable"


def test_resumes_and_cancels_a_sync_that_waits_for_its_bucket(whittle: Any, request: pytest.FixtureRequest) -> None:
    busy = {"connection": "shop", "prefix": f"busy/{request.node.name}/"}
    sync_id = whittle.start_sync({"connection": "shop", "prefix": "texts/"}, busy)["sync_id"]
    end = time.monotonic() + 60
    while whittle.sync(sync_id)["status"] != "paused":
        assert time.monotonic() < end
        time.sleep(0.2)
    assert whittle.resume_sync(sync_id)["status"] == "running"
    assert whittle.cancel_sync(sync_id)["status"] == "cancelled"
    assert whittle.wait_for_sync(sync_id)["status"] == "cancelled"


def run_readme_example(number: int, folder: Path) -> str:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "packages/clients/python/README.md").read_text(), re.S)
    command = [sys.executable, "-c", examples[number]]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_runs_the_readme_example(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(PHOTO.read_bytes())
    assert re.fullmatch(r"240883 → \d{5} bytes, SSIM 0\.9\d+\n", run_readme_example(0, tmp_path))
    assert (tmp_path / "smaller.jpg").stat().st_size < 240_883


def test_runs_the_readme_example_of_buckets(tmp_path: Path) -> None:
    assert run_readme_example(1, tmp_path) == "delivered\ncompleted 2\n"
