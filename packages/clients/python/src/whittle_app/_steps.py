"""Logic of the client as generators. Each yields the next step (a request, a pause or a blocking call)
and receives its outcome.

`client.py` runs the steps synchronously and `aio.py` with `await`, so that both behave the same.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import time
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from .errors import ApiError, DamagedError, TaskFailedError, UnreachableError, WhittleError
from .models import BucketObject, Task, task_of

RESUMABLE_BYTES = 32 * 1024 * 1024
CHUNK_BYTES = 16 * 1024 * 1024
# Seconds in which a service that has responded before may fail to respond: enough for a restart.
RETRY_TIMEOUT_SECONDS = 120.0
FIRST_RETRY_TIMEOUT_SECONDS = 6.0
MAX_PAUSE_SECONDS = 5.0
MAX_REFUSALS = 10
FIRST_WAIT_SECONDS = 10
POLL_SECONDS = 20
DELIVERY_POLL_SECONDS = 2.0
SYNC_POLL_SECONDS = 5.0
ENDED_SYNCS = ("completed", "failed", "cancelled")
TUS = {"Tus-Resumable": "1.0.0"}
JSON = {"Content-Type": "application/json"}

T = TypeVar("T")


@dataclass(frozen=True)
class Response:
    status: int
    headers: httpx.Headers
    body: bytes

    def json(self) -> dict[str, Any]:
        try:
            body = json.loads(self.body)
        except ValueError:  # A proxy may respond with an HTML page.
            return {}
        return body if isinstance(body, dict) else {}


@dataclass(frozen=True)
class Send:
    """A request. Its outcome is a Response or an httpx.TransportError. `sink` receives a successful body."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes = b""
    files: dict[str, Any] | None = None
    data: dict[str, str] | None = None
    sink: Callable[[bytes], object] | None = None


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Call:
    """A blocking call, such as reading a file."""

    work: Callable[[], Any]


Step = Send | Sleep | Call
Steps = Generator[Step, Any, T]


class RetryState:
    """Failed attempts of one operation."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.last_progress = time.monotonic()
        self.refusals = 0


class Transport:
    """Requests to the service, with retries after network errors and temporary refusals."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url.rstrip("/")
        #: True if the service has ever responded. Only then is a refused connection retried.
        self.has_responded = False

    def attempt(self, send: Send, retries: RetryState, expected: tuple[int, ...] = ()) -> Steps[Response | None]:
        """Sends a request once. None: the request may be repeated now, after a pause."""
        response = yield send
        if isinstance(response, httpx.TransportError):
            yield from self.pause_or_raise(response, retries)
            return None
        self.has_responded = True
        if 200 <= response.status < 300 or response.status in expected:
            return response  # type: ignore[no-any-return]
        seconds = response.headers.get("retry-after", "")
        error = ApiError(response.status, response.json(), float(seconds) if seconds.isdigit() else None)
        retries.refusals += 1
        if not error.is_retryable or retries.refusals >= MAX_REFUSALS:
            raise error
        yield Sleep(2.0 if error.retry_after is None else error.retry_after)
        return None

    def pause_or_raise(self, cause: httpx.TransportError, retries: RetryState) -> Steps[None]:
        elapsed = time.monotonic() - retries.last_progress
        is_refused = not self.has_responded and isinstance(cause, httpx.ConnectError)
        if is_refused or elapsed > (RETRY_TIMEOUT_SECONDS if self.has_responded else FIRST_RETRY_TIMEOUT_SECONDS):
            raise UnreachableError(f"{self.base_url} cannot be reached: {cause}") from cause
        yield Sleep(min(MAX_PAUSE_SECONDS, 0.2 + elapsed / 4))

    def send(self, send: Send, expected: tuple[int, ...] = ()) -> Steps[Response]:
        retries = RetryState()
        while True:
            response = yield from self.attempt(send, retries, expected)
            if response is not None:
                return response

    def json(self, send: Send) -> Steps[dict[str, Any]]:
        return (yield from self.send(send)).json()


@dataclass
class Source:
    """A file to send."""

    file: BinaryIO
    size: int
    name: str

    def read(self, begin: int, end: int) -> bytes:
        self.file.seek(begin)
        return self.file.read(end - begin)


def source_of(file: str | os.PathLike[str] | bytes | BinaryIO, name: str | None) -> Source:
    if isinstance(file, bytes):
        return Source(io.BytesIO(file), len(file), name or "file")
    if isinstance(file, (str, os.PathLike)):
        path = Path(file)
        return Source(path.open("rb"), path.stat().st_size, name or path.name)
    size = file.seek(0, os.SEEK_END)
    return Source(file, size, name or os.path.basename(str(getattr(file, "name", "file"))))


def submit(transport: Transport, source: Source | BucketObject, options: dict[str, Any], idempotency_key: str | None) -> Steps[Task]:
    headers = {"Idempotency-Key": f'"{idempotency_key or uuid.uuid4()}"', "Prefer": f"wait={FIRST_WAIT_SECONDS}"}
    options = {name: value for name, value in options.items() if value is not None}
    if isinstance(source, BucketObject):
        place = {"connection": source.connection, "key": source.key}
        send = Send("POST", "/v1/compress", {**headers, **JSON}, json.dumps({**options, "source": place}).encode())
    elif source.size > RESUMABLE_BYTES:
        upload_id = yield from upload(transport, source)
        send = Send("POST", "/v1/compress", {**headers, **JSON}, json.dumps({**options, "upload": upload_id}).encode())
    else:
        content = yield Call(partial(source.read, 0, source.size))
        form = {name: json.dumps(value) if isinstance(value, dict) else str(value) for name, value in options.items()}
        send = Send("POST", "/v1/compress", headers, files={"file": (source.name, content)}, data=form)
    return task_of((yield from transport.json(send)))


def upload(transport: Transport, source: Source) -> Steps[str]:
    """Uploads a file in chunks (tus 1.0.0). A network error costs at most one chunk."""
    name = base64.b64encode(source.name.encode()).decode()
    headers = {**TUS, "Upload-Length": str(source.size), "Upload-Metadata": f"filename {name}"}
    created = yield from transport.send(Send("POST", "/v1/uploads", headers))
    path = urlsplit(created.headers["location"]).path
    retries, offset = RetryState(), 0
    while offset < source.size:
        end = min(source.size, offset + CHUNK_BYTES)
        chunk = yield Call(partial(source.read, offset, end))
        headers = {**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
        response = yield from transport.attempt(Send("PATCH", path, headers, chunk), retries, (409,))
        if response is None or response.status == 409:
            # Ask the service how many bytes of the chunk it has received.
            response = yield from transport.send(Send("HEAD", path, TUS), (404, 410))
            if response.status >= 400:
                raise WhittleError("the upload has expired on the service; start a new upload")
        current = int(response.headers["upload-offset"])
        if current > offset:
            retries.reset()
        offset = current
    return path.rsplit("/", 1)[-1]


def task(transport: Transport, task_id: str, wait_seconds: int) -> Steps[Task]:
    headers = {"Prefer": f"wait={wait_seconds}"} if wait_seconds > 0 else {}
    return task_of((yield from transport.json(Send("GET", f"/v1/tasks/{quote(task_id, safe='')}", headers))))


def upload_token(transport: Transport, fields: dict[str, Any]) -> Steps[dict[str, Any]]:
    return (yield from transport.json(Send("POST", "/v1/upload-tokens", JSON, json.dumps(fields).encode())))


def start_sync(transport: Transport, fields: dict[str, Any]) -> Steps[dict[str, Any]]:
    return (yield from transport.json(Send("POST", "/v1/syncs", JSON, json.dumps(fields).encode())))


def sync_path(sync_id: str) -> str:
    return f"/v1/syncs/{quote(sync_id, safe='')}"


def wait_for_sync(
    transport: Transport, sync_id: str, on_progress: Callable[[dict[str, Any]], object] | None, poll_seconds: float
) -> Steps[dict[str, Any]]:
    while True:
        current = yield from transport.json(Send("GET", sync_path(sync_id)))
        if current["status"] in ENDED_SYNCS:
            return current
        if on_progress:
            on_progress(current)
        yield Sleep(poll_seconds)


def wait(transport: Transport, current: Task, on_progress: Callable[[Task], object] | None, poll_seconds: int) -> Steps[Task]:
    while current.is_under_way:
        if on_progress:
            on_progress(current)
        current = yield from task(transport, current.task_id, poll_seconds)
    if current.status == "failed":
        raise TaskFailedError(current)
    return current


def delivered(transport: Transport, current: Task, poll_seconds: float) -> Steps[Task]:
    while current.delivery is not None and current.delivery["status"] == "pending":
        yield Sleep(poll_seconds)
        current = yield from task(transport, current.task_id, 0)
    return current


def download(transport: Transport, done: Task, write: Callable[[bytes], object]) -> Steps[None]:
    """Downloads a result. Resumes after network errors and verifies the hash."""
    if done.receipt is None:
        raise WhittleError(f"the task {done.task_id} is {done.status}, so it has no result")
    digest, count, retries = hashlib.sha256(), 0, RetryState()

    def sink(chunk: bytes) -> None:
        nonlocal count
        digest.update(chunk)
        write(chunk)
        count += len(chunk)
        retries.reset()

    size = done.compressed_size or 0
    while True:
        headers = {"Range": f"bytes={count}-"} if count > 0 else {}
        response = yield from transport.attempt(Send("GET", f"/v1/tasks/{done.task_id}/download", headers, sink=sink), retries)
        if response is not None or (count == size and size > 0):
            break
    if digest.hexdigest() != done.receipt.sha256:
        raise DamagedError(f"the download of {done.output_name} is damaged (SHA-256 {digest.hexdigest()})")


def save(transport: Transport, done: Task, path: Path) -> Steps[None]:
    """Saves a result. The file has a temporary name until its hash matches the receipt."""
    temporary = path.with_name(f"{path.name}.{done.task_id}.part")
    try:
        with temporary.open("wb") as file:
            yield from download(transport, done, file.write)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save_batch_zip(transport: Transport, batch_id: str, path: Path, only: str | None) -> Steps[None]:
    """Saves the ZIP of a batch. After a network error it begins again, because a ZIP cannot be resumed."""
    query = "" if only is None else f"?only={quote(only, safe='')}"
    temporary = path.with_name(f"{path.name}.{quote(batch_id, safe='')}.part")
    retries = RetryState()
    try:
        with temporary.open("wb") as file:
            while True:
                file.seek(0)
                file.truncate()
                send = Send("GET", f"/v1/batches/{quote(batch_id, safe='')}/download{query}", sink=file.write)
                if (yield from transport.attempt(send, retries)) is not None:
                    break
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
