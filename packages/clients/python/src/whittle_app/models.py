"""Most used fields of the API's objects. `raw` holds every field, including those of newer services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Quality = Literal["low", "medium", "high", "ultra"]
Status = Literal["pending", "processing", "completed", "failed"]


@dataclass(frozen=True)
class BucketObject:
    """An object in a bucket of the account."""

    #: Name of the connection.
    connection: str
    key: str


@dataclass(frozen=True)
class Receipt:
    """What was done to the file, and the measurements that verify it."""

    outcome: Literal["compressed", "unchanged"]
    fidelity: Literal["lossless", "perceptual"]
    verified: bool
    sha256: str
    original_sha256: str
    raw: dict[str, Any]
    #: Code for why the file is unchanged. None: it was compressed.
    reason: str | None = None
    detail: str | None = None
    #: Similarity of the worst picture, page or second. None: lossless or not measured.
    ssim: float | None = None
    psnr_db: float | None = None
    ssimulacra2: float | None = None
    snr_db: float | None = None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One compression job."""

    task_id: str
    status: Status
    file_name: str
    format: str
    #: None: the task has a target score.
    quality: Quality | None
    #: Size in bytes.
    original_size: int
    raw: dict[str, Any]
    #: Progress from 0 to 1. None: the task has ended.
    progress: float | None = None
    target_score: float | None = None
    compressed_size: int | None = None
    output_name: str | None = None
    output_format: str | None = None
    receipt: Receipt | None = None
    #: State of the delivery: `status` (pending, delivered or failed), `attempts`, `last_status`. None: no destination.
    delivery: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    error_detail: dict[str, Any] | None = None

    @property
    def is_under_way(self) -> bool:
        return self.status in ("pending", "processing")


def known_fields(cls: type[Any], raw: dict[str, Any]) -> dict[str, Any]:
    return {name: raw[name] for name in cls.__dataclass_fields__ if name in raw}


def task_of(raw: dict[str, Any]) -> Task:
    result = raw.get("result")
    receipt = None
    if result is not None:
        receipt = Receipt(**{**known_fields(Receipt, result), "steps": tuple(result.get("steps", ())), "raw": result})
    return Task(**{**known_fields(Task, raw), "receipt": receipt, "raw": raw})
