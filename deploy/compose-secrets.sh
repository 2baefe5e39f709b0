#!/usr/bin/env bash
# Makes what deploy/compose.yaml mounts: the two keys of a ledger in PostgreSQL and passwords, in deploy/secrets.
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

mkdir -p secrets/shared secrets/owner secrets/database secrets/configuration
openssl rand -out secrets/shared/digest-key 32
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out secrets/shared/checkpoint-key.p8
openssl rand -hex 24 >secrets/database/password
for role in service owner; do
    password=$(openssl rand -hex 24)
    printf '%s' "$password" >"secrets/database/$role-password"
    [[ $role == service ]] && file=secrets/shared/passfile name=offer_signer
    [[ $role == owner ]] && file=secrets/owner/passfile name=offer_signer_owner
    printf 'database:5432:offer_signer:%s:%s\n' "$name" "$password" >"$file"
done
# For the database's user in its image, whose number differs: keep other users out of the directory above.
chmod 0755 secrets secrets/database
chmod 0444 secrets/database/*password
if [[ $(id -u) -eq 0 ]]; then
    chown -R 65532:65532 secrets/shared secrets/owner secrets/configuration
else
    echo "Not run as root: give shared, owner and configuration in deploy/secrets to user 65532:"
    echo "sudo chown -R 65532 deploy/secrets/shared deploy/secrets/owner deploy/secrets/configuration"
fi
echo "Made deploy/secrets. Put your configuration and keys into deploy/secrets/configuration, as files of user 65532."
