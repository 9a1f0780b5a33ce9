"""Removes the paths of the build machine from the SBOM of a wheel: python neutral-wheel.py WHEEL FOLDER...

The digests in RECORD are made anew. Fails when a path is left in the wheel's metadata.
"""

import base64
import hashlib
import os
import re
import sys
import zipfile


def main(wheel, folders):
    with zipfile.ZipFile(wheel) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    digests = {}
    rewritten = []
    for info, content in files:
        if "/sboms/" in info.filename:
            for folder in folders:
                # `path+file:///home/me/contract/crates/model#0.1.0`
                for url in (f"file://{folder}", "file:///" + folder.replace("\\", "/")):
                    content = content.replace(url.encode(), b"file:///contract")
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            digests[info.filename] = f"sha256={digest},{len(content)}"
        rewritten.append((info, content))
    with zipfile.ZipFile(f"{wheel}.new", "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in rewritten:
            if info.filename.endswith(".dist-info/RECORD"):
                text = content.decode()
                for name, digest in digests.items():
                    text = re.sub(rf"^{re.escape(name)},.*$", f"{name},{digest}", text, flags=re.MULTILINE)
                content = text.encode()
            if ".dist-info/" in info.filename and any(folder.encode() in content for folder in folders):
                sys.exit(f"{info.filename} of {wheel} holds a path of this machine")
            archive.writestr(info, content)
    os.replace(f"{wheel}.new", wheel)


main(sys.argv[1], sys.argv[2:])
