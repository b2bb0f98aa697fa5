"""Signed addresses of pictures on the fly."""

from __future__ import annotations

import base64
import hashlib
import hmac
from urllib.parse import quote


def image_url(base_url: str, image_key: str, image_secret: str, source: str, options: str = "f_auto") -> str:
    """Returns the signed address of a small picture.

    `image_key` and `image_secret` come from `PUT /v1/image-origins/{name}`. `source` is the name of the origin and the
    path below it, not encoded.

    Example::

        image_url("https://whittle.example.com", key, secret, "photos/2026/harbour.jpg", "w_640,f_auto")
    """
    digest = hmac.new(image_secret.encode(), f"{options}/{image_key}/{source}".encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return f"{base_url.rstrip('/')}/img/{signature}/{options}/{image_key}/{quote(source)}"
