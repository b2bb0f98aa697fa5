"""What can go wrong, each kind a class of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import Task


class WhittleError(Exception):
    """Everything that this package raises."""


class ApiError(WhittleError):
    """The service refused a request."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None = None) -> None:
        error, detail = body.get("error") or {}, body.get("error_detail") or {}
        super().__init__(error.get("message") or f"the service answered {status}")
        self.status = status
        #: The stable word of `error_detail.type`, `unknown` where something else answered in the service's place.
        self.type: str = detail.get("type", "unknown")
        #: The facts that belong to the word: `limit_bytes`, `allowed`, …
        self.detail: dict[str, Any] = detail
        self.request_id: str | None = error.get("request_id")
        #: Seconds, from `Retry-After`.
        self.retry_after = retry_after

    @property
    def is_passing(self) -> bool:
        """Whether the same request may be taken later."""
        return self.status in (429, 502, 503, 504) or self.type == "idempotency_in_flight"


class UnreachableError(WhittleError):
    """Nobody answered, for as long as it was worth trying."""


class TaskFailedError(WhittleError):
    """The task ended without a result."""

    def __init__(self, task: Task) -> None:
        super().__init__((task.error or {}).get("message", "the task failed"))
        self.task = task
        self.type: str = (task.error_detail or {}).get("type", "unknown")


class DamagedError(WhittleError):
    """What was downloaded is not what the receipt names."""


class SignatureError(WhittleError):
    """A callback that was not signed with this secret, or not now."""
