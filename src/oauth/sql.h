/*
 * sql - private to src/oauth: its statements.
 */
#pragma once

#include "state/store.h"

#define OAUTH_STATEMENTS(X)                                                              \
    X(SQL_NEWEST, "SELECT coalesce(max(at), 0) FROM ("                                   \
                  "SELECT max(created) AS at FROM grants UNION ALL "                     \
                  "SELECT max(used) FROM grants UNION ALL "                              \
                  "SELECT max(seen) FROM clients UNION ALL "                             \
                  "SELECT max(created) FROM keys UNION ALL "                             \
                  "SELECT max(created) FROM jwt_keys) AS times")                         \
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
    X(SQL_DOCUMENT_GET, "SELECT text, fetched FROM documents WHERE url = ?")             \
    X(SQL_DOCUMENT_PUT,                                                                  \
      "INSERT INTO documents VALUES(?, ?, ?) ON CONFLICT(url) "                          \
      "DO UPDATE SET text = excluded.text, fetched = excluded.fetched")                  \
    X(SQL_DOCUMENT_DROP, "DELETE FROM documents WHERE url = ?")                          \
    X(SQL_DOCUMENT_SWEEP, "DELETE FROM documents WHERE url NOT IN "                      \
                          "(SELECT client FROM grants) AND fetched < ?")                 \
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
    X(SQL_VISIT_SWEEP, "DELETE FROM visits WHERE created + 3600 <= ?")                   \
    X(SQL_VISIT_EVICT, "DELETE FROM visits WHERE handle = (SELECT handle FROM visits "   \
                       "ORDER BY created LIMIT 1)")                                      \
    X(SQL_VISIT_EVICT_OF, "DELETE FROM visits WHERE handle = (SELECT handle FROM "       \
                          "visits WHERE peer = ? ORDER BY created LIMIT 1)")             \
    X(SQL_CODE_ADD, "INSERT INTO codes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")            \
    X(SQL_CODE_GET,                                                                      \
      "SELECT client, client_name, redirect_uri, challenge, user, scopes, "              \
      "folders, expires, stamp FROM codes WHERE hash = ?")                               \
    X(SQL_CODE_DROP, "DELETE FROM codes WHERE hash = ?")                                 \
    X(SQL_CODE_DROP_OF_GRANT, "DELETE FROM codes WHERE (user, client) = "                \
                              "(SELECT user, client FROM grants WHERE id = ?)")          \
    X(SQL_CODE_DROP_OF_CLIENT, "DELETE FROM codes WHERE client = ?")                     \
    X(SQL_CODE_EXPIRE, "DELETE FROM codes WHERE expires <= ?")                           \
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
    X(SQL_GRANT_LOWER, "UPDATE grants SET scopes = ?, folders = ? WHERE id = ?")         \
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
    X(SQL_TOKEN_ADD, "INSERT INTO tokens VALUES(?, ?, ?, ?, ?)")                         \
    X(SQL_TOKEN_TRIM, "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens "       \
                      "WHERE grant_id = ? ORDER BY created DESC "                        \
                      "LIMIT 9223372036854775807 OFFSET ?)")                             \
    X(SQL_TOKEN_GET, "SELECT g.id, t.scopes, t.expires, g.user, g.client, "              \
                     "g.client_name, g.redirect_host, g.folders, g.created, g.used, "    \
                     "CASE WHEN g.code IS NULL THEN 1 ELSE 0 END, g.stamp, "             \
                     "(SELECT count(*) FROM clients c WHERE c.id = g.client), g.scopes " \
                     "FROM tokens t JOIN grants g ON g.id = t.grant_id "                 \
                     "WHERE t.hash = ?")                                                 \
    X(SQL_TOKEN_DROP, "DELETE FROM tokens WHERE hash = ?")                               \
    X(SQL_TOKEN_DROP_OF_GRANT, "DELETE FROM tokens WHERE grant_id = ?")                  \
    X(SQL_TOKEN_DROP_OF_CLIENT, "DELETE FROM tokens WHERE grant_id IN "                  \
                                "(SELECT id FROM grants WHERE client = ?)")              \
    X(SQL_TOKEN_EXPIRE, "DELETE FROM tokens WHERE expires <= ?")                         \
    X(SQL_CONSENT_PUT,                                                                   \
      "INSERT INTO consents VALUES(?, ?, ?, ?, ?, ?, ?) "                                \
      "ON CONFLICT(user, client, host) DO UPDATE SET scopes = excluded.scopes, "         \
      "folders = excluded.folders, created = excluded.created, stamp = excluded.stamp")  \
    X(SQL_CONSENT_GET, "SELECT scopes, folders FROM consents WHERE user = ? AND "        \
                       "client = ? AND host = ? AND stamp = ?")                          \
    X(SQL_CONSENT_DROP, "DELETE FROM consents WHERE (user, client) = "                   \
                        "(SELECT user, client FROM grants WHERE id = ? AND user = ?)")   \
    X(SQL_CONSENT_DROP_OF_CLIENT, "DELETE FROM consents WHERE client = ?")               \
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
    X(SQL_KEY_ADD, "INSERT INTO keys(hash, name, scopes, folders, created, used) "       \
                   "VALUES(?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING")                    \
    X(SQL_KEY_GET, "SELECT id, name, scopes, folders, created, used FROM keys "          \
                   "WHERE hash = ?")                                                     \
    X(SQL_KEY_LIST, "SELECT name, scopes, folders, created, used FROM keys "             \
                    "ORDER BY name")                                                     \
    X(SQL_KEY_USED, "UPDATE keys SET used = ?1 WHERE id = ?2 AND used < ?1")             \
    X(SQL_KEY_DROP, "DELETE FROM keys WHERE name = ?")                                   \
    X(SQL_VAULT_KEY_DROP, "DELETE FROM vault_users WHERE person = ?1 AND NOT EXISTS "    \
                          "(SELECT 1 FROM grants WHERE user = ?1)")                      \
    X(SQL_VAULT_USER_END, "DELETE FROM vault_users WHERE person = ?1 AND NOT EXISTS "    \
                          "(SELECT 1 FROM keys WHERE name = ?1)")                        \
    X(SQL_VAULT_USER_COUNT, "SELECT count(*) FROM vault_users WHERE person = ?")         \
    X(SQL_JWT_KEY_ADD, "INSERT INTO jwt_keys VALUES(?, ?, ?, ?, ?)")                     \
    X(SQL_JWT_KEY_LIST, "SELECT kid, alg, private, public, created FROM jwt_keys "       \
                        "ORDER BY created DESC, kid")                                    \
    X(SQL_JWT_KEY_DROP, "DELETE FROM jwt_keys WHERE kid = ?")                            \
    X(SQL_LOCKOUT_GET, "SELECT failures, seen, until FROM lockouts WHERE user = ?")      \
    X(SQL_LOCKOUT_PUT,                                                                   \
      "INSERT INTO lockouts VALUES(?, ?, ?, ?) ON CONFLICT(user) "                       \
      "DO UPDATE SET failures = excluded.failures, seen = excluded.seen, "               \
      "until = excluded.until")                                                          \
    X(SQL_LOCKOUT_DROP, "DELETE FROM lockouts WHERE user = ?")                           \
    X(SQL_LOCKOUT_EXPIRE, "DELETE FROM lockouts WHERE seen + 86400 < ?")

OAUTH_STATEMENTS(STORE_DECLARE)
