"""Validates a document of CycloneDX 1.5: python validate-sbom.py FILE"""

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(Path(sys.argv[1]).read_text())
sys.exit(f"{sys.argv[1]} is not valid: {error}" if error else 0)
