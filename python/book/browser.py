"""Chromium, told what to do through a pair of pipes (the DevTools protocol), without any further package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

_OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"]
_OPTIONS += [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]


class Browser:
    """One tab. Whatever it complains about is kept in `complaints`."""

    def __init__(self) -> None:
        usual = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
        program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, usual)), None)
        if program is None:
            raise FileNotFoundError("no Chromium: install it, or name it in $CHROMIUM")
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        hears, self._to = os.pipe()
        self._from, says = os.pipe()
        # The protocol wants the numbers 3 and 4.
        script = f'exec "$0" "$@" 3<&{hears} 4>&{says}'
        command = ["sh", "-c", script, program, *_OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(command, pass_fds=(hears, says), stderr=subprocess.DEVNULL)
        os.close(hears)
        os.close(says)
        self._rest, self._number, self._session = b"", 0, ""
        self.complaints: list[str] = []
        self._events: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(60)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def open(self, address: str) -> None:
        """Opens a page and waits until it is loaded."""
        # By way of another page: to another place of the same one is not a way that ends with a load.
        for way in ("about:blank", address):
            self._events.clear()
            self.ask("Page.navigate", url=way)
            end = time.monotonic() + 60
            while "Page.loadEventFired" not in self._events:
                self._next(end - time.monotonic())

    def value(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression: str, seconds: float = 10) -> bool:
        """Whether an expression becomes true in time."""
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def size(self, width: int, height: int, is_dark: bool = False) -> None:
        """Sets the size of the window, below 600 as a phone, and what the system prefers."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """Writes what the window shows."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def _next(self, seconds: float) -> dict[str, Any]:
        """The next message, an answer or an event."""
        while b"\0" not in self._rest:
            if not select.select([self._from], [], [], max(seconds, 0))[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self._from, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, about: dict[str, Any]) -> None:
        self._events.append(event)
        if event == "Runtime.exceptionThrown":
            self.complaints.append(about["exceptionDetails"]["text"])
        elif event == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(word.get("value", word.get("description"))) for word in about["args"]))
        elif event == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")
        elif event == "Network.requestWillBeSent" and not about["request"]["url"].startswith(
            ("file:", "data:", "about:", "blob:")
        ):
            self.complaints.append(f"asks for {about['request']['url']}")
