#!/usr/bin/env bash
# Builds the executable twice in the same place, from nothing, as `make build` does, and says whether both are the same
# bit for bit, or which parts of them differ.
#
#   deploy/reproduce.sh      two release builds: half an hour on two processors
#
# The place counts: paths of the sources are in what Swift compiles. So does the toolchain.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly place=.build-reproduce
copies=$(mktemp -d)
trap 'rm -rf "$copies" "$place"' EXIT

python3 -B deploy/dependencies.py resolve
read -ra flags < <(deploy/build-flags.sh)
export CC="$PWD/deploy/hardened-cc"
for number in 1 2; do
    rm -rf "$place"
    swift build -c release --product offer-signer --scratch-path "$place" "${flags[@]}"
    install -D --mode=0755 --strip "$place/release/offer-signer" "$copies/$number"
done

sha256sum "$copies"/[12] | sed "s|$copies/|build |"
if cmp -s "$copies/1" "$copies/2"; then
    echo 'Both builds are the same, bit for bit.'
    exit 0
fi
echo 'The builds differ, in these sections:'
mapfile -t sections < <(readelf --section-headers --wide "$copies/1" | sed -n 's/^ *\[ *[0-9]*\] \(\.[^ ]*\) .*/\1/p')
for section in "${sections[@]}"; do
    for number in 1 2; do
        objcopy --dump-section "$section=$copies/$number.section" "$copies/$number" /dev/null 2>/dev/null ||
            : >"$copies/$number.section"
    done
    if ! cmp -s "$copies/1.section" "$copies/2.section"; then
        echo "  $section: $(cmp -l "$copies/1.section" "$copies/2.section" | wc -l) bytes"
    fi
done
exit 1
