#!/usr/bin/env bash
# Makes what deploy/compose.yaml mounts: the two keys of a ledger in PostgreSQL and a password, in deploy/secrets.
# Needs openssl. As root, the files become those of the service's user in the image, 65532.
#
# For a real installation, make the two keys once in the same way, keep a copy in your vault, and give them to all
# replicas: with another digest key limits would not count what was signed before.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
umask 077

if [[ -e secrets/shared ]]; then
    echo "deploy/secrets/shared is there already, and stays as it is."
    exit 0
fi

mkdir -p secrets/shared secrets/database secrets/configuration
openssl rand -out secrets/shared/digest-key 32
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out secrets/shared/checkpoint-key.p8
password=$(openssl rand -hex 24)
printf '%s' "$password" >secrets/database/password
printf 'database:5432:offer_signer:offer_signer:%s\n' "$password" >secrets/shared/passfile
if [[ $(id -u) -eq 0 ]]; then
    chown -R 65532:65532 secrets/shared secrets/configuration
    chmod 0755 secrets secrets/database
    chmod 0444 secrets/database/password
else
    echo "Not run as root: give deploy/secrets/shared and deploy/secrets/configuration to user 65532:"
    echo "sudo chown -R 65532 deploy/secrets/shared deploy/secrets/configuration"
fi
echo "Made deploy/secrets. Put your configuration and keys into deploy/secrets/configuration, as files of user 65532."
