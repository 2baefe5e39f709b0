#!/usr/bin/env bash
# Builds the service and its tests with a sanitizer of the compiler, and runs all tests with it: those that the tests start
# as a process of its own too; then the service under load. Whatever a sanitizer reports, in whichever process, is a failure.
#
#   deploy/sanitize.sh [SANITIZER]...      SANITIZER: address, thread; both by default
#
# Each is a build of its own, in .build/sanitize-SANITIZER; its reports are there in reports/.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

heading() {
    if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
        printf '\n\e[1m== %s\e[0m\n' "$*"
    else
        printf '\n== %s\n' "$*"
    fi
}

# How long the service is under load.
readonly seconds=30

fail() {
    printf 'sanitize failed: %s\n' "$*" >&2
    exit 1
}

# What is left out, and why. A name is one of swift test's: SUITE or SUITE/FUNCTION.
skipped() {
    cat <<'END'
KeyMemoryTests                         reads all memory of a process: a sanitizer's own is terabytes
MemoryScanTests                        reads all memory of a process: a sanitizer's own is terabytes
TokenTests/memory                      reads all memory of a process: a sanitizer's own is terabytes
SecretNumberTests                      reads the stack below its frame: a sanitizer watches over that
SecureHeapTests/flags                  needs mlock, which a sanitizer makes do nothing
SecureHeapTests/secretWithinLimit      needs munlock, which a sanitizer makes do nothing
ProcessProtectionTests/ordinaryMemory  needs mlock, which a sanitizer makes do nothing
StartTests/withoutArguments            without /proc, which a sanitizer reads
StartTests/shortage                    an address space in which a sanitizer has no room
LoadTests/openLoop                     a rate, which a sanitized service need not reach
END
}

# On Linux, what is in Swift's own libraries is not instrumented: mutex.c tells of what matters there. The sanitizer does
# not start where addresses are drawn from more than 28 bits, so they are not drawn at random.
prepare_thread() {
    mkdir -p "$scratch"
    clang -O2 -Wall -Wextra -Werror -c deploy/sanitize/mutex.c -o "$scratch/mutex.o"
    # An executable is linked anew when its objects have changed, but not when this one has.
    options+=(-Xlinker "$PWD/$scratch/mutex.o")
    if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
    # What is written to one socket is not before what is read from another: all of them would count as one otherwise, and
    # in a server hardly anything would be a race.
    export TSAN_OPTIONS="$common:io_sync=0:suppressions=$PWD/deploy/sanitize/known"
}

# Leaks are not looked for: a process that nobody may trace cannot look at itself. Little of what was freed is kept back,
# as tests hold the service's memory to be flat.
prepare_address() {
    export ASAN_OPTIONS="$common:detect_leaks=0:quarantine_size_mb=8"
}

# Shows by a program of two dozen lines that what comes is to be believed: it finds a race, and does not take a mutex for
# one, for which mutex.c is needed.
prove_thread() {
    local proof=$scratch/proof
    swiftc -swift-version 6 -parse-as-library -sanitize=thread deploy/sanitize/proof.swift -o "$proof-bare"
    swiftc -swift-version 6 -parse-as-library -sanitize=thread deploy/sanitize/proof.swift "$scratch/mutex.o" -o "$proof"
    races() {
        TSAN_OPTIONS="suppressions=$PWD/deploy/sanitize/known" "${launcher[@]}" "$@" 2>&1 | tee "$proof.log" | grep -c '^WARNING: ThreadSanitizer: .*race' || true
    }
    [[ $(races "$proof-bare") -gt 0 ]] ||
        fail 'without deploy/sanitize/mutex.c a mutex is no race either: it is needed no more, or the proof shows nothing.'
    [[ $(races "$proof") -eq 0 ]] || fail "a mutex is taken for a race: see $proof.log."
    [[ $(races "$proof" race) -gt 0 ]] || fail "a race is not found: see $proof.log."
    echo '   the thread sanitizer finds a race where there is one, and none in what a mutex protects'
}

# Fails when a process has reported something.
judge() {
    local found
    found=$(find "$reports" -type f | wc -l)
    [[ $found -gt 0 ]] || return 0
    grep -rhoE '^SUMMARY: .*' "$reports" | sort | uniq -c | sort -rn >&2 || true
    fail "the $sanitizer sanitizer has something to report in $found processes: see $reports."
}

# Tests ask little at once, and a race shows when two threads are at the same place: so, every kind of evidence by many
# connections, for a while.
load() {
    local kinds=receiptResponse=4,receipt,signedTransactions,transactionId,held example=$scratch/example status=0
    rm -rf "$example"
    cp -r keys.example "$example"
    chmod 600 "$example"/SubscriptionKey_*.p8
    "${launcher[@]}" "$scratch/debug/offer-lab" load --self --config "$example/offer-signer.yaml" --mix "$kinds" \
        --connections 16 --duration "$seconds" --timeout 60 || status=$?
    judge
    [[ $status -eq 0 ]] || fail "the service under load fails with the $sanitizer sanitizer."
}

run() {
    local sanitizer=$1 scratch=.build/sanitize-$1 reports options launcher=() common skip='' name run
    options=(--sanitize="$sanitizer" --scratch-path "$scratch")
    reports=$PWD/$scratch/reports
    # Every process writes its reports to a file of its own: what a child says to its standard error is not seen, and tests
    # run children as other users.
    common=log_path=$reports/report
    heading "The $sanitizer sanitizer: building the service and its tests"
    "prepare_$sanitizer"
    "${launcher[@]}" swift build --build-tests "${options[@]}"
    if [[ $sanitizer == thread ]]; then
        heading "The thread sanitizer: what it can see"
        prove_thread
    fi

    heading "The $sanitizer sanitizer: unit and end-to-end tests"
    rm -rf "$reports"
    mkdir -p "$reports"
    chmod 1777 "$reports"
    while read -r name _; do skip+=${skip:+|}$name; done < <(skipped)
    # In two runs, for the reason that the Makefile gives. Those of the executables take turns, as many at once as there are
    # processors: a sanitized one that gets no turn for a minute fails.
    local status=0 count=0 found runs which
    runs=('--no-parallel --skip ^EndToEndTests\.' '--filter ^EndToEndTests\.')
    for run in "${runs[@]}"; do
        read -ra which <<<"$run"
        rm -f "$scratch"/tests*.xml
        SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(nproc) "${launcher[@]}" swift test --skip-build --disable-xctest \
            "${options[@]}" "${which[@]}" --skip "$skip" --xunit-output "$scratch/tests.xml" || status=$?
        judge
        [[ $status -eq 0 ]] || fail "a test fails with the $sanitizer sanitizer, which itself has nothing to report."
        found=$(sed -nE 's/.*<testsuite [^>]*tests="([0-9]+)".*/\1/p' "$scratch"/tests*.xml | sort -n | tail -n 1)
        [[ ${found:-0} -gt 0 ]] || fail 'swift test ran no test.'
        count=$((count + found))
    done

    heading "The $sanitizer sanitizer: the service under load"
    load
    outcomes+=("$sanitizer sanitizer: $count tests and $seconds seconds of load, nothing reported")
}

sanitizers=("$@")
[[ $# -gt 0 ]] || sanitizers=(address thread)
for sanitizer in "${sanitizers[@]}"; do
    [[ $sanitizer == address || $sanitizer == thread ]] || fail "there is no sanitizer $sanitizer here: address, thread."
done
outcomes=()
for sanitizer in "${sanitizers[@]}"; do run "$sanitizer"; done
heading 'No sanitizer has anything to report'
printf '   %s\n' "${outcomes[@]}"
echo '   left out of the tests:'
skipped | sed -E 's/^([^ ]+) +/      \1: /'
