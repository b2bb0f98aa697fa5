"""Errors of the client, one class per kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import Task


class WhittleError(Exception):
    """Base class of all errors of this package."""


class ApiError(WhittleError):
    """The service refused a request."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None = None) -> None:
        error, detail = body.get("error") or {}, body.get("error_detail") or {}
        super().__init__(error.get("message") or f"the service responded with HTTP {status}")
        self.status = status
        #: Stable code from `error_detail.type`. `unknown`: something other than the service responded, such as a proxy.
        self.type: str = detail.get("type", "unknown")
        #: Details of the error, for example `limit_bytes` or `allowed`.
        self.detail: dict[str, Any] = detail
        self.request_id: str | None = error.get("request_id")
        #: Seconds from the `Retry-After` header. None: no such header.
        self.retry_after = retry_after

    @property
    def is_retryable(self) -> bool:
        """True if the same request may succeed later."""
        return self.status in (429, 502, 503, 504) or self.type == "idempotency_in_flight"

    @property
    def is_passing(self) -> bool:
        """Deprecated name of `is_retryable`, removed in the next version."""
        return self.is_retryable


class UnreachableError(WhittleError):
    """The service did not respond within the retry timeout."""


class TaskFailedError(WhittleError):
    """The task failed."""

    def __init__(self, task: Task) -> None:
        super().__init__((task.error or {}).get("message", "the task failed"))
        self.task = task
        self.type: str = (task.error_detail or {}).get("type", "unknown")


class DamagedError(WhittleError):
    """The downloaded result differs from the receipt."""


class SignatureError(WhittleError):
    """A callback has no valid signature for the secret, or its time stamp is more than 5 minutes from now."""
