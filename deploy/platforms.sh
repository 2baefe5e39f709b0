#!/usr/bin/env bash
# Tries what was built on the two newest releases of Debian, with their OpenSSL, SQLite, glibc, PostgreSQL and modules for
# tokens: the release executable, the demo, a fleet, and the tests of memory, databases and tokens.
#
#   deploy/platforms.sh [RELEASE OF DEBIAN...]      default: trixie sid
#
# EXECUTABLE names another executable than .build/release/offer-signer. Run it as root by `make platforms`, which builds
# first. The roots stay in .build-platforms: delete them for newer packages.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly release=${EXECUTABLE:-.build/release/offer-signer}
readonly tests=.build/debug/offer-signerPackageTests.xctest
readonly filter='KeyMemoryTests|MemoryScanTests|PostgreSQL|FailoverTests|StrangerTests|PoolerTests|LogTests|LogResetTests|TokenTests|TokenKindsTests'

if [[ $(id -u) -ne 0 ]]; then
    echo 'Making a root of another release needs root.' >&2
    exit 1
fi
for file in "$release" "$tests"; do
    [[ -e $file ]] || { echo "There is no $file: make platforms builds it." >&2 && exit 1; }
done
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
# The mirror that apt uses here, where this is Debian.
# shellcheck disable=SC2016 # apt's own variable
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/*$' || true)

heading() { printf '\n== %s\n' "$*"; }

# inside ROOT COMMAND...: runs a command there, with this folder and the toolchain at their places; nothing stays mounted. A
# shell is the first process, and collects orphans: an exit test of Swift's testing library may not end in one that has them.
inside() {
    # shellcheck disable=SC2016 # for the other shell
    unshare --mount --pid --fork bash -euc '
        root=$1 toolchain=$2
        shift 2
        mkdir -p "$root$PWD" "$root$toolchain"
        # A root that is no mount cannot be changed by what runs within, such as a test that hides a directory.
        mount --bind "$root" "$root"
        mount --bind "$PWD" "$root$PWD"
        mount --bind "$toolchain" "$root$toolchain"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        exec chroot "$root" env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            LD_LIBRARY_PATH="$toolchain/lib/swift/linux" sh -euc '"'"'cd "$1" && shift && "$@"; exit $?'"'"' sh "$PWD" "$@"
    ' bash "$1" "$toolchain" "${@:2}"
}

for name in "${@:-trixie sid}"; do
    # Without an argument both come as one.
    for suite in $name; do
        root=$PWD/.build-platforms/$suite
        if [[ ! -e $root/made ]]; then
            heading "Making a root of Debian $suite"
            rm -rf "$root"
            mkdir -p "${root%/*}"
            debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$root.log"
            cp /etc/resolv.conf "$root/etc/resolv.conf"
            inside "$root" apt-get -qq update
            inside "$root" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
                ca-certificates libcurl4 libxml2 libstdc++6 libp11-kit-dev >>"$root.log"
            inside "$root" deploy/install-dependencies.sh demo test fleet >>"$root.log"
            touch "$root/made"
        fi
        heading "Debian $suite"
        inside "$root" sh -c "dpkg-query --show --showformat='   \${Package} \${Version}\n' libc6 'libssl3*' libssl4 libsqlite3-0 \
            libpq5 'postgresql-[1-9]*' pgbouncer softhsm2 libnss3 p11-kit 'libtpm2-pkcs11-1*' 2>/dev/null || true"
        heading "Debian $suite: the demo, and check"
        inside "$root" deploy/demo.sh "$release"
        inside "$root" "$release" check --config keys.example/offer-signer.yaml
        heading "Debian $suite: a fleet that fails over"
        inside "$root" python3 -B Tests/Fleet/fleet.py "$release"
        heading "Debian $suite: memory, databases and tokens"
        inside "$root" env NO_COLOR=1 "$tests" --testing-library swift-testing --no-parallel --filter "$filter" 2>&1 |
            tee "$root.tests.log" | grep -E '^(✘|◇|✔) Test run|recorded an issue' || true
        grep -q '^✔ Test run with [1-9]' "$root.tests.log" ||
            { echo "The tests have failed on Debian $suite: see $root.tests.log." >&2 && exit 1; }
    done
done
