/*
 * store_sql - every statement of the store, and the tables they use.
 *
 * Secrets are BLOBs of 32 bytes, SHA-256 of the value that the client has. Times are
 * seconds since 1970. Scopes are the bits of enum oauth_scope, folders one per line.
 * Deleting a grant's row revokes it; its tokens are deleted with it. A stamp says which
 * password the user had (users.h): with another one, the row counts for nothing. The id
 * of a vault is its name in small letters, its identity is never used again; places are
 * the order in which vaults were added and people allowed.
 *
 * SQLite and PostgreSQL run the same statements, so they are written in what both know:
 * ON CONFLICT instead of INSERT OR, CASE instead of max(a, b), no LIMIT -1, a name for
 * every subquery. sql_text.h translates parameters and types.
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
        "DELETE FROM heads WHERE lower(vault) IN (SELECT id FROM vaults);",

/*
 * What PostgreSQL has in addition: how often something was revoked, counted in the same
 * transaction, so that no process can miss it. SQLite has such a counter itself
 * (data_version). And who has which duty (duty.h), and who is alive (lease.h).
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
 * Every change of the table of vaults counts, too, and is announced when it is committed, as
 * by feed_say(): 0 is FEED_REVOKED. The command line makes them, and ends at once.
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

#define STORE_STATEMENTS(X)                                                              \
    X(SQL_SECRET_GET, "SELECT value FROM secrets WHERE name = ?")                        \
    X(SQL_SECRET_ADD, "INSERT INTO secrets VALUES(?, ?) ON CONFLICT DO NOTHING")         \
                                                                                         \
    X(SQL_FACT_GET, "SELECT value FROM facts WHERE name = ?")                            \
    X(SQL_FACT_PUT, "INSERT INTO facts VALUES(?, ?) "                                    \
                    "ON CONFLICT(name) DO UPDATE SET value = excluded.value")            \
    X(SQL_NEWEST, "SELECT coalesce(max(at), 0) FROM ("                                   \
                  "SELECT max(created) AS at FROM grants UNION ALL "                     \
                  "SELECT max(used) FROM grants UNION ALL "                              \
                  "SELECT max(seen) FROM clients UNION ALL "                             \
                  "SELECT max(created) FROM keys UNION ALL "                             \
                  "SELECT max(created) FROM jwt_keys) AS times")                         \
                                                                                         \
    X(SQL_CLIENT_GET, "SELECT name, auth, grants, secret, redirects FROM clients "       \
                      "WHERE id = ?")                                                    \
    X(SQL_CLIENT_BY_BODY, "SELECT id, created FROM clients WHERE body = ? AND auth = 0") \
    X(SQL_CLIENT_SEEN, "UPDATE clients SET seen = ? WHERE id = ?")                       \
    X(SQL_CLIENT_USED, "UPDATE clients SET used = ? WHERE id = ?")                       \
    X(SQL_CLIENT_ADD, "INSERT INTO clients VALUES(?, ?, ?, ?, ?, ?, ?, ?8, ?8, 0)")      \
    X(SQL_CLIENT_COUNT, "SELECT count(*) FROM clients")                                  \
    X(SQL_CLIENT_EXPIRE,                                                                 \
      "DELETE FROM clients WHERE used = 0 AND seen < ? AND id NOT IN "                   \
      "(SELECT client FROM grants)")                                                     \
    X(SQL_CLIENT_EVICT,                                                                  \
      "DELETE FROM clients WHERE id = (SELECT id FROM clients WHERE "                    \
      "id NOT IN (SELECT client FROM grants) "                                           \
      "ORDER BY used > 0, CASE WHEN seen > used THEN seen ELSE used END LIMIT 1)")       \
                                                                                         \
    X(SQL_DOCUMENT_GET, "SELECT text, fetched FROM documents WHERE url = ?")             \
    X(SQL_DOCUMENT_PUT,                                                                  \
      "INSERT INTO documents VALUES(?, ?, ?) ON CONFLICT(url) "                          \
      "DO UPDATE SET text = excluded.text, fetched = excluded.fetched")                  \
    X(SQL_DOCUMENT_DROP, "DELETE FROM documents WHERE url = ?")                          \
    X(SQL_DOCUMENT_SWEEP, "DELETE FROM documents WHERE url NOT IN "                      \
                          "(SELECT client FROM grants) AND fetched < ?")                 \
                                                                                         \
    X(SQL_MEMO_PUT, "INSERT INTO memos VALUES(?, ?, ?, ?) ON CONFLICT(name, part) "      \
                    "DO UPDATE SET value = excluded.value, expires = excluded.expires")  \
    X(SQL_MEMO_ADD, "INSERT INTO memos VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING")       \
    X(SQL_MEMO_PUT_SOME,                                                                 \
      "INSERT INTO memos SELECT ?1, ?2, '', ?3 WHERE "                                   \
      "EXISTS (SELECT 1 FROM memos WHERE name = ?1 AND part = ?2) OR "                   \
      "((SELECT count(*) FROM memos WHERE name >= ?4 AND name < ?5) < ?6 AND "           \
      "(SELECT count(*) FROM memos WHERE name >= ?7 AND name < ?8) < ?9) "               \
      "ON CONFLICT(name, part) DO UPDATE SET expires = excluded.expires")                \
    X(SQL_MEMO_TOUCH, "UPDATE memos SET expires = ? WHERE name = ?")                     \
    X(SQL_MEMO_DROP, "DELETE FROM memos WHERE name = ? AND part = ?")                    \
    X(SQL_MEMO_LIST, "SELECT part, value FROM memos WHERE name = ? AND expires > ? "     \
                     "ORDER BY part")                                                    \
    X(SQL_MEMO_EXPIRE, "DELETE FROM memos WHERE expires <= ?")                           \
                                                                                         \
    X(SQL_VISIT_ADD, "INSERT INTO visits VALUES(?, ?, ?, ?, ?, ?, ?, ?)")                \
    X(SQL_VISIT_TAKE_TICKET,                                                             \
      "DELETE FROM visits WHERE ticket = ? AND browser = ? AND stage = ? AND "           \
      "created > ? RETURNING peer, created, body")                                       \
    X(SQL_VISIT_TAKE_HANDLE,                                                             \
      "DELETE FROM visits WHERE handle = ? AND browser = ? AND stage = ? AND "           \
      "created > ? RETURNING peer, created, body")                                       \
    X(SQL_VISIT_TAKE_STATE,                                                              \
      "DELETE FROM visits WHERE state = ? AND browser = ? AND stage = ? AND "            \
      "created > ? RETURNING peer, created, body")                                       \
    X(SQL_VISIT_KNOWN, "SELECT 1 FROM visits WHERE browser = ? AND created > ?")         \
    X(SQL_VISIT_OF, "SELECT handle, body FROM visits WHERE browser = ?")                 \
    X(SQL_VISIT_MOVE, "UPDATE visits SET browser = ?, body = ? WHERE handle = ?")        \
    X(SQL_VISIT_COUNT, "SELECT count(*) FROM visits WHERE created > ?")                  \
    X(SQL_VISIT_COUNT_OF, "SELECT count(*) FROM visits WHERE peer = ?")                  \
    X(SQL_VISIT_EXPIRE, "DELETE FROM visits WHERE created <= ?")                         \
    X(SQL_VISIT_EVICT, "DELETE FROM visits WHERE handle = (SELECT handle FROM visits "   \
                       "ORDER BY created LIMIT 1)")                                      \
    X(SQL_VISIT_EVICT_OF, "DELETE FROM visits WHERE handle = (SELECT handle FROM "       \
                          "visits WHERE peer = ? ORDER BY created LIMIT 1)")             \
                                                                                         \
    X(SQL_ONCE_ADD, "INSERT INTO once VALUES(?, ?, ?, 0, '', ?, ?) "                     \
                    "ON CONFLICT DO NOTHING")                                            \
    X(SQL_ONCE_GET, "SELECT replica, process, request, number, answer FROM once "        \
                    "WHERE name = ?")                                                    \
    X(SQL_ONCE_RESUME, "UPDATE once SET process = ? WHERE name = ? AND replica = ?")     \
    X(SQL_ONCE_MADE, "UPDATE once SET number = ?, answer = ? WHERE name = ?")            \
    X(SQL_ONCE_DROP, "DELETE FROM once WHERE name = ? AND replica = ? AND number = 0")   \
    X(SQL_ONCE_EXPIRE, "DELETE FROM once WHERE expires <= ?")                            \
                                                                                         \
    X(SQL_HEAD_PUT, "INSERT INTO heads VALUES(?, ?, ?, ?) ON CONFLICT(vault, replica) "  \
                    "DO UPDATE SET number = excluded.number, id = excluded.id")          \
    X(SQL_HEAD_GET, "SELECT number, id FROM heads WHERE vault = ? AND replica = ?")      \
    X(SQL_MARK_PUT,                                                                      \
      "INSERT INTO marks VALUES(?, ?, ?, ?, ?) ON CONFLICT(vault, owner, replica) "      \
      "DO UPDATE SET number = excluded.number, seen = excluded.seen "                    \
      "WHERE excluded.number > marks.number")                                            \
    X(SQL_MARK_LIST,                                                                     \
      "SELECT m.vault, m.replica, m.number, coalesce(h.number, 0), coalesce(h.id, '') "  \
      "FROM marks m LEFT JOIN heads h ON h.vault = m.vault AND h.replica = m.replica "   \
      "WHERE m.vault = ? AND m.owner = ? AND m.replica <> ?")                            \
    X(SQL_MARK_LIST_ALL,                                                                 \
      "SELECT m.vault, m.replica, m.number, coalesce(h.number, 0), coalesce(h.id, '') "  \
      "FROM marks m LEFT JOIN heads h ON h.vault = m.vault AND h.replica = m.replica "   \
      "WHERE m.owner = ? AND m.replica <> ?")                                            \
    X(SQL_MARK_LIST_PERSON,                                                              \
      "SELECT m.vault, m.replica, max(m.number), coalesce(max(h.number), 0), "           \
      "coalesce(max(h.id), '') FROM marks m "                                            \
      "LEFT JOIN heads h ON h.vault = m.vault AND h.replica = m.replica "                \
      "WHERE m.vault = ? AND substr(m.owner, 1, length(?)) = ? AND m.replica <> ? "      \
      "GROUP BY m.vault, m.replica")                                                     \
    X(SQL_MARK_EXPIRE, "DELETE FROM marks WHERE seen <= ?")                              \
    X(SQL_MARK_FORGET, "DELETE FROM marks WHERE vault = ?")                              \
    X(SQL_HEAD_FORGET, "DELETE FROM heads WHERE vault = ?")                              \
                                                                                         \
    X(SQL_CODE_ADD, "INSERT INTO codes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")            \
    X(SQL_CODE_GET,                                                                      \
      "SELECT client, client_name, redirect_uri, challenge, user, scopes, "              \
      "folders, expires, stamp FROM codes WHERE hash = ?")                               \
    X(SQL_CODE_DROP, "DELETE FROM codes WHERE hash = ?")                                 \
    X(SQL_CODE_DROP_OF_GRANT, "DELETE FROM codes WHERE (user, client) = "                \
                              "(SELECT user, client FROM grants WHERE id = ?)")          \
    X(SQL_CODE_DROP_OF_CLIENT, "DELETE FROM codes WHERE client = ?")                     \
    X(SQL_CODE_EXPIRE, "DELETE FROM codes WHERE expires <= ?")                           \
                                                                                         \
    X(SQL_GRANT_ADD,                                                                     \
      "INSERT INTO grants(user, client, client_name, redirect_host, scopes, folders, "   \
      "created, used, code, counter, rotations, latest, expires, stamp) "                \
      "VALUES(?, ?, ?, ?, ?, ?, ?7, ?7, ?8, 0, ?9, ?10, ?11, ?12) RETURNING id")         \
    X(SQL_GRANT_BY_CODE, "SELECT id, client, user FROM grants WHERE code = ?")           \
    X(SQL_GRANT_GET,                                                                     \
      "SELECT user, client, scopes, folders, counter, rotations, latest, "               \
      "expires, stamp FROM grants WHERE id = ?")                                         \
    X(SQL_GRANT_OF_CLIENT, "SELECT id FROM grants WHERE user = ?1 AND client = ?1 "      \
                           "AND code IS NULL")                                           \
    X(SQL_GRANT_RIGHTS, "UPDATE grants SET scopes = ?, folders = ?, latest = ?3, "       \
                        "expires = ?3 WHERE id = ?")                                     \
    X(SQL_GRANT_ROTATE, "UPDATE grants SET counter = ?, rotations = ?, expires = ?, "    \
                        "used = ? WHERE id = ?")                                         \
    X(SQL_GRANT_USED, "UPDATE grants SET used = ?1 WHERE id = ?2 AND used < ?1")         \
    X(SQL_GRANT_LIST, "SELECT id, client, client_name, redirect_host, scopes, folders, " \
                      "created, used, expires FROM grants WHERE user = ? "               \
                      "AND expires > ? AND stamp = ? ORDER BY created DESC, id DESC")    \
    X(SQL_GRANT_DROP, "DELETE FROM grants WHERE id = ?")                                 \
    X(SQL_GRANT_STRANGERS, /* clients with grants that have not registered */            \
      "SELECT DISTINCT client FROM grants WHERE client NOT IN (SELECT id FROM clients)") \
    X(SQL_GRANT_DROP_OF_CLIENT, "DELETE FROM grants WHERE client = ?")                   \
    X(SQL_GRANT_EXPIRE, "DELETE FROM grants WHERE expires <= ?1 AND id NOT IN "          \
                        "(SELECT grant_id FROM tokens WHERE expires > ?1)")              \
                                                                                         \
    X(SQL_TOKEN_ADD, "INSERT INTO tokens VALUES(?, ?, ?, ?, ?)")                         \
    X(SQL_TOKEN_TRIM, "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens "       \
                      "WHERE grant_id = ? ORDER BY created DESC "                        \
                      "LIMIT 9223372036854775807 OFFSET ?)")                             \
    X(SQL_TOKEN_GET, "SELECT g.id, t.scopes, t.expires, g.user, g.client, "              \
                     "g.client_name, g.redirect_host, g.folders, g.created, g.used, "    \
                     "CASE WHEN g.code IS NULL THEN 1 ELSE 0 END, g.stamp, "             \
                     "(SELECT count(*) FROM clients c WHERE c.id = g.client) "           \
                     "FROM tokens t JOIN grants g ON g.id = t.grant_id "                 \
                     "WHERE t.hash = ?")                                                 \
    X(SQL_TOKEN_DROP, "DELETE FROM tokens WHERE hash = ?")                               \
    X(SQL_TOKEN_DROP_OF_GRANT, "DELETE FROM tokens WHERE grant_id = ?")                  \
    X(SQL_TOKEN_DROP_OF_CLIENT, "DELETE FROM tokens WHERE grant_id IN "                  \
                                "(SELECT id FROM grants WHERE client = ?)")              \
    X(SQL_TOKEN_EXPIRE, "DELETE FROM tokens WHERE expires <= ?")                         \
                                                                                         \
    X(SQL_CONSENT_PUT,                                                                   \
      "INSERT INTO consents VALUES(?, ?, ?, ?, ?, ?, ?) "                                \
      "ON CONFLICT(user, client, host) DO UPDATE SET scopes = excluded.scopes, "         \
      "folders = excluded.folders, created = excluded.created, stamp = excluded.stamp")  \
    X(SQL_CONSENT_GET, "SELECT scopes, folders FROM consents WHERE user = ? AND "        \
                       "client = ? AND host = ? AND stamp = ?")                          \
    X(SQL_CONSENT_DROP, "DELETE FROM consents WHERE (user, client) = "                   \
                        "(SELECT user, client FROM grants WHERE id = ? AND user = ?)")   \
                                                                                         \
    X(SQL_CONSENT_DROP_OF_CLIENT, "DELETE FROM consents WHERE client = ?")               \
                                                                                         \
    X(SQL_SIGN_IN_ADD, "INSERT INTO sign_ins VALUES(?, ?, ?, ?)")                        \
    X(SQL_SIGN_IN_GET,                                                                   \
      "SELECT user, stamp FROM sign_ins WHERE hash = ? AND expires > ?")                 \
    X(SQL_SIGN_IN_DROP, "DELETE FROM sign_ins WHERE hash = ?")                           \
    X(SQL_SIGN_IN_EXPIRE, "DELETE FROM sign_ins WHERE expires <= ?")                     \
    X(SQL_PIN_ADD, "INSERT INTO pins VALUES(?, ?, ?) ON CONFLICT DO NOTHING")            \
    X(SQL_PIN_GET, "SELECT name FROM pins WHERE provider = ? AND "                       \
                   "lower(name) = ? AND id = ? ORDER BY name")                           \
    X(SQL_PIN_OTHER, "SELECT 1 FROM pins WHERE provider = ? AND "                        \
                     "lower(name) = ? AND id <> ?")                                      \
                                                                                         \
    X(SQL_KEY_ADD, "INSERT INTO keys(hash, name, scopes, folders, created, used) "       \
                   "VALUES(?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING")                    \
    X(SQL_KEY_GET, "SELECT id, name, scopes, folders, created, used FROM keys "          \
                   "WHERE hash = ?")                                                     \
    X(SQL_KEY_LIST, "SELECT name, scopes, folders, created, used FROM keys "             \
                    "ORDER BY name")                                                     \
    X(SQL_KEY_USED, "UPDATE keys SET used = ?1 WHERE id = ?2 AND used < ?1")             \
    X(SQL_ACCESS_GIVEN, /* keys; whether a key or a sign-in was ever made */             \
      "SELECT (SELECT count(*) FROM keys), CASE WHEN EXISTS (SELECT 1 FROM keys) OR "    \
      "EXISTS (SELECT 1 FROM grants) OR EXISTS (SELECT 1 FROM facts "                    \
      "WHERE name = 'access') THEN 1 ELSE 0 END")                                        \
    X(SQL_KEY_DROP, "DELETE FROM keys WHERE name = ?")                                   \
                                                                                         \
    X(SQL_JWT_KEY_ADD, "INSERT INTO jwt_keys VALUES(?, ?, ?, ?, ?)")                     \
    X(SQL_JWT_KEY_LIST, "SELECT kid, alg, private, public, created FROM jwt_keys "       \
                        "ORDER BY created DESC, kid")                                    \
    X(SQL_JWT_KEY_DROP, "DELETE FROM jwt_keys WHERE kid = ?")                            \
                                                                                         \
    X(SQL_LOCKOUT_GET, "SELECT failures, seen, until FROM lockouts WHERE user = ?")      \
    X(SQL_LOCKOUT_PUT,                                                                   \
      "INSERT INTO lockouts VALUES(?, ?, ?, ?) ON CONFLICT(user) "                       \
      "DO UPDATE SET failures = excluded.failures, seen = excluded.seen, "               \
      "until = excluded.until")                                                          \
    X(SQL_LOCKOUT_DROP, "DELETE FROM lockouts WHERE user = ?")                           \
    X(SQL_LOCKOUT_EXPIRE, "DELETE FROM lockouts WHERE seen + 86400 < ?")                 \
    X(SQL_TALLY_GET, "SELECT bucket, n, earlier FROM tallies WHERE name = ?")            \
    X(SQL_TALLY_PUT,                                                                     \
      "INSERT INTO tallies VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "       \
      "bucket = excluded.bucket, n = excluded.n, earlier = excluded.earlier, "           \
      "expires = excluded.expires")                                                      \
    X(SQL_TALLY_EXPIRE, "DELETE FROM tallies WHERE expires < ?")                         \
                                                                                         \
    X(SQL_VAULT_ADD,                                                                     \
      "INSERT INTO vaults VALUES(?, ?, ?, ?, ?, ?, "                                     \
      "(SELECT coalesce(max(place), 0) + 1 FROM vaults)) ON CONFLICT DO NOTHING")        \
    X(SQL_VAULT_LIST, "SELECT identity, name, folder, remote, created FROM vaults "      \
                      "ORDER BY place, id")                                              \
    X(SQL_VAULT_GET, "SELECT identity FROM vaults WHERE id = ?")                         \
    X(SQL_VAULT_COUNT, "SELECT count(*) FROM vaults")                                    \
    X(SQL_VAULT_DROP, "DELETE FROM vaults WHERE identity = ?")                           \
    X(SQL_VAULT_USER_ADD,                                                                \
      "INSERT INTO vault_users VALUES(?, ?, "                                            \
      "(SELECT coalesce(max(place), 0) + 1 FROM vault_users)) ON CONFLICT DO NOTHING")   \
    X(SQL_VAULT_USER_DROP, "DELETE FROM vault_users WHERE vault = ? AND person = ?")     \
    X(SQL_VAULT_USERS_DROP, "DELETE FROM vault_users WHERE vault = ?")                   \
    X(SQL_VAULT_PERSON_DROP, "DELETE FROM vault_users WHERE person = ?")                 \
    X(SQL_VAULT_KEY_DROP, "DELETE FROM vault_users WHERE person = ?1 AND NOT EXISTS "    \
                          "(SELECT 1 FROM grants WHERE user = ?1)")                      \
    X(SQL_VAULT_USER_END, "DELETE FROM vault_users WHERE person = ?1 AND NOT EXISTS "    \
                          "(SELECT 1 FROM keys WHERE name = ?1)")                        \
    X(SQL_VAULT_USER_COUNT, "SELECT count(*) FROM vault_users WHERE person = ?")         \
    X(SQL_VAULT_USERS,                                                                   \
      "SELECT vault, person, place FROM vault_users WHERE (vault, person) > (?, ?) "     \
      "ORDER BY vault, person LIMIT ?")

#define STORE_STATEMENT_NAME(name, sql) name,
enum store_statement { STORE_STATEMENTS(STORE_STATEMENT_NAME) STORE_STATEMENTS_N };
#undef STORE_STATEMENT_NAME
