"""Synchronous client."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, BinaryIO, TypeVar

import httpx

from . import _steps
from ._steps import DELIVERY_POLL_SECONDS, POLL_SECONDS, SYNC_POLL_SECONDS, Response, Call, Send, Sleep, Steps
from .errors import WhittleError
from .models import BucketObject, Quality, Task, task_of

T = TypeVar("T")
File = str | os.PathLike[str] | bytes | BinaryIO | BucketObject
#: Longer than the service holds any request.
TIMEOUT = httpx.Timeout(90.0, connect=15.0)


class FileToCompress:
    """A file that `to_file` or `to_bytes` compresses."""

    def __init__(self, whittle: Whittle, file: File, options: dict[str, Any]) -> None:
        self._whittle, self._file, self._options = whittle, file, options

    def to_file(self, path: str | os.PathLike[str]) -> Task:
        """Compresses the file, saves the result as `path`, and deletes the task. Returns the task with its receipt."""
        task = self._whittle.compress(self._file, **self._options)
        try:
            self._whittle.save(task, path)
        finally:
            self._forget(task)
        return task

    def to_bytes(self) -> bytes:
        """Compresses the file, returns the result, and deletes the task."""
        task = self._whittle.compress(self._file, **self._options)
        try:
            return self._whittle.download(task)
        finally:
            self._forget(task)

    def _forget(self, task: Task) -> None:
        # A task that cannot be deleted expires.
        with contextlib.suppress(WhittleError):
            self._whittle.remove(task.task_id)


class Whittle:
    """Synchronous client of one Whittle service. A context manager.

    `base_url` is its address, `key` an API key (`whl_…`). `http` replaces the default httpx client.

    Example::

        with Whittle("https://whittle.example.com", "whl_live_…") as whittle:
            task = whittle.compress("photo.jpg", quality="low")
            whittle.save(task, "smaller.jpg")
    """

    def __init__(self, base_url: str, key: str, http: httpx.Client | None = None) -> None:
        self._transport = _steps.Transport(base_url)
        self._key = key
        self._http = http or httpx.Client(timeout=TIMEOUT)

    def from_file(self, file: File, **options: Any) -> FileToCompress:
        """Compresses a file in one line. Nothing remains on the service. `options` are those of `compress`.

        Example::

            whittle.from_file("photo.jpg", quality="low").to_file("smaller.jpg")
        """
        return FileToCompress(self, file, options)

    def compress(
        self,
        file: File,
        *,
        name: str | None = None,
        quality: Quality | None = None,
        on_progress: Callable[[Task], object] | None = None,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> Task:
        """Sends a file and waits until its task is completed.

        `file` is a path, bytes, an open file, or a BucketObject that the service reads. `options` have the API's names: `format`,
        `target_size`, `max_width`, `callback_url`, `destination` (a dict: `connection` with `prefix` or `key`), `destination_url`,
        `destination_headers` (a dict), … Raises TaskFailedError, ApiError or UnreachableError.
        """
        task = self.submit(file, name=name, quality=quality, idempotency_key=idempotency_key, **options)
        return self.wait(task, on_progress=on_progress)

    def submit(
        self, file: File, *, name: str | None = None, quality: Quality | None = None, idempotency_key: str | None = None, **options: Any
    ) -> Task:
        """Sends a file without waiting for its task, which may be completed already. Files above 32 MB are sent in chunks."""
        source = file if isinstance(file, BucketObject) else _steps.source_of(file, name)
        try:
            return self._run(_steps.submit(self._transport, source, {"quality": quality, **options}, idempotency_key))
        finally:
            if not isinstance(source, BucketObject) and source.file is not file:
                source.file.close()

    def wait(self, task: Task, on_progress: Callable[[Task], object] | None = None, poll_seconds: int = POLL_SECONDS) -> Task:
        """Waits until the task is completed. Raises TaskFailedError if it fails."""
        return self._run(_steps.wait(self._transport, task, on_progress, poll_seconds))

    def delivered(self, task: Task, poll_seconds: float = DELIVERY_POLL_SECONDS) -> Task:
        """Waits until the service has sent a result to its `destination` or `destination_url`, or has given up. Returns the task, whose
        `delivery["status"]` is `delivered` or `failed`."""
        return self._run(_steps.delivered(self._transport, task, poll_seconds))

    def task(self, task_id: str, wait_seconds: int = 0) -> Task:
        return self._run(_steps.task(self._transport, task_id, wait_seconds))

    def tasks(self, limit: int = 20) -> list[Task]:
        """Returns the newest tasks, at most 100."""
        page = self._run(self._transport.json(Send("GET", f"/v1/tasks?limit={limit}")))
        return [task_of(raw) for raw in page["tasks"]]

    def download(self, task: Task) -> bytes:
        """Returns the result. Raises DamagedError if its SHA-256 differs from the receipt."""
        parts: list[bytes] = []
        self._run(_steps.download(self._transport, task, parts.append))
        return b"".join(parts)

    def save(self, task: Task, path: str | os.PathLike[str]) -> None:
        """Saves the result to a file, which appears only when it is complete. Raises DamagedError."""
        self._run(_steps.save(self._transport, task, Path(path)))

    def save_batch_zip(self, batch_id: str, path: str | os.PathLike[str], *, only: Literal["compressed"] | None = None) -> None:
        """Saves the completed results of a batch as one ZIP, with the receipts in `_receipts.json`. The file appears only when it is
        complete. `only="compressed"` leaves out files that stayed unchanged. Raises ApiError if no task is completed."""
        self._run(_steps.save_batch_zip(self._transport, batch_id, Path(path), only))

    def receipt(self, task_id: str) -> str:
        """Returns the signed receipt, a compact JWS. The public keys are at `/.well-known/jwks.json`."""
        return self._run(self._transport.send(Send("GET", f"/v1/tasks/{task_id}/receipt"))).body.decode()

    def remove(self, task_id: str) -> dict[str, Any]:
        return self._run(self._transport.json(Send("DELETE", f"/v1/tasks/{task_id}")))

    def upload_token(self, origin: str, **limits: Any) -> dict[str, Any]:
        """Makes a token with which a page of `origin` sends files itself. `limits` have the API's names: `expires_in`, `max_files`,
        `max_bytes`, `formats`, `quality`. Returns `token` and `expires_at`."""
        return self._run(_steps.upload_token(self._transport, {"origin": origin, **limits}))

    def connections(self) -> list[dict[str, Any]]:
        """Returns the bucket connections of the account. Their credentials are never in the response."""
        connections: list[dict[str, Any]] = (self._run(self._transport.json(Send("GET", "/v1/connections"))))["connections"]
        return connections

    def start_sync(self, source: dict[str, str], destination: dict[str, str], **options: Any) -> dict[str, Any]:
        """Starts a sync between two places, each `{"connection": …, "prefix": …}`. `options` have the API's names: `dry_run`,
        `quality`, `format`, `preset`, … `dry_run=True` only lists and estimates. The service runs it. `wait_for_sync` waits for its
        end."""
        fields = {"source": source, "destination": destination, **options}
        return self._run(_steps.start_sync(self._transport, fields))

    def sync(self, sync_id: str) -> dict[str, Any]:
        return self._run(self._transport.json(Send("GET", _steps.sync_path(sync_id))))

    def wait_for_sync(
        self, sync_id: str, on_progress: Callable[[dict[str, Any]], object] | None = None, poll_seconds: float = SYNC_POLL_SECONDS
    ) -> dict[str, Any]:
        """Waits until a sync ends, whether it completes, fails or is cancelled. `on_progress` is called with each earlier state."""
        return self._run(_steps.wait_for_sync(self._transport, sync_id, on_progress, poll_seconds))

    def cancel_sync(self, sync_id: str) -> dict[str, Any]:
        """Cancels a sync. What it has written stays at the destination."""
        return self._run(self._transport.json(Send("DELETE", _steps.sync_path(sync_id))))

    def resume_sync(self, sync_id: str) -> dict[str, Any]:
        """Goes on with a failed sync, or ends the pause of a paused one."""
        return self._run(self._transport.json(Send("POST", f"{_steps.sync_path(sync_id)}/resume")))

    def usage(self) -> dict[str, Any]:
        return self._run(self._transport.json(Send("GET", "/v1/usage")))

    def formats(self) -> dict[str, Any]:
        return self._run(self._transport.json(Send("GET", "/v1/formats")))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Whittle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        outcome: Any = None
        try:
            while True:
                step = steps.send(outcome)
                if isinstance(step, Sleep):
                    time.sleep(step.seconds)
                    outcome = None
                elif isinstance(step, Call):
                    outcome = step.work()
                else:
                    outcome = self._send(step)
        except StopIteration as end:
            result: T = end.value
            return result

    def _send(self, step: Send) -> Response | httpx.TransportError:
        headers = {**step.headers, "Authorization": f"Bearer {self._key}"}
        try:
            with self._http.stream(
                step.method, self._transport.base_url + step.path, headers=headers, content=step.content or None, files=step.files, data=step.data
            ) as response:
                if step.sink is None or not response.is_success:
                    return Response(response.status_code, response.headers, response.read())
                for chunk in response.iter_raw():
                    step.sink(chunk)
                return Response(response.status_code, response.headers, b"")
        except httpx.TransportError as error:
            return error
