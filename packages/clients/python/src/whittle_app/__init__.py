"""Client of the Whittle API, synchronous and asynchronous."""

from .aio import AsyncWhittle
from .client import Whittle
from .errors import ApiError, DamagedError, SignatureError, TaskFailedError, UnreachableError, WhittleError
from .images import image_url
from .models import BucketObject, Quality, Receipt, Status, Task
from .webhooks import verify_callback

__all__ = [
    "ApiError",
    "AsyncWhittle",
    "BucketObject",
    "DamagedError",
    "Quality",
    "Receipt",
    "SignatureError",
    "Status",
    "Task",
    "TaskFailedError",
    "UnreachableError",
    "Whittle",
    "WhittleError",
    "image_url",
    "verify_callback",
]
