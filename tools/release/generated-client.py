"""Generates a Python client from a running service's OpenAPI document and uses it:
`generated-client.py BASE_URL KEY PHOTO`.

The test fails if openapi-python-client prints a warning, because it drops what it does not
understand. It also fails if the client cannot be imported, or if the compressed photo does not
match its receipt. Needs PyPI once, for a virtual environment.
"""

import hashlib
import importlib
import json
import subprocess
import sys
import tempfile
import urllib.request
import venv
from pathlib import Path

PACKAGES = ("openapi-python-client==0.29.1", "ruff==0.14.5", "httpx", "attrs", "python-dateutil")


def generate(base_url: str, folder: Path) -> None:
    document = folder / "openapi.json"
    with urllib.request.urlopen(f"{base_url}/openapi.json") as answer:
        document.write_bytes(answer.read())
    tools = folder / "venv"
    venv.create(tools, with_pip=True)
    # The generator formats with ruff, which it expects in its own folder.
    environment = {"PATH": f"{tools / 'bin'}:/usr/bin:/bin"}
    subprocess.run([tools / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
    # Media types that the generator does not know: chunks of uploads, and the ZIP of a batch.
    overrides = folder / "overrides.json"
    unknown = ("application/offset+octet-stream", "application/zip")
    overrides.write_text(json.dumps({"content_type_overrides": dict.fromkeys(unknown, "application/octet-stream")}))
    options = ["--path", document, "--output-path", folder / "whittle_client", "--meta", "none", "--config", overrides]
    command = [tools / "bin/openapi-python-client", "generate", *options]
    result = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    words = result.stdout + result.stderr
    if "WARNING" in words or "ERROR" in words:
        sys.exit(f"The generator printed warnings:\n{words}")
    sys.path[:0] = [str(folder), *map(str, (tools / "lib").glob("python*/site-packages"))]


def use(base_url: str, key: str, photo: Path) -> str:
    client = importlib.import_module("whittle_client").AuthenticatedClient(base_url=base_url, token=key)
    models = importlib.import_module("whittle_client.models")
    types = importlib.import_module("whittle_client.types")

    def operation(name: str, tag: str = "tasks"):
        return importlib.import_module(f"whittle_client.api.{tag}.{name}").sync

    with photo.open("rb") as payload:
        body = models.CompressFilesBody(file=types.File(payload=payload, file_name=photo.name, mime_type="image/jpeg"))
        task = operation("compress", "compress")(client=client, body=body, prefer="wait=60")
    assert isinstance(task, models.TaskCompleted), task
    assert isinstance(task.result, models.ReceiptCompressed), task.result
    assert task.file_name == photo.name and task.created_at <= task.completed_at < task.expires_at
    assert operation("get_task")(task_id=task.task_id, client=client) == task
    assert task in operation("list_tasks")(client=client).tasks
    result = operation("download")(task_id=task.task_id, client=client).payload.read()
    assert len(result) == task.compressed_size and hashlib.sha256(result).hexdigest() == task.result.sha256
    assert operation("delete_task")(task_id=task.task_id, client=client).freed_bytes == len(result)
    gone = operation("get_task")(task_id=task.task_id, client=client)
    assert isinstance(gone, models.Error) and gone.error_detail.type_ == "unknown_task", gone
    return f"{task.original_size} -> {task.compressed_size} bytes, SSIM {task.result.ssim}"


if __name__ == "__main__":
    base, secret, picture = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as made:
        generate(base, Path(made))
        print(json.dumps({"generated Python client": use(base, secret, Path(picture))}))
