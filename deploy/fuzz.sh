#!/usr/bin/env bash
# Feeds the readers of evidence with inputs that libFuzzer makes of the corpus in Tests/Fuzzing, guided by what code each
# one reaches: no crash, no input that takes ten seconds, no more than a gigabyte of memory.
#
#   deploy/fuzz.sh [SECONDS]      for each of the readers; 20 by default
#
# The three modules that read strangers' bytes are built with libFuzzer's instrumentation, everything else is taken from
# the debug build (`swift build --build-tests`), so that this takes a minute. What it finds is in .build/fuzz.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly seconds=${1:-20}
readonly debug=$PWD/.build/debug
readonly out=$PWD/.build/fuzz
readonly fuzzer=$out/fuzz
readonly modules=(StrictJSON Offers EvidenceRecognition AppStore)

fail() {
    printf 'fuzzing failed: %s\n' "$*" >&2
    exit 1
}

[[ -s $debug/offer-signer.product/Objects.LinkFileList ]] || fail "there is no debug build; make test-build makes it."
mkdir -p "$out/modules"

# The C modules that the libraries import.
maps=()
while read -r map; do
    maps+=(-Xcc "-fmodule-map-file=$map")
done < <(
    find "$PWD"/.build/checkouts/*/Sources -path '*/include/module.modulemap' ! -path '*Benchmarks*'
    find "$debug"/*.build -maxdepth 1 -name module.modulemap
)

compile() {
    swiftc -swift-version 6 -package-name offer_signer -parse-as-library -O -whole-module-optimization \
        -sanitize=fuzzer -enable-testing \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -I "$out/modules" -I "$debug/Modules" "${maps[@]}" -module-name "$1" \
        -emit-module -emit-module-path "$out/modules/$1.swiftmodule" -c -o "$out/$1.o" "${@:2}"
}

if [[ ! -x $fuzzer || -n $(find "${modules[@]/#/Sources/}" Tests/Fuzzing deploy/fuzz.sh Package.swift -type f \
    -newer "$fuzzer" -print -quit) ]]; then
    for module in "${modules[@]}"; do
        mapfile -t sources < <(find "Sources/$module" -name '*.swift' | sort)
        compile "$module" "${sources[@]}"
    done
    compile Fuzzing Tests/Fuzzing/*.swift
    # All that the executable is linked of, but the package's own modules.
    own=$(find Sources -mindepth 1 -maxdepth 1 -printf '%f\n' | sed 's/-/_/g' | paste -sd '|')
    grep -vE "/($own)\.build/" "$debug/offer-signer.product/Objects.LinkFileList" >"$out/libraries"
    swiftc -sanitize=fuzzer -parse-as-library "$out"/*.o "@$out/libraries" -o "$fuzzer"
fi

for target in jws payload receipt verifyReceipt; do
    found=$out/$target
    mkdir -p "$found"
    log=$out/$target.log
    corpus=("Tests/Fuzzing/corpus/$target")
    [[ $target != verifyReceipt ]] || corpus+=(keys.example/receipt-responses)
    FUZZ_TARGET=$target FUZZ_ROOT=Tests/Fuzzing/root.der "$fuzzer" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=1024 -max_len=65536 -artifact_prefix="$out/$target-" "$found" "${corpus[@]}" \
        >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        fail "$target: the input is in $out, its name begins with $target-."
    }
    runs=$(sed -nE 's/^Done ([0-9]+) runs.*/\1/p' "$log")
    coverage=$(sed -nE 's/^#[0-9]+.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
    [[ ${runs:-0} -gt 0 ]] || fail "$target: nothing was tried, see $log."
    printf '   %-14s %9d inputs, %6d places of the code reached, no crash\n' "$target" "$runs" "${coverage:-0}"
done
