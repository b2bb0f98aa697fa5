"""Signature check of callbacks (Standard Webhooks 1.0.0)."""

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

#: Most seconds between the time stamp and now.
TOLERANCE_SECONDS = 300


def verify_callback(secret: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """Returns the event of a callback: `{"type": "task.completed", "timestamp": …, "data": {…the task…}}`.

    `secret` is the account's `whsec_…`, `body` the unchanged bytes of the request. Raises SignatureError if the
    signature or time stamp is invalid.

    Example::

        event = verify_callback(secret, request.headers, request.get_data())
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = lowered.get("webhook-id", ""), lowered.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise SignatureError("the callback has no webhook-timestamp within 5 minutes of now")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise SignatureError("the secret is invalid: expected whsec_ followed by base64") from error
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, given.encode()) for given in lowered.get("webhook-signature", "").split()):
        raise SignatureError("the callback has no valid webhook-signature for this secret")
    event: dict[str, Any] = json.loads(body)
    return event
