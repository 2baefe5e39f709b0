#!/usr/bin/env bash
# Checks that the image has every library that the executable needs, and that none is looked for beside it, where others may
# put files: deploy/check-libraries.sh EXECUTABLE.
# Without the image: dpkg says which package each library is of, and deploy/Dockerfile what is installed.

set -euo pipefail

executable=$1
if readelf --dynamic "$executable" | grep -E '\((RUNPATH|RPATH)\).*[$]ORIGIN'; then
    echo "$executable: libraries are looked for beside it. Build it with --disable-local-rpath." >&2
    exit 1
fi
dockerfile=$(dirname "${BASH_SOURCE[0]}")/Dockerfile
# What debian:bookworm-slim has of itself, as dpkg and apt need it.
base='libc6 libgcc-s1 libstdc++6 zlib1g'

if ! command -v dpkg >/dev/null; then
    echo 'No dpkg here: the libraries of the image are not checked.'
    exit 0
fi

# The last stage is the image.
installed=$(awk '/^FROM /{ packages = "" } /apt-get install/{ packages = packages " " $0 } END { print packages }' "$dockerfile")
missing=0
while read -r library; do
    # Swift's own are in the optimised executable.
    [[ $library =~ ^lib(swift|Foundation|_Foundation|dispatch|BlocksRuntime) ]] && continue
    path=$(ldd "$executable" | awk -v library="$library" '$1 == library { print $3 }')
    # The dynamic linker itself is told without a path.
    [[ -n $path ]] || continue
    # dpkg knows files by the paths that they were installed under, in /usr or not.
    resolved=$(readlink -f "$path")
    package=$( (dpkg -S "$resolved" || dpkg -S "${resolved#/usr}") 2>/dev/null | head -1 | cut -d: -f1) || true
    # Debian 13 calls some libraries so since their times have 64 bits.
    package=${package%t64}
    if [[ " $base $installed " != *" ${package:-?} "* ]]; then
        echo "deploy/Dockerfile: the image lacks $library, of the package ${package:-that dpkg does not know}." >&2
        missing=1
    fi
done < <(readelf --dynamic "$executable" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
exit "$missing"
