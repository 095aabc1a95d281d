/*
 * vault_table_sql - private to src/state: the statements of vault_table.h. What others keep about a vault is dropped with it.
 */
#pragma once

#include "state/store.h"

#define VAULT_TABLE_STATEMENTS(X)                                                        \
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
    X(SQL_VAULT_USERS,                                                                   \
      "SELECT vault, person, place FROM vault_users WHERE (vault, person) > (?, ?) "     \
      "ORDER BY vault, person LIMIT ?")                                                  \
    X(SQL_MARK_FORGET, "DELETE FROM marks WHERE vault = ?")                              \
    X(SQL_HEAD_FORGET, "DELETE FROM heads WHERE vault = ?")                              \
    X(SQL_PROPOSALS_FORGET, "DELETE FROM proposals WHERE vault = ?")

VAULT_TABLE_STATEMENTS(STORE_DECLARE)
