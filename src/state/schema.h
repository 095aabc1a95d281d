/*
 * schema - private to src/state: the tables of the store, of all rooms.
 *
 * Secrets are BLOBs of 32 bytes, SHA-256 of the value that the client has. Times are
 * seconds since 1970. Scopes are the bits of enum oauth_scope, folders one per line.
 * Deleting a grant's row revokes it; its tokens are deleted with it. A stamp says which
 * password the user had (users.h): with another one, the row is ignored. The id
 * of a vault is its name in lower case, its identity is never reused; places are
 * the order in which vaults were added and users were allowed.
 */
#pragma once

/* Step i upgrades a file from version i to i + 1; steps are never changed, only added. */
#define STORE_UPGRADES                                                                   \
    "CREATE TABLE secrets(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"    \
    "CREATE TABLE clients(id TEXT PRIMARY KEY, name TEXT NOT NULL, auth INT NOT NULL,"   \
    "  grants INT NOT NULL, secret BLOB, redirects TEXT NOT NULL, body BLOB NOT NULL,"   \
    "  created INT NOT NULL, seen INT NOT NULL, used INT NOT NULL);"                     \
    "CREATE INDEX clients_body ON clients(body);"                                        \
    "CREATE INDEX clients_seen ON clients(used, seen);"                                  \
    "CREATE TABLE codes(hash BLOB PRIMARY KEY, client TEXT NOT NULL,"                    \
    "  client_name TEXT NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL,"  \
    "  user TEXT NOT NULL, scopes INT NOT NULL, folders TEXT NOT NULL,"                  \
    "  expires INT NOT NULL) WITHOUT ROWID;"                                             \
    "CREATE TABLE grants(id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL,"      \
    "  client TEXT NOT NULL, client_name TEXT NOT NULL, redirect_host TEXT NOT NULL,"    \
    "  scopes INT NOT NULL, folders TEXT NOT NULL, created INT NOT NULL,"                \
    "  used INT NOT NULL, code BLOB, counter INT NOT NULL, rotations BLOB NOT NULL,"     \
    "  latest INT NOT NULL, expires INT NOT NULL);"                                      \
    "CREATE UNIQUE INDEX grants_code ON grants(code);"                                   \
    "CREATE INDEX grants_user ON grants(user);"                                          \
    "CREATE INDEX grants_client ON grants(client);"                                      \
    "CREATE TABLE tokens(hash BLOB PRIMARY KEY, grant_id INT NOT NULL,"                  \
    "  scopes INT NOT NULL, created INT NOT NULL, expires INT NOT NULL) WITHOUT ROWID;"  \
    "CREATE INDEX tokens_grant ON tokens(grant_id, created);"                            \
    "CREATE INDEX tokens_expires ON tokens(expires);"                                    \
    "CREATE TABLE consents(user TEXT NOT NULL, client TEXT NOT NULL,"                    \
    "  host TEXT NOT NULL, scopes INT NOT NULL, folders TEXT NOT NULL,"                  \
    "  created INT NOT NULL, PRIMARY KEY(user, client, host)) WITHOUT ROWID;"            \
    "CREATE TABLE sign_ins(hash BLOB PRIMARY KEY, user TEXT NOT NULL,"                   \
    "  expires INT NOT NULL) WITHOUT ROWID;"                                             \
    "CREATE TABLE pins(provider TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL,"    \
    "  PRIMARY KEY(provider, name)) WITHOUT ROWID;"                                      \
    "CREATE TABLE keys(id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE," \
    "  name TEXT NOT NULL UNIQUE, scopes INT NOT NULL, folders TEXT NOT NULL,"           \
    "  created INT NOT NULL, used INT NOT NULL);"                                        \
    "CREATE TABLE jwt_keys(kid TEXT PRIMARY KEY, alg INT NOT NULL,"                      \
    "  private BLOB NOT NULL, public BLOB NOT NULL, created INT NOT NULL)"               \
    "  WITHOUT ROWID;",                                                                  \
        "CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;", \
        "ALTER TABLE codes ADD COLUMN stamp TEXT NOT NULL DEFAULT '';"                   \
        "ALTER TABLE grants ADD COLUMN stamp TEXT NOT NULL DEFAULT '';"                  \
        "ALTER TABLE consents ADD COLUMN stamp TEXT NOT NULL DEFAULT '';"                \
        "ALTER TABLE sign_ins ADD COLUMN stamp TEXT NOT NULL DEFAULT '';",               \
        "CREATE TABLE documents(url TEXT PRIMARY KEY, text TEXT NOT NULL,"               \
        "  fetched INT NOT NULL) WITHOUT ROWID;",                                        \
        "CREATE TABLE lockouts(user BLOB PRIMARY KEY, failures INT NOT NULL,"            \
        "  seen INT NOT NULL, until INT NOT NULL) WITHOUT ROWID;",                       \
        "CREATE TABLE memos(name TEXT NOT NULL, part TEXT NOT NULL,"                     \
        "  value TEXT NOT NULL, expires INT NOT NULL, PRIMARY KEY(name, part))"          \
        "  WITHOUT ROWID;"                                                               \
        "CREATE INDEX memos_expires ON memos(expires);"                                  \
        "CREATE TABLE visits(handle BLOB PRIMARY KEY, ticket BLOB NOT NULL,"             \
        "  state BLOB NOT NULL, browser BLOB NOT NULL, peer INT NOT NULL,"               \
        "  created INT NOT NULL, stage INT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;" \
        "CREATE INDEX visits_browser ON visits(browser);"                                \
        "CREATE INDEX visits_created ON visits(created);"                                \
        "CREATE TABLE once(name TEXT PRIMARY KEY, replica TEXT NOT NULL,"                \
        "  request BLOB NOT NULL, number INT NOT NULL, answer TEXT NOT NULL,"            \
        "  expires INT NOT NULL) WITHOUT ROWID;"                                         \
        "CREATE INDEX once_expires ON once(expires);"                                    \
        "CREATE TABLE heads(vault TEXT NOT NULL, replica TEXT NOT NULL,"                 \
        "  number INT NOT NULL, id TEXT NOT NULL, PRIMARY KEY(vault, replica))"          \
        "  WITHOUT ROWID;"                                                               \
        "CREATE TABLE marks(vault TEXT NOT NULL, owner TEXT NOT NULL,"                   \
        "  replica TEXT NOT NULL, number INT NOT NULL, seen INT NOT NULL,"               \
        "  PRIMARY KEY(vault, owner, replica)) WITHOUT ROWID;"                           \
        "CREATE INDEX marks_seen ON marks(seen);",                                       \
        "CREATE TABLE vaults(id TEXT PRIMARY KEY, name TEXT NOT NULL,"                   \
        "  folder TEXT NOT NULL, remote TEXT NOT NULL, created INT NOT NULL)"            \
        "  WITHOUT ROWID;"                                                               \
        "CREATE TABLE vault_users(vault TEXT NOT NULL, person TEXT NOT NULL,"            \
        "  PRIMARY KEY(vault, person)) WITHOUT ROWID;",                                  \
        "CREATE INDEX marks_owner ON marks(owner);",                                     \
        "CREATE TABLE tallies(name BLOB PRIMARY KEY, bucket INT NOT NULL,"               \
        "  n INT NOT NULL, earlier INT NOT NULL, expires INT NOT NULL)"                  \
        "  WITHOUT ROWID;",                                                              \
        "ALTER TABLE once ADD COLUMN process TEXT NOT NULL DEFAULT '';",                 \
        "ALTER TABLE vaults ADD COLUMN identity TEXT NOT NULL DEFAULT '';"               \
        "ALTER TABLE vaults ADD COLUMN place INT NOT NULL DEFAULT 0;"                    \
        "ALTER TABLE vault_users ADD COLUMN place INT NOT NULL DEFAULT 0;"               \
        "UPDATE vaults SET identity = 'earlier-' || id, place = (SELECT count(*) "       \
        "  FROM vaults o WHERE (o.created, o.id) <= (vaults.created, vaults.id));"       \
        "DELETE FROM vault_users WHERE vault NOT IN (SELECT id FROM vaults);"            \
        "UPDATE vault_users SET place = (SELECT v.place FROM vaults v "                  \
        "  WHERE v.id = vault_users.vault), vault = 'earlier-' || vault;"                \
        "DELETE FROM marks WHERE lower(vault) IN (SELECT id FROM vaults);"               \
        "DELETE FROM heads WHERE lower(vault) IN (SELECT id FROM vaults);",              \
        "CREATE TABLE proposals(id TEXT PRIMARY KEY, vault TEXT NOT NULL,"               \
        "  owner TEXT NOT NULL, created INT NOT NULL, state INT NOT NULL,"               \
        "  summary TEXT NOT NULL, bytes INT NOT NULL, body BLOB NOT NULL,"               \
        "  key TEXT NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL,"              \
        "  decided INT NOT NULL, decided_by TEXT NOT NULL, reason TEXT NOT NULL,"        \
        "  change_number INT NOT NULL);"                                                 \
        "CREATE UNIQUE INDEX proposals_key ON proposals(vault, key);"                    \
        "CREATE INDEX proposals_vault ON proposals(vault, created);",                    \
        "ALTER TABLE proposals ADD COLUMN choice TEXT NOT NULL DEFAULT '';"              \
        "CREATE INDEX proposals_decided ON proposals(decided);",                         \
        "ALTER TABLE proposals ADD COLUMN paths TEXT NOT NULL DEFAULT '';",

/*
 * What PostgreSQL has in addition: how often something was revoked, counted in the same
 * transaction, so that no process can miss it. SQLite has such a counter itself
 * (data_version). And who leads which work (replica/leader.h), and
 * who is alive (replica/lease.h).
 */
#define STORE_COUNT_REVOCATIONS(table)                                                   \
    "CREATE TRIGGER count_revocation AFTER DELETE ON " table                             \
    " REFERENCING OLD TABLE AS gone FOR EACH STATEMENT "                                 \
    "EXECUTE FUNCTION vaultd_count_revocation();"
#define STORE_POSTGRES_FIRST                                                             \
    "CREATE TABLE vaultd_version(version bigint NOT NULL);"                              \
    "CREATE TABLE revocations(n bigint NOT NULL);"                                       \
    "INSERT INTO revocations VALUES(1);"                                                 \
    "CREATE TABLE duties(name text PRIMARY KEY, fence bigint NOT NULL);"                 \
    "CREATE FUNCTION vaultd_count_revocation() RETURNS trigger LANGUAGE plpgsql AS "     \
    "'BEGIN IF EXISTS (SELECT FROM gone) THEN UPDATE revocations SET n = n + 1; END IF;" \
    " RETURN NULL; END';" STORE_COUNT_REVOCATIONS("grants")                              \
        STORE_COUNT_REVOCATIONS("tokens") STORE_COUNT_REVOCATIONS("keys")

/*
 * Every change of the table of vaults counts, too, and is announced when it is committed,
 * as by store_revoked(): 0 is PG_REVOKED. The command line makes them, and ends at once.
 */
#define STORE_COUNT_CHANGES(table)                                                       \
    "CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON " table             \
    " FOR EACH STATEMENT EXECUTE FUNCTION vaultd_count_change();"
#define STORE_POSTGRES_VAULTS                                                            \
    "CREATE FUNCTION vaultd_count_change() RETURNS trigger LANGUAGE plpgsql AS "         \
    "$$BEGIN UPDATE revocations SET n = n + 1; PERFORM pg_notify('vaultd', '- 0 ');"     \
    " RETURN NULL; END$$;" STORE_COUNT_CHANGES("vaults")                                 \
        STORE_COUNT_CHANGES("vault_users")

#define STORE_POSTGRES_LEASES                                                            \
    "CREATE TABLE leases(process text PRIMARY KEY, seen bigint NOT NULL)"

/* Which version has which of them. */
#define STORE_POSTGRES_ADDITIONS                                                         \
    {1, STORE_POSTGRES_FIRST}, {8, STORE_POSTGRES_VAULTS},                               \
    {                                                                                    \
        9, STORE_POSTGRES_LEASES                                                         \
    }
