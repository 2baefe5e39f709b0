#!/usr/bin/env bash
# Makes the two roles of deploy/postgresql.md in the database of deploy/compose.yaml, when that is made: PostgreSQL's image runs it.

set -euo pipefail

# One that cannot be read ends this: PostgreSQL takes an empty password for none.
owner=$(cat /run/secrets/owner-password)
service=$(cat /run/secrets/service-password)
psql --set ON_ERROR_STOP=1 --username postgres --dbname offer_signer --set owner="$owner" --set service="$service" <<'END'
CREATE ROLE offer_signer_owner LOGIN PASSWORD :'owner';
CREATE ROLE offer_signer LOGIN PASSWORD :'service';
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO offer_signer_owner;
GRANT USAGE ON SCHEMA public TO offer_signer;
ALTER DEFAULT PRIVILEGES FOR ROLE offer_signer_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO offer_signer;
END
