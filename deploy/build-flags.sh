#!/usr/bin/env bash
# Prints the arguments of `swift build` for the executable that serves: one place for the Makefile, the Dockerfile and
# deploy/reproduce.sh, so that all of them make the same.
# The flags for C reach our own and that of every package; what comes compiled, Swift's library, is as Swift built it.
#
#   CC=$PWD/deploy/hardened-cc swift build -c release $(deploy/build-flags.sh) --product offer-signer

set -euo pipefail

# With Swift's library in the executable it starts faster, signs a little faster, and runs without Swift.
# Without --disable-local-rpath, libraries beside the executable would be loaded in place of the system's.
# Linking with lld instead of gold saves 5 MB of memory.
# The packages are those of deploy/dependencies.txt, by Package.resolved, and no others.
flags=(--disable-local-rpath --only-use-versions-from-resolved-file --static-swift-stdlib -Xswiftc -use-ld=lld)

# Packed relocations, which glibc reads from 2.36 on, save 3 MB more.
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2) || glibc=0
if [[ $(printf '%s\n' 2.36 "$glibc" | sort --version-sort | head -1) == 2.36 ]]; then
    flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

# C of our own and of the packages reads what strangers send: a function whose buffer was overrun ends the process.
# deploy/check-hardening.py looks for that in the executable. _FORTIFY_SOURCE is in deploy/hardened-cc, which says why.
flags+=(-Xcc -fstack-protector-strong)
case $(uname -m) in
x86_64) flags+=(-Xcc -fcf-protection) ;;
aarch64) flags+=(-Xcc -mbranch-protection=standard) ;;
esac

echo "${flags[@]}"
