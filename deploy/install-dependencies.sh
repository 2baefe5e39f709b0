#!/usr/bin/env bash
# Installs what is missing to build, demonstrate or test Offer Signer on Debian or Ubuntu.
#
#   deploy/install-dependencies.sh GROUP...      GROUP: build, demo, test, fleet, platforms, bench, go, node
#
# A thing that is already there, from wherever it came, is left alone. When nothing is missing, nothing is run.
# On another system it names what is missing, and leaves the installing to you.

set -euo pipefail

usage() {
    echo "usage: $0 build|demo|test|fleet|platforms|bench|go|node ..." >&2
    exit 64
}

packages=()
promtool=there

# need PACKAGE WHY COMMAND...: the package is missing when the command fails.
need() {
    local package=$1 why=$2 known
    shift 2
    if "$@" >/dev/null 2>&1; then
        return
    fi
    for known in ${packages[@]+"${packages[@]}"}; do
        if [[ $known == "$package" ]]; then
            return
        fi
    done
    packages+=("$package")
    echo "Missing: $package, for $why."
}

# The linker lld: on the PATH, or with the Swift toolchain.
have_lld() {
    command -v ld.lld || [[ -x $(dirname "$(readlink -f "$(command -v swift)")")/ld.lld ]]
}

need_promtool() {
    if command -v promtool >/dev/null; then
        return
    fi
    promtool=wanted
    echo "Missing: promtool, for checking the alerts."
}

# From Debian 13 on it is a package. Before, it is a part of Prometheus' package, which would start a server when it is
# installed: it is taken out of it.
install_promtool() {
    local folder
    if apt-cache show promtool >/dev/null 2>&1; then
        apt install --yes --no-install-recommends promtool
        echo "Installed: promtool."
        return
    fi
    folder=$(mktemp -d)
    # apt downloads into the current folder.
    (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download prometheus)
    dpkg-deb --fsys-tarfile "$folder"/prometheus_*.deb | tar --extract --directory "$folder" ./usr/bin/promtool
    ${privileged[@]+"${privileged[@]}"} install -m 0755 "$folder/usr/bin/promtool" /usr/local/bin/promtool
    rm -r "$folder"
    echo "Installed: /usr/local/bin/promtool, from the package prometheus, without the server."
}

have_browser() {
    chromium --version || chromium-browser --version
}

# Ubuntu's chromium is a snap: its package has only a script that asks for that one.
need_browser() {
    if grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null; then
        have_browser >/dev/null 2>&1 ||
            echo "Left out: the tests of the operators' page, as Ubuntu has no package of chromium. One on the PATH is used."
    else
        need chromium "looking at the operators' page" have_browser
    fi
}

have_venv() {
    python3 -c 'import ensurepip, venv'
}

[[ $# -gt 0 ]] || usage
for group in "$@"; do
    case $group in
    build)
        if ! command -v swift >/dev/null; then
            echo "The Swift toolchain (6.3) is not on the PATH. https://www.swift.org/install/linux has it." >&2
            exit 1
        fi
        need lld "linking the executable" have_lld
        need pkg-config "finding the C libraries" command -v pkg-config
        need python3 "pinning the Swift packages" command -v python3
        need binutils "reading how the executable is linked" command -v readelf
        need libpq-dev "speaking with PostgreSQL" pkg-config --exists 'libpq >= 14'
        need libssl-dev "the signature itself: OpenSSL's headers" pkg-config --exists 'libcrypto >= 3.0'
        need libp11-kit-dev "keys in tokens: the types of PKCS#11" test -e /usr/include/p11-kit-1/p11-kit/pkcs11.h
        need libsqlite3-dev "the ledger: SQLite's headers" pkg-config --exists 'sqlite3 >= 3.35'
        need zlib1g-dev "packed answers over HTTP: zlib's headers" pkg-config --exists zlib
        ;;
    demo)
        need curl "asking the service" command -v curl
        need jq "reading and writing JSON" command -v jq
        need openssl "checking the signatures from outside" command -v openssl
        ;;
    test)
        need python3-venv "keeping their packages to themselves" have_venv
        need nodejs "the example of a backend in Node" command -v node
        need default-jdk-headless "generating clients, and compiling the one in Java" sh -c 'command -v java && command -v javac'
        need libgeronimo-annotation-1.3-spec-java "compiling it" test -e /usr/share/java/geronimo-annotation-1.3-spec.jar
        need golang-go "compiling the generated client in Go" command -v go
        need node-typescript "compiling the one in TypeScript" command -v tsc
        need ruby "running the one in Ruby" command -v ruby
        need ruby-typhoeus "its HTTP" ruby -r typhoeus -e ''
        need php-cli "running the one in PHP" command -v php
        need php-mbstring "its texts" php -r 'exit(extension_loaded("mbstring") ? 0 : 1);'
        need php-curl "its HTTP" php -r 'exit(extension_loaded("curl") ? 0 : 1);'
        need php-guzzlehttp-guzzle "its HTTP" test -e /usr/share/php/GuzzleHttp/autoload.php
        need_browser
        need gcc "the libraries that tests put under the service" sh -c 'command -v cc || command -v clang || command -v gcc'
        need libc6-dev "their headers" test -e /usr/include/stdlib.h
        need util-linux "running the service without privileges" sh -c 'command -v setpriv && command -v prlimit'
        need postgresql "a server to test against" sh -c 'ls /usr/lib/postgresql/*/bin/initdb || command -v initdb'
        need pgbouncer "a pooler to test against" sh -c 'command -v pgbouncer || test -x /usr/sbin/pgbouncer'
        need softhsm2 "a token to test with" command -v softhsm2-util
        need opensc "importing keys into it, as the guide does" command -v pkcs11-tool
        need p11-kit "a token in another process" command -v p11-kit
        need p11-kit-modules "its client" sh -c 'ls /usr/lib/*/pkcs11/p11-kit-client.so'
        need libnss3-tools "a token of NSS" sh -c 'command -v certutil && command -v pk12util'
        need libnss3 "its module" sh -c 'ls /usr/lib/*/libsoftokn3.so'
        need swtpm "a TPM to test with" command -v swtpm
        need tpm2-tools "speaking with it" command -v tpm2_flushcontext
        need libtss2-tcti-swtpm0 "speaking with it" sh -c 'ls /usr/lib/*/libtss2-tcti-swtpm.so.0'
        need libtpm2-pkcs11-1 "its module" sh -c 'ls /usr/lib/*/libtpm2_pkcs11.so.1 || ls /usr/lib/*/pkcs11/libtpm2_pkcs11.so.1'
        need libtpm2-pkcs11-tools "importing keys into it" command -v tpm2_ptool
        need gnutls-bin "key files of another tool" command -v certtool
        need openssh-client "key files of another one" command -v ssh-keygen
        need shellcheck "checking the shell scripts" command -v shellcheck
        need systemd "checking the systemd unit" command -v systemd-analyze
        need_promtool
        ;;
    fleet)
        need haproxy "the balancer in front of a fleet" sh -c 'command -v haproxy'
        need openssl "keys for a fleet" command -v openssl
        need postgresql "the servers of a fleet" sh -c 'ls /usr/lib/postgresql/*/bin/initdb || command -v initdb'
        ;;
    platforms)
        need debootstrap "other releases of Debian" command -v debootstrap
        ;;
    bench)
        need gcc "raw libcrypto, which the service is measured against" sh -c 'command -v cc'
        need libc6-dev "building it" test -e /usr/include/stdlib.h
        need openssl "public keys to check signatures with" command -v openssl
        need softhsm2 "keys in tokens" command -v softhsm2-util
        need p11-kit "a token in another process" command -v p11-kit
        need p11-kit-modules "its client" sh -c 'ls /usr/lib/*/pkcs11/p11-kit-client.so'
        need postgresql "the ledger in a database" sh -c 'ls /usr/lib/postgresql/*/bin/initdb || command -v initdb'
        need python3-venv "keeping their packages to themselves" have_venv
        ;;
    go) need golang-go "the benchmark's peer in Go" command -v go ;;
    node) need nodejs "the benchmark's peer in Node" command -v node ;;
    *) usage ;;
    esac
done

if [[ ${#packages[@]} -eq 0 && $promtool == there ]]; then
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    [[ $promtool == there ]] || packages+=(promtool)
    echo "There is no apt-get here. Please install these, by whatever name they have: ${packages[*]}" >&2
    exit 1
fi

privileged=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "Installing needs root, and there is no sudo. Run this as root." >&2
        exit 1
    fi
    privileged=(sudo)
    echo "Installing with apt-get, by sudo, which may ask for your password."
else
    echo "Installing with apt-get."
fi

# NEEDRESTART_SUSPEND keeps Ubuntu from asking which services to restart.
apt() {
    ${privileged[@]+"${privileged[@]}"} env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
        apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null
}

apt update
if [[ ${#packages[@]} -gt 0 ]]; then
    apt install --yes --no-install-recommends "${packages[@]}"
    echo "Installed: ${packages[*]}."
fi
if [[ $promtool == wanted ]]; then
    install_promtool
fi
