/*
 * proposal_table_sql - private to src/state: the statements of proposal_table.h. States are
 * numbers of enum proposal_state: 0 waits, 1 is being accepted, higher ones are decided.
 */
#pragma once

#include "state/store.h"

#define PROPOSAL_COLUMNS                                                                 \
    "id, vault, owner, created, state, summary, bytes, decided, decided_by, reason, "    \
    "change_number, choice"

#define PROPOSAL_TABLE_STATEMENTS(X)                                                     \
    X(SQL_PROPOSAL_ADD, "INSERT INTO proposals VALUES(?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, " \
                        "0, '', '', 0, '', ?)")                                          \
    X(SQL_PROPOSAL_EXPIRE, "UPDATE proposals SET state = 5, body = '', bytes = 0, "      \
                           "decided = ? WHERE vault = ? AND created < ? AND "            \
                           "(state = 0 OR (state = 1 AND decided < ?))")                 \
    X(SQL_PROPOSAL_PRUNE,                                                                \
      "DELETE FROM proposals WHERE vault = ? AND state > 1 AND (decided < ? OR id IN "   \
      "(SELECT id FROM proposals WHERE vault = ? AND state > 1 "                         \
      "ORDER BY decided DESC, id LIMIT 10000 OFFSET ?))")                                \
    X(SQL_PROPOSAL_COUNT, "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) "    \
                          "FROM proposals WHERE vault = ? AND state < 2")                \
    X(SQL_PROPOSAL_COUNT_OWN,                                                            \
      "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) "                        \
      "FROM proposals WHERE vault = ? AND state < 2 AND owner = ?")                      \
    X(SQL_PROPOSAL_NEWEST, "SELECT coalesce(max(created), 0) FROM proposals")            \
    X(SQL_PROPOSAL_BY_KEY,                                                               \
      "SELECT id, request, answer FROM proposals WHERE vault = ? AND key = ?")           \
    X(SQL_PROPOSAL_LIST, "SELECT " PROPOSAL_COLUMNS " FROM proposals WHERE vault = ? "   \
                         "ORDER BY created DESC, id")                                    \
    X(SQL_PROPOSAL_LIST_OWN,                                                             \
      "SELECT " PROPOSAL_COLUMNS " FROM proposals WHERE vault = ? AND owner = ? "        \
      "ORDER BY created DESC, id")                                                       \
    X(SQL_PROPOSAL_GET, "SELECT " PROPOSAL_COLUMNS ", body FROM proposals "              \
                        "WHERE vault = ? AND id = ?")                                    \
    X(SQL_PROPOSAL_BEGIN,                                                                \
      "UPDATE proposals SET state = 1, decided = ?, decided_by = ?, choice = ?, "        \
      "reason = ? WHERE vault = ? AND id = ? AND created >= ? AND "                      \
      "(state = 0 OR (state = 1 AND decided < ?))")                                      \
    X(SQL_PROPOSAL_END,                                                                  \
      "UPDATE proposals SET state = ?, decided = ?, change_number = ?, body = '', "      \
      "choice = ?, bytes = 0 WHERE vault = ? AND id = ? AND state = 1")                  \
    X(SQL_PROPOSAL_RELEASE, "UPDATE proposals SET state = 0, decided = 0, "              \
                            "decided_by = '', choice = '', reason = '' "                 \
                            "WHERE vault = ? AND id = ? AND state = 1 AND decided = ?")  \
    X(SQL_PROPOSAL_HOLD, "UPDATE proposals SET decided = ? WHERE vault = ? AND "         \
                         "id = ? AND state = 1 AND decided = ?")                         \
    X(SQL_PROPOSAL_DECIDED,                                                              \
      "SELECT " PROPOSAL_COLUMNS " FROM proposals WHERE decided >= ? AND state > 1 "     \
      "ORDER BY decided, id")                                                            \
    X(SQL_PROPOSAL_PATHS, "SELECT id, paths FROM proposals WHERE vault = ? AND "         \
                          "owner = ? AND state < 2 ORDER BY created DESC, id")           \
    X(SQL_PROPOSAL_WAITING, "SELECT count(*) FROM proposals WHERE state < 2")            \
    X(SQL_PROPOSAL_REJECT,                                                               \
      "UPDATE proposals SET state = 4, decided = ?, decided_by = ?, reason = ?, "        \
      "body = '', bytes = 0, choice = 'none' "                                           \
      "WHERE vault = ? AND id = ? AND created >= ? AND "                                 \
      "(state = 0 OR (state = 1 AND decided < ?))")

PROPOSAL_TABLE_STATEMENTS(STORE_DECLARE)
