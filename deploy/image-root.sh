#!/usr/bin/env bash
# Does the second half of the Dockerfile in a folder, where there is no container engine: Debian by debootstrap, the
# packages that the Dockerfile names, the executable as its user. Then the service has to start there and answer.
#
#   deploy/image-root.sh [EXECUTABLE]      default: .build/release/offer-signer; as root, some 200 MB are downloaded
#
# The first half, the build in swift:6.3-bookworm, is not done here.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

executable=${1:-.build/release/offer-signer}
readonly dockerfile=deploy/Dockerfile

if [[ $(id -u) -ne 0 ]] || ! command -v debootstrap >/dev/null; then
    echo "This needs root, and debootstrap (apt-get install debootstrap)." >&2
    exit 1
fi

# What the last stage of the Dockerfile says, each from its own line.
stage=$(sed -n '/^FROM debian:/,$p' "$dockerfile")
suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim$/\1/p' <<<"$stage")
read -ra packages <<<"$(sed -n 's/.*apt-get install --yes --no-install-recommends \(.*\) \\$/\1/p' <<<"$stage")"
directory=$(sed -n 's/^RUN install --directory --owner=65532 --group=65532 --mode=0700 //p' <<<"$stage")
mapfile -t environment < <(sed -n 's/^ENV //p' <<<"$stage")
user=$(sed -n 's/^USER \([0-9]*\):\([0-9]*\)$/\1/p' <<<"$stage")
if [[ -z $suite || ${#packages[@]} -eq 0 || -z $directory || ${#environment[@]} -eq 0 || -z $user ]]; then
    echo "$dockerfile has changed, and this script has to follow it." >&2
    exit 1
fi

root=$(mktemp -d)
chmod 0755 "$root"
service=
clean() {
    if [[ -n $service ]]; then
        kill "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
    fi
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap clean EXIT

echo "Making $suite with ${packages[*]} in $root"
include=$(IFS=,; echo "${packages[*]}")
debootstrap --variant=minbase --include="$include" "$suite" "$root" >"$root.log" 2>&1 || {
    tail -20 "$root.log" >&2
    exit 1
}
rm -f "$root.log"
install -D --mode=0755 --strip "$executable" "$root/usr/local/bin/offer-signer"
install --mode=0755 deploy/verify-ledger.sh "$root/usr/local/bin/offer-signer-verify"
install --directory --owner="$user" --group="$user" --mode=0700 "$root$directory"

# The example in the place of a configuration, its key the user's alone.
mkdir "$root/etc/offer-signer"
cp keys.example/*.yaml keys.example/*.p8 "$root/etc/offer-signer"
chown "$user" "$root"/etc/offer-signer/*.p8
chmod 0400 "$root"/etc/offer-signer/*.p8
mount -t proc proc "$root/proc"

# Nothing of the host's environment, and no right that root has.
within=(env --ignore-environment PATH=/usr/local/bin:/usr/bin:/bin "${environment[@]}"
    /usr/sbin/chroot --userspec="$user:$user" "$root")

"${within[@]}" offer-signer --version
"${within[@]}" offer-signer check --config /etc/offer-signer/offer-signer.yaml
"${within[@]}" offer-signer serve --config /etc/offer-signer/offer-signer.yaml --server-port 0 --admin-port 0 \
    >"$root/tmp/first-line" 2>"$root/tmp/log" &
service=$!
for _ in {1..100}; do
    if [[ -s $root/tmp/first-line ]]; then
        break
    fi
    sleep 0.1
done
admin=$(sed -n 's/.*admin \(http[^ ,]*\).*/\1/p' "$root/tmp/first-line")
if [[ -z $admin ]] || ! curl --silent --fail --max-time 5 "$admin/readyz" >/dev/null; then
    cat "$root/tmp/first-line" "$root/tmp/log" >&2
    echo "The service is not ready in the image's root." >&2
    exit 1
fi
kill "$service"
wait "$service"
service=
echo "Ready, and stopped with exit status 0, as user $user. The root has $(du -sh --exclude=proc "$root" | cut -f1)."
