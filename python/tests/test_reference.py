"""Checks the documentation page that is generated from the docstrings."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_reference_is_up_to_date():
    script = ROOT / "scripts" / "docs-python.py"
    page = subprocess.run([sys.executable, script], capture_output=True, check=True, encoding="utf-8").stdout
    committed = (ROOT / "docs" / "reference" / "python-api.md").read_text(encoding="utf-8")
    assert page == committed, "run: npm run docs:reference"
