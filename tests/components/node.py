"""Running JavaScript in node: the one of requirements-dev.txt."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

NODE = Path(sys.executable).parent / "node"


def run(code: str, given: Any = None) -> Any:
    """What a module says by `console.log(JSON.stringify(...))`; `given` is what it can read as the constant `given`."""
    code = f"const given = {json.dumps(given)};\n{code}"
    done = subprocess.run(
        [NODE, "--input-type=module"], input=code, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
