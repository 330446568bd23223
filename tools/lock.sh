#!/usr/bin/env bash
# Write requirements.lock: one set of versions for every supported Python, with hashes, naming no registry.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${PYTHON:-python3}" -m venv "$scratch"
"$scratch/bin/python" -m pip install --quiet --disable-pip-version-check uv
{
    echo "# Every package that Stoker is built, run and tested with. Written by \`make lock\`; do not edit."
    "$scratch/bin/uv" pip compile pyproject.toml --quiet --upgrade --all-extras --universal \
        --python-version 3.11 --generate-hashes --no-header --no-annotate \
        --no-emit-index-url --no-emit-find-links
} >"$scratch/requirements.lock"
mv "$scratch/requirements.lock" requirements.lock
