#!/usr/bin/env bash
# Makes what a release publishes, up to the upload, which it leaves to you.
#
#   deploy/release.sh --dry-run         says what a release would stop at and what it would do; makes nothing
#   deploy/release.sh archive           builds, checks, and packs the executable for this machine's processor
#   deploy/release.sh image             builds the image for two processors, from base images by digest; needs docker buildx
#   deploy/release.sh sign              writes SHA256SUMS over all that is there, and signs it with RELEASE_KEY (SSH's)
#
# A release is `archive` on a machine of each processor, the archives of both in one folder, then `image` and `sign`. All of it
# is in .build/release-VERSION. EXECUTABLE names an executable that `make build` made elsewhere, in place of building.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(sed -n 's/.*static let current = "\(.*\)"$/\1/p' Sources/offer-signer/Version.swift)
processor=$(uname -m)
readonly version processor folder=.build/release-$version name=offer-signer-$version-linux-$processor
readonly platforms=linux/amd64,linux/arm64

say() { printf '%s\n' "$*"; }

# What a release must not be made with, one a line.
obstacles() {
    [[ -z $(git status --porcelain) ]] || say 'The work tree has changes that are not committed.'
    grep -Eq "^## ${version//./\\.} - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
        say "CHANGELOG.md has no section '## $version - DATE'."
    local top
    top=$(sed -n '0,/^## /s/^## \([^ ]*\).*/\1/p' CHANGELOG.md)
    [[ $top == "$version" ]] || say "CHANGELOG.md begins with $top, and Sources/offer-signer/Version.swift has $version."
    if git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null; then
        [[ $(git rev-parse "v$version^{commit}") == $(git rev-parse HEAD) ]] || say "The tag v$version is another commit."
    fi
    python3 -B deploy/dependencies.py check >/dev/null || say 'The packages are not those of deploy/dependencies.txt.'
}

# The images that the Dockerfile begins with.
base_images() { sed -n 's/^FROM \([^ ]*\).*/\1/p' deploy/Dockerfile; }

# The actions of continuous integration, OWNER/NAME@TAG.
actions() { sed -n 's/^ *- uses: \([^ ]*\).*/\1/p' .github/workflows/*.yml; }

# What a registry says today, so that the release names what it was built from. Nothing here is made up: without an answer
# there is no image.
digest_of() { docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1"; }

# The commit of an action's tag: of an annotated one what it points to, in the last line.
commit_of() {
    git ls-remote "https://github.com/${1%@*}" "refs/tags/${1#*@}" "refs/tags/${1#*@}^{}" | tail -n 1 | cut -f1
}

archive() {
    local executable=${EXECUTABLE:-.build/release/offer-signer} staging commit
    if [[ -z ${EXECUTABLE:-} ]]; then
        make build
    fi
    python3 -B deploy/check-hardening.py "$executable"
    deploy/check-libraries.sh "$executable"
    [[ $("$executable" --version) == "$version" ]] || { say "$executable is not $version." >&2 && exit 1; }

    staging=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf '$staging'" EXIT
    mkdir -p "$folder" "$staging/$name"
    install --mode=0755 --strip "$executable" "$staging/$name/offer-signer"
    install --mode=0755 deploy/verify-ledger.sh "$staging/$name/offer-signer-verify"
    install --mode=0644 LICENSE CHANGELOG.md deploy/systemd/* "$staging/$name"
    # Of the file that is published, so that its hash is in the document.
    python3 -B deploy/sbom.py "$staging/$name/offer-signer" >"$folder/$name.cdx.json"
    commit=$(git log -1 --format=%ct)
    tar --create --directory "$staging" --sort=name --mtime="@$commit" --owner=0 --group=0 --numeric-owner "$name" |
        gzip --no-name --best >"$folder/$name.tar.gz"
    say "$folder/$name.tar.gz and $name.cdx.json"
}

image() {
    local contexts=() image action
    mkdir -p "$folder"
    : >"$folder/digests.txt"
    while read -r image; do
        say "$image $(digest_of "$image")" >>"$folder/digests.txt"
        contexts+=(--build-context "$image=docker-image://${image%:*}@$(tail -n 1 "$folder/digests.txt" | cut -d' ' -f2)")
    done < <(base_images)
    while read -r action; do
        say "$action $(commit_of "$action")" >>"$folder/digests.txt"
    done < <(actions)
    if grep -v ' [^ ]' "$folder/digests.txt"; then
        say 'Nobody says which these are.' >&2
        exit 1
    fi
    docker buildx build --file deploy/Dockerfile --platform "$platforms" "${contexts[@]}" --provenance=mode=max --sbom=true \
        --tag "offer-signer:$version" --metadata-file "$folder/image.json" \
        --output "type=oci,dest=$folder/offer-signer-$version-image.tar" .
    say "The image's digest: $(jq -r '."containerimage.digest"' "$folder/image.json")"
}

sign() {
    (
        cd "$folder"
        rm -f SHA256SUMS SHA256SUMS.sig
        find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%f\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS
    )
    ssh-keygen -Y sign -n offer-signer -f "${RELEASE_KEY:?names the private key of SSH that signs releases}" "$folder/SHA256SUMS"
    upload
}

# What is left: it needs accounts that no script has.
upload() {
    cat <<END
To publish $version:
  git tag --sign v$version && git push origin v$version
  gh release create v$version $folder/* --notes-file <(awk '/^## / { on = (\$2 == "$version"); next } on' CHANGELOG.md)
  skopeo copy --all oci-archive:$folder/offer-signer-$version-image.tar docker://REGISTRY/offer-signer:$version
  cosign sign REGISTRY/offer-signer@DIGEST          # the digest of image.json, in deploy/kubernetes, too
  where it mends a fault of security: publish the advisory on the repository's Security page, with the version
END
}

dry_run() {
    local found image action
    found=$(obstacles)
    say "$version for $processor: $folder/$name.tar.gz, its bill of materials, an image for $platforms, SHA256SUMS, its signature"
    for image in $(base_images); do say "asks a registry for the digest of $image"; done
    for action in $(actions); do say "asks for the commit of $action"; done
    [[ -z $found ]] || say "A release would stop at this:" "$found"
    upload
}

case ${1:-} in
--dry-run) dry_run ;;
archive | image | sign)
    found=$(obstacles)
    if [[ -n $found ]]; then
        say "$found" >&2
        exit 1
    fi
    "$1"
    ;;
*)
    sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 64
    ;;
esac
