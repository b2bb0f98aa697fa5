"""Callbacks: whether they come from the service (Standard Webhooks 1.0.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .errors import SignatureError

#: How far the sender's clock may be away.
TOLERANCE_SECONDS = 300


def verify_callback(secret: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """The event of a callback: `{"type": "task.completed", "timestamp": …, "data": {…the task…}}`.

    `secret` is the account's `whsec_…`, `body` what came, byte by byte. Raises SignatureError.
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    message_id, stamp = lowered.get("webhook-id", ""), lowered.get("webhook-timestamp", "")
    if not (stamp.isascii() and stamp.isdigit()) or abs(time.time() - int(stamp)) > TOLERANCE_SECONDS:
        raise SignatureError("the callback has no time, or not one of these five minutes")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise SignatureError("the secret is none: it is whsec_ and base64") from error
    digest = hmac.new(key, f"{message_id}.{stamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, given.encode()) for given in lowered.get("webhook-signature", "").split()):
        raise SignatureError("the callback has no signature by this secret")
    event: dict[str, Any] = json.loads(body)
    return event
