"""The client, one call after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

import httpx

from . import _steps
from ._steps import POLL_SECONDS, Answer, Call, Send, Sleep, Steps
from .models import Quality, Task, task_of

T = TypeVar("T")
File = str | os.PathLike[str] | bytes | BinaryIO
#: Longer than the service lets anybody wait.
TIMEOUT = httpx.Timeout(90.0, connect=15.0)


class Whittle:
    """Speaks to the service at `base_url` with `key` (`whl_…`). A context manager; `http` may be a client of your own."""

    def __init__(self, base_url: str, key: str, http: httpx.Client | None = None) -> None:
        self._way = _steps.Way(base_url)
        self._key = key
        self._http = http or httpx.Client(timeout=TIMEOUT)

    def compress(
        self,
        file: File,
        *,
        name: str | None = None,
        quality: Quality | None = None,
        on_progress: Callable[[Task], object] | None = None,
        idempotency_key: str | None = None,
        **wishes: Any,
    ) -> Task:
        """Sends a file (a path, bytes, an open file) and waits for its end. Raises TaskFailedError, ApiError, UnreachableError.

        `wishes` are the API's own: `format`, `target_size`, `password`, `callback_url`, …
        """
        task = self.submit(file, name=name, quality=quality, idempotency_key=idempotency_key, **wishes)
        return self.wait(task, on_progress=on_progress)

    def submit(
        self, file: File, *, name: str | None = None, quality: Quality | None = None, idempotency_key: str | None = None, **wishes: Any
    ) -> Task:
        """Sends a file; above 32 MB it goes up in chunks. The task may be completed already."""
        source = _steps.source_of(file, name)
        try:
            return self._take(_steps.submit(self._way, source, {"quality": quality, **wishes}, idempotency_key))
        finally:
            if source.file is not file:
                source.file.close()

    def wait(self, task: Task, on_progress: Callable[[Task], object] | None = None, poll_seconds: int = POLL_SECONDS) -> Task:
        """The task once it is completed. Raises TaskFailedError."""
        return self._take(_steps.wait(self._way, task, on_progress, poll_seconds))

    def task(self, task_id: str, wait_seconds: int = 0) -> Task:
        return self._take(_steps.task(self._way, task_id, wait_seconds))

    def tasks(self, limit: int = 20) -> list[Task]:
        """The newest."""
        page = self._take(self._way.json(Send("GET", f"/v1/tasks?limit={limit}")))
        return [task_of(raw) for raw in page["tasks"]]

    def download(self, task: Task) -> bytes:
        """The result, whose SHA-256 is the receipt's. Raises DamagedError."""
        parts: list[bytes] = []
        self._take(_steps.download(self._way, task, parts.append))
        return b"".join(parts)

    def save(self, task: Task, path: str | os.PathLike[str]) -> None:
        """The same into a file, of which nothing is seen before all of it is there."""
        self._take(_steps.save(self._way, task, Path(path)))

    def receipt(self, task_id: str) -> str:
        """Signed (a compact JWS); the keys are at `/.well-known/jwks.json`."""
        return self._take(self._way.send(Send("GET", f"/v1/tasks/{task_id}/receipt"))).body.decode()

    def remove(self, task_id: str) -> dict[str, Any]:
        return self._take(self._way.json(Send("DELETE", f"/v1/tasks/{task_id}")))

    def usage(self) -> dict[str, Any]:
        return self._take(self._way.json(Send("GET", "/v1/usage")))

    def formats(self) -> dict[str, Any]:
        return self._take(self._way.json(Send("GET", "/v1/formats")))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Whittle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _take(self, steps: Steps[T]) -> T:
        came: Any = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Sleep):
                    time.sleep(step.seconds)
                    came = None
                elif isinstance(step, Call):
                    came = step.work()
                else:
                    came = self._send(step)
        except StopIteration as end:
            result: T = end.value
            return result

    def _send(self, step: Send) -> Answer | httpx.TransportError:
        headers = {**step.headers, "Authorization": f"Bearer {self._key}"}
        try:
            with self._http.stream(
                step.method, self._way.base_url + step.path, headers=headers, content=step.content or None, files=step.files, data=step.data
            ) as answer:
                if step.sink is None or not answer.is_success:
                    return Answer(answer.status_code, answer.headers, answer.read())
                for chunk in answer.iter_raw():
                    step.sink(chunk)
                return Answer(answer.status_code, answer.headers, b"")
        except httpx.TransportError as error:
            return error
