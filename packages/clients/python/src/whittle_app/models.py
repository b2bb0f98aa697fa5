"""The API's shapes, as far as most callers need them; `raw` has all of it, for fields are added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Quality = Literal["low", "medium", "high", "ultra"]
Status = Literal["pending", "processing", "completed", "failed"]


@dataclass(frozen=True)
class Receipt:
    """What was done, and the proof."""

    outcome: Literal["compressed", "unchanged"]
    fidelity: Literal["lossless", "perceptual"]
    verified: bool
    sha256: str
    original_sha256: str
    raw: dict[str, Any]
    #: Why the file stays as it is, where it does.
    reason: str | None = None
    detail: str | None = None
    #: The worst picture, page or second, where something was lost.
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
    quality: Quality
    #: Bytes.
    original_size: int
    raw: dict[str, Any]
    #: 0 to 1, while it is under way.
    progress: float | None = None
    compressed_size: int | None = None
    output_name: str | None = None
    output_format: str | None = None
    receipt: Receipt | None = None
    error: dict[str, Any] | None = None
    error_detail: dict[str, Any] | None = None

    @property
    def is_under_way(self) -> bool:
        return self.status in ("pending", "processing")


def known(cls: type[Any], raw: dict[str, Any]) -> dict[str, Any]:
    return {name: raw[name] for name in cls.__dataclass_fields__ if name in raw}


def task_of(raw: dict[str, Any]) -> Task:
    result = raw.get("result")
    receipt = None
    if result is not None:
        receipt = Receipt(**{**known(Receipt, result), "steps": tuple(result.get("steps", ())), "raw": result})
    return Task(**{**known(Task, raw), "receipt": receipt, "raw": raw})
