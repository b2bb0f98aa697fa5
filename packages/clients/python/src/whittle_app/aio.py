"""The same with `await`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import httpx

from . import _steps
from ._steps import POLL_SECONDS, Answer, Call, Send, Sleep, Steps
from .client import TIMEOUT, File
from .models import Quality, Task, task_of

T = TypeVar("T")


class AsyncWhittle:
    """Speaks to the service at `base_url` with `key` (`whl_…`). An asynchronous context manager; `http` may be a client of your own."""

    def __init__(self, base_url: str, key: str, http: httpx.AsyncClient | None = None) -> None:
        self._way = _steps.Way(base_url)
        self._key = key
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT)

    async def compress(
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
        task = await self.submit(file, name=name, quality=quality, idempotency_key=idempotency_key, **wishes)
        return await self.wait(task, on_progress=on_progress)

    async def submit(
        self, file: File, *, name: str | None = None, quality: Quality | None = None, idempotency_key: str | None = None, **wishes: Any
    ) -> Task:
        """Sends a file; above 32 MB it goes up in chunks. The task may be completed already."""
        source = _steps.source_of(file, name)
        try:
            return await self._take(_steps.submit(self._way, source, {"quality": quality, **wishes}, idempotency_key))
        finally:
            if source.file is not file:
                source.file.close()

    async def wait(self, task: Task, on_progress: Callable[[Task], object] | None = None, poll_seconds: int = POLL_SECONDS) -> Task:
        """The task once it is completed. Raises TaskFailedError."""
        return await self._take(_steps.wait(self._way, task, on_progress, poll_seconds))

    async def task(self, task_id: str, wait_seconds: int = 0) -> Task:
        return await self._take(_steps.task(self._way, task_id, wait_seconds))

    async def tasks(self, limit: int = 20) -> list[Task]:
        """The newest."""
        page = await self._take(self._way.json(Send("GET", f"/v1/tasks?limit={limit}")))
        return [task_of(raw) for raw in page["tasks"]]

    async def download(self, task: Task) -> bytes:
        """The result, whose SHA-256 is the receipt's. Raises DamagedError."""
        parts: list[bytes] = []
        await self._take(_steps.download(self._way, task, parts.append))
        return b"".join(parts)

    async def save(self, task: Task, path: str | os.PathLike[str]) -> None:
        """The same into a file, of which nothing is seen before all of it is there."""
        await self._take(_steps.save(self._way, task, Path(path)))

    async def receipt(self, task_id: str) -> str:
        """Signed (a compact JWS); the keys are at `/.well-known/jwks.json`."""
        return (await self._take(self._way.send(Send("GET", f"/v1/tasks/{task_id}/receipt")))).body.decode()

    async def remove(self, task_id: str) -> dict[str, Any]:
        return await self._take(self._way.json(Send("DELETE", f"/v1/tasks/{task_id}")))

    async def usage(self) -> dict[str, Any]:
        return await self._take(self._way.json(Send("GET", "/v1/usage")))

    async def formats(self) -> dict[str, Any]:
        return await self._take(self._way.json(Send("GET", "/v1/formats")))

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncWhittle:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def _take(self, steps: Steps[T]) -> T:
        came: Any = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Sleep):
                    await asyncio.sleep(step.seconds)
                    came = None
                elif isinstance(step, Call):
                    came = await asyncio.to_thread(step.work)
                else:
                    came = await self._send(step)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _send(self, step: Send) -> Answer | httpx.TransportError:
        headers = {**step.headers, "Authorization": f"Bearer {self._key}"}
        try:
            async with self._http.stream(
                step.method, self._way.base_url + step.path, headers=headers, content=step.content or None, files=step.files, data=step.data
            ) as answer:
                if step.sink is None or not answer.is_success:
                    return Answer(answer.status_code, answer.headers, await answer.aread())
                async for chunk in answer.aiter_raw():
                    step.sink(chunk)
                return Answer(answer.status_code, answer.headers, b"")
        except httpx.TransportError as error:
            return error
