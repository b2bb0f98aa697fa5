"""What the client does, without doing it: generators that yield the next step and are sent what came of it.

`client.py` takes the steps one after the other, `aio.py` with `await`; both do the same therefore.
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
from .models import Task, task_of

RESUMABLE_BYTES = 32 * 1024 * 1024
CHUNK_BYTES = 16 * 1024 * 1024
#: How long a service that has answered before may be silent: as long as it takes to be started again.
PATIENCE_SECONDS = 120.0
FIRST_PATIENCE_SECONDS = 6.0
LONGEST_PAUSE_SECONDS = 5.0
MAX_REFUSALS = 10
FIRST_WAIT_SECONDS = 10
POLL_SECONDS = 20
TUS = {"Tus-Resumable": "1.0.0"}

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: httpx.Headers
    body: bytes

    def json(self) -> dict[str, Any]:
        try:
            body = json.loads(self.body)
        except ValueError:  # Something in between may answer with a page.
            return {}
        return body if isinstance(body, dict) else {}


@dataclass(frozen=True)
class Send:
    """A request; what came is an Answer, or the httpx.TransportError that came instead. `sink` gets the body of a good one."""

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
    """Something that may take its time, as reading a file does."""

    work: Callable[[], Any]


Step = Send | Sleep | Call
Steps = Generator[Step, Any, T]


class Patience:
    """How often one thing was tried in vain."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.silent_since = time.monotonic()
        self.refusals = 0


class Way:
    """To the service and back: lines break, services are busy or started again, and both pass."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url.rstrip("/")
        #: One that ever answered is waited for, an address where nobody listens is told at once.
        self.reached = False

    def attempt(self, send: Send, patience: Patience, expected: tuple[int, ...] = ()) -> Steps[Answer | None]:
        """None: it is worth another try, and the time for it has come."""
        answer = yield send
        if isinstance(answer, httpx.TransportError):
            yield from self.lost(answer, patience)
            return None
        self.reached = True
        if 200 <= answer.status < 300 or answer.status in expected:
            return answer  # type: ignore[no-any-return]
        seconds = answer.headers.get("retry-after", "")
        error = ApiError(answer.status, answer.json(), float(seconds) if seconds.isdigit() else None)
        patience.refusals += 1
        if not error.is_passing or patience.refusals >= MAX_REFUSALS:
            raise error
        yield Sleep(2.0 if error.retry_after is None else error.retry_after)
        return None

    def lost(self, cause: httpx.TransportError, patience: Patience) -> Steps[None]:
        silence = time.monotonic() - patience.silent_since
        is_nobody = not self.reached and isinstance(cause, httpx.ConnectError)
        if is_nobody or silence > (PATIENCE_SECONDS if self.reached else FIRST_PATIENCE_SECONDS):
            raise UnreachableError(f"{self.base_url} cannot be reached: {cause}") from cause
        yield Sleep(min(LONGEST_PAUSE_SECONDS, 0.2 + silence / 4))

    def send(self, send: Send, expected: tuple[int, ...] = ()) -> Steps[Answer]:
        patience = Patience()
        while True:
            answer = yield from self.attempt(send, patience, expected)
            if answer is not None:
                return answer

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


def submit(way: Way, source: Source, wishes: dict[str, Any], idempotency_key: str | None) -> Steps[Task]:
    headers = {"Idempotency-Key": f'"{idempotency_key or uuid.uuid4()}"', "Prefer": f"wait={FIRST_WAIT_SECONDS}"}
    wishes = {name: value for name, value in wishes.items() if value is not None}
    if source.size > RESUMABLE_BYTES:
        upload_id = yield from upload(way, source)
        content = json.dumps({**wishes, "upload": upload_id}).encode()
        send = Send("POST", "/v1/compress", {**headers, "Content-Type": "application/json"}, content)
    else:
        content = yield Call(partial(source.read, 0, source.size))
        form = {name: str(value) for name, value in wishes.items()}
        send = Send("POST", "/v1/compress", headers, files={"file": (source.name, content)}, data=form)
    return task_of((yield from way.json(send)))


def upload(way: Way, source: Source) -> Steps[str]:
    """In chunks (tus 1.0.0): a line that breaks costs one of them at most."""
    name = base64.b64encode(source.name.encode()).decode()
    headers = {**TUS, "Upload-Length": str(source.size), "Upload-Metadata": f"filename {name}"}
    made = yield from way.send(Send("POST", "/v1/uploads", headers))
    path = urlsplit(made.headers["location"]).path
    patience, offset = Patience(), 0
    while offset < source.size:
        end = min(source.size, offset + CHUNK_BYTES)
        chunk = yield Call(partial(source.read, offset, end))
        headers = {**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
        answer = yield from way.attempt(Send("PATCH", path, headers, chunk), patience, (409,))
        if answer is None or answer.status == 409:
            # What the service has of it, it knows itself.
            answer = yield from way.send(Send("HEAD", path, TUS), (404, 410))
            if answer.status >= 400:
                raise WhittleError("the service has forgotten the upload; it must begin anew")
        now = int(answer.headers["upload-offset"])
        if now > offset:
            patience.renew()
        offset = now
    return path.rsplit("/", 1)[-1]


def task(way: Way, task_id: str, wait_seconds: int) -> Steps[Task]:
    headers = {"Prefer": f"wait={wait_seconds}"} if wait_seconds > 0 else {}
    return task_of((yield from way.json(Send("GET", f"/v1/tasks/{quote(task_id, safe='')}", headers))))


def wait(way: Way, now: Task, on_progress: Callable[[Task], object] | None, poll_seconds: int) -> Steps[Task]:
    while now.is_under_way:
        if on_progress:
            on_progress(now)
        now = yield from task(way, now.task_id, poll_seconds)
    if now.status == "failed":
        raise TaskFailedError(now)
    return now


def download(way: Way, done: Task, write: Callable[[bytes], object]) -> Steps[None]:
    """Goes on where the line breaks, and compares the hash."""
    if done.receipt is None:
        raise WhittleError(f"the task {done.task_id} is {done.status}; it has no result")
    digest, count, patience = hashlib.sha256(), 0, Patience()

    def sink(chunk: bytes) -> None:
        nonlocal count
        digest.update(chunk)
        write(chunk)
        count += len(chunk)
        patience.renew()

    size = done.compressed_size or 0
    while True:
        headers = {"Range": f"bytes={count}-"} if count > 0 else {}
        answer = yield from way.attempt(Send("GET", f"/v1/tasks/{done.task_id}/download", headers, sink=sink), patience)
        if answer is not None or (count == size and size > 0):
            break
    if digest.hexdigest() != done.receipt.sha256:
        raise DamagedError(f"the download of {done.output_name} is damaged (SHA-256 {digest.hexdigest()})")


def save(way: Way, done: Task, path: Path) -> Steps[None]:
    """Until its hash is the receipt's it has another name, so that a broken download never looks like a result."""
    temporary = path.with_name(f"{path.name}.{done.task_id}.part")
    try:
        with temporary.open("wb") as file:
            yield from download(way, done, file.write)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
