/*
 * sql - the statements of what replicas share.
 */
#pragma once

#include "state/store.h"

#define REPLICA_STATEMENTS(X)                                                            \
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
    X(SQL_ONCE_ADD, "INSERT INTO once VALUES(?, ?, ?, 0, '', ?, ?) "                     \
                    "ON CONFLICT DO NOTHING")                                            \
    X(SQL_ONCE_GET, "SELECT replica, process, request, number, answer FROM once "        \
                    "WHERE name = ?")                                                    \
    X(SQL_ONCE_RESUME, "UPDATE once SET process = ? WHERE name = ? AND replica = ?")     \
    X(SQL_ONCE_MADE, "UPDATE once SET number = ?, answer = ? WHERE name = ?")            \
    X(SQL_ONCE_DROP, "DELETE FROM once WHERE name = ? AND replica = ? AND number = 0")   \
    X(SQL_ONCE_EXPIRE, "DELETE FROM once WHERE expires <= ?")                            \
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
    X(SQL_TALLY_GET, "SELECT bucket, n, earlier FROM tallies WHERE name = ?")            \
    X(SQL_TALLY_PUT,                                                                     \
      "INSERT INTO tallies VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "       \
      "bucket = excluded.bucket, n = excluded.n, earlier = excluded.earlier, "           \
      "expires = excluded.expires")                                                      \
    X(SQL_TALLY_EXPIRE, "DELETE FROM tallies WHERE expires < ?")

REPLICA_STATEMENTS(STORE_DECLARE)
