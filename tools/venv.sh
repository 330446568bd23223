#!/usr/bin/env bash
# Make a virtual environment at $1 with $PYTHON (python3 by default).
# Debian ships venv apart from Python: as root we fetch it, otherwise we say what is missing.
set -euo pipefail

venv=${1:?usage: tools/venv.sh DIRECTORY}
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "stoker needs Python 3.11 or newer; $python is $("$python" -V). Try: make PYTHON=python3.12 …" >&2
    exit 1
}

has_venv() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null
}

install_venv() {
    local version
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null
    apt-get install -qq -y --no-install-recommends "python${version}-venv" >/dev/null
}

if ! has_venv; then
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
        echo "Installing Debian's venv for $("$python" -V) …" >&2
        install_venv
    fi
    has_venv || {
        echo "$python has no venv module; install it first (on Debian: apt-get install python3-venv)." >&2
        exit 1
    }
fi

"$python" -m venv "$venv"
