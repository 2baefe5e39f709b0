#!/usr/bin/env bash
# Checks what is around the service without running any of it: shell scripts, Makefile, Python scripts, links and names
# of tests in the documents, YAML, alerts, Dockerfile, Kubernetes, systemd unit. Needs shellcheck, pyflakes,
# markdown-it-py, yamllint, promtool, hadolint, kubernetes-validate and systemd-analyze; `make lint` installs them.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The worst exposure that the unit may have, in tenths, as systemd-analyze counts it: 1.2 of 10.
readonly exposure=12

heading() {
    if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
        printf '\n\e[1m== %s\e[0m\n' "$*"
    else
        printf '\n== %s\n' "$*"
    fi
}

passed() { printf '   %s\n' "$*"; }

for tool in shellcheck pyflakes markdown-it yamllint promtool hadolint kubernetes-validate systemd-analyze; do
    if ! command -v "$tool" >/dev/null; then
        echo "The command $tool is missing; 'make lint' installs it." >&2
        exit 1
    fi
done

workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT

heading 'Checking the shell scripts with shellcheck'
mapfile -t scripts < <(find .ci/run deploy findings -type f \( -name '*.sh' -o -path .ci/run \) | sort)
shellcheck --external-sources --enable=quote-safe-variables,deprecate-which,avoid-nullary-conditions "${scripts[@]}"
passed "${#scripts[@]} scripts, nothing found"

heading "Checking the Makefile's recipes with bash"
mapfile -t goals < <(sed -n '/^[a-z][a-z-]*:\( \|$\)/s/:.*//p' Makefile)
recipes=0
for goal in "${goals[@]}"; do
    # Makes nothing: every recipe is printed as the shell would get it. Each is parsed by itself, as a quotation mark
    # that is missing in one would be made up for by the next.
    make --dry-run --always-make "$goal" >"$workspace/recipes"
    while recipe= && while IFS= read -r line; do
        recipe+=$line$'\n'
        [[ $line == *\\ ]] || break
    done && [[ -n $recipe ]]; do
        if ! bash -n <<<"$recipe"; then
            printf "Bash cannot read this recipe of 'make %s':\n%s" "$goal" "$recipe" >&2
            exit 1
        fi
        recipes=$((recipes + 1))
    done <"$workspace/recipes"
done
passed "$recipes recipes of ${#goals[@]} goals, nothing found"

heading 'Checking the Python scripts with pyflakes'
# The benchmarks run by hand alone: a name that is not defined would be seen by whoever measures.
mapfile -t programs < <(find deploy Tests -type f -name '*.py' | sort)
pyflakes "${programs[@]}"
passed "${#programs[@]} scripts, nothing found"

heading 'Checking the links of the Markdown files'
links=$(python3 -B deploy/check-links.py)
passed "$links"

heading 'Checking that tests and files are there that the Markdown files name'
names=$(python3 -B deploy/check-names.py)
passed "$names"

heading 'Checking that one version is named everywhere'
version=$(sed -n 's/.*static let current = "\(.*\)"$/\1/p' Sources/offer-signer/Version.swift)
# Each file, and the line that names the version in it.
for place in \
    "Sources/Lab/offer-lab/OfferLab.swift:version: \"$version\"" \
    "Sources/OfferAPI/Description/openapi.yaml:  version: \"$version\"" \
    "deploy/Dockerfile:image.version=\"$version\"" \
    "deploy/kubernetes/sqlite/kustomization.yaml:newTag: $version" \
    "deploy/kubernetes/postgresql/kustomization.yaml:newTag: $version" \
    "CHANGELOG.md:## $version"; do
    if ! grep -qF -- "${place#*:}" "${place%%:*}"; then
        echo "${place%%:*} does not have '${place#*:}': Sources/offer-signer/Version.swift has version $version." >&2
        exit 1
    fi
done
passed "$version"

heading 'Checking that a release could be described'
deploy/release.sh --dry-run >"$workspace/release.log"
passed "$(head -n 1 "$workspace/release.log")"

heading 'Checking that Package.swift, and what is resolved, are of deploy/dependencies.txt'
packages=$(python3 -B deploy/dependencies.py check)
passed "$packages"

heading 'Checking the YAML files with yamllint'
mapfile -t files < <(find .github deploy keys.example Sources -type f \( -name '*.yaml' -o -name '*.yml' \) | sort)
yamllint --strict --config-file deploy/yamllint.yaml "${files[@]}"
passed "${#files[@]} files, nothing found"

heading 'Checking the alerts with promtool'
# Each fires where it should, with the words that somebody reads then, and does not fire close to that.
if ! {
    promtool check config deploy/prometheus/prometheus.yaml && promtool test rules deploy/prometheus/*.test.yaml
} >"$workspace/promtool.log" 2>&1; then
    cat "$workspace/promtool.log" >&2
    exit 1
fi
passed "$(cat deploy/prometheus/*.test.yaml | grep -c ' fires$') alerts, nothing found"

heading 'Checking the Dockerfile with hadolint'
hadolint --failure-threshold info deploy/Dockerfile
passed 'nothing found'

heading 'Checking the Kubernetes overlays, and their resources with kubernetes-validate'
mkdir "$workspace/kubernetes"
resources=$(python3 -B deploy/check-kubernetes.py "$workspace/kubernetes")
kubernetes-validate --strict --quiet "$workspace"/kubernetes/*.yaml
passed "$resources"

heading 'Checking the systemd units with systemd-analyze'
# `verify` wants every program of a unit to exist. The service is not installed here, so copies of the units name another
# program in its place.
cp deploy/systemd/*.service deploy/systemd/*.timer "$workspace"
sed -i 's|^ExecStart=/usr/local/bin/offer-signer\(-verify\)\? |ExecStart=/bin/true |' "$workspace"/*.service
if grep -L '^ExecStart=/bin/true ' "$workspace"/*.service | grep .; then
    echo "The unit above does not start /usr/local/bin/offer-signer, or this script has to follow it." >&2
    exit 1
fi
# The second time with the drop-in for PostgreSQL. It answers 0 even when it has something to say about another key than
# those it must have.
for drop_in in '' deploy/systemd/postgresql.conf; do
    for service in "$workspace"/*.service; do
        if [[ -n $drop_in ]]; then
            install -D -m 0644 "$drop_in" "$service.d/drop-in.conf"
        fi
    done
    systemd-analyze verify --man=no "$workspace"/*.service "$workspace"/*.timer 2>&1 | tee "$workspace/verify.log"
    if [[ -s $workspace/verify.log ]]; then
        echo "systemd-analyze verify has found the above." >&2
        exit 1
    fi
done
passed 'verify: nothing found'
for unit in deploy/systemd/*.service; do
    systemd-analyze security --offline=true --threshold="$exposure" --no-pager "$unit" >"$workspace/security.log" || {
        cat "$workspace/security.log"
        echo "$unit: the exposure is above $exposure tenths." >&2
        exit 1
    }
    passed "security: $(tail -n 1 "$workspace/security.log" | sed 's/^[^A-Za-z]*//')"
done
