/*
 * err_names - the names of errors that clients and callers act on: the enumerator, the
 * code that follows from it, and the text that clients see.
 *
 * Texts are part of the interface and must not change. Several enumerators may share one:
 * a path that is not allowed is PATH_NOT_ALLOWED to a client, whatever the reason.
 */
#pragma once

#define ERR_NAMES(X)                                                                     \
    X(E_AMBIGUOUS, ERR_INVALID, "AMBIGUOUS")                                             \
    X(E_AUDIT_UNAVAILABLE, ERR_BUSY, "AUDIT_UNAVAILABLE")                                \
    X(E_BLOCK_NOT_FOUND, ERR_NOT_FOUND, "BLOCK_NOT_FOUND")                               \
    X(E_BLOCK_NOT_UNIQUE, ERR_INVALID, "BLOCK_NOT_UNIQUE")                               \
    X(E_BRANCH_NOT_FOUND, ERR_NOT_FOUND, "BRANCH_NOT_FOUND")                             \
    X(E_BROKEN_FRONTMATTER, ERR_INVALID, "BROKEN_FRONTMATTER")                           \
    X(E_BUSY, ERR_BUSY, "BUSY")                                                          \
    X(E_CHANGE_NOT_FOUND, ERR_NOT_FOUND, "CHANGE_NOT_FOUND")                             \
    X(E_CONFLICT, ERR_CONFLICT, "CONFLICT")                                              \
    X(E_FETCH_CONNECT, ERR_INTERNAL, "CONNECT")                                          \
    X(E_FETCH_DNS, ERR_INTERNAL, "DNS")                                                  \
    X(E_FETCH_FAILED, ERR_INTERNAL, "FETCH_FAILED")                                      \
    X(E_FETCH_TIMEOUT, ERR_INTERNAL, "TIMEOUT")                                          \
    X(E_FETCH_TLS, ERR_INTERNAL, "TLS")                                                  \
    X(E_FILE_EXISTS, ERR_EXISTS, "FILE_EXISTS")                                          \
    X(E_FILE_NOT_FOUND, ERR_NOT_FOUND, "FILE_NOT_FOUND")                                 \
    X(E_FILE_TOO_LARGE, ERR_LIMIT, "FILE_TOO_LARGE")                                     \
    X(E_FORBIDDEN, ERR_DENIED, "FORBIDDEN")                                              \
    X(E_HEADING_NOT_FOUND, ERR_NOT_FOUND, "HEADING_NOT_FOUND")                           \
    X(E_HEADING_NOT_UNIQUE, ERR_INVALID, "HEADING_NOT_UNIQUE")                           \
    X(E_HISTORY_FULL, ERR_LIMIT, "HISTORY_FULL")                                         \
    X(E_INVALID_ARGUMENT, ERR_INVALID, "INVALID_ARGUMENT")                               \
    X(E_INVALID_CONTENT, ERR_INVALID, "INVALID_CONTENT")                                 \
    X(E_INVALID_QUERY, ERR_INVALID, "INVALID_QUERY")                                     \
    X(E_INVALID_RANGE, ERR_INVALID, "INVALID_RANGE")                                     \
    X(E_IO_ERROR, ERR_INTERNAL, "IO_ERROR")                                              \
    X(E_IS_FOLDER, ERR_INVALID, "IS_FOLDER")                                             \
    X(E_JOURNAL_DAMAGED, ERR_INTERNAL, "JOURNAL_DAMAGED")                                \
    X(E_KEY_REUSED, ERR_CONFLICT, "KEY_REUSED")                                          \
    X(E_LINE_OUT_OF_RANGE, ERR_INVALID, "LINE_OUT_OF_RANGE")                             \
    X(E_NOT_ACCEPTED, ERR_INVALID, "NOT_ACCEPTED")                                       \
    X(E_NOT_CONFIGURED, ERR_INVALID, "NOT_CONFIGURED")                                   \
    X(E_NOT_CONFIRMED, ERR_DENIED, "NOT_CONFIRMED")                                      \
    X(E_NOT_FOLDER, ERR_INVALID, "NOT_FOLDER")                                           \
    X(E_NOT_PUSHED, ERR_BUSY, "NOT_PUSHED")                                              \
    X(E_NOT_SET_UP, ERR_INVALID, "NOT_SET_UP")                                           \
    X(E_NOT_TEXT, ERR_INVALID, "NOT_TEXT")                                               \
    X(E_NO_HISTORY, ERR_INVALID, "NO_HISTORY")                                           \
    X(E_NO_SPACE, ERR_LIMIT, "NO_SPACE")                                                 \
    X(E_OBSIDIAN_NOT_RUNNING, ERR_BUSY, "OBSIDIAN_NOT_RUNNING")                          \
    X(E_PATH_INVALID, ERR_INVALID, "PATH_NOT_ALLOWED")                                   \
    X(E_PATH_NOT_ALLOWED, ERR_DENIED, "PATH_NOT_ALLOWED")                                \
    X(E_PATH_TOO_LONG, ERR_LIMIT, "PATH_NOT_ALLOWED")                                    \
    X(E_POLICY_NOT_ALLOWED, ERR_DENIED, "POLICY_NOT_ALLOWED")                            \
    X(E_PROPERTY_NOT_ALLOWED, ERR_INVALID, "PROPERTY_NOT_ALLOWED")                       \
    X(E_RATE_LIMITED, ERR_BUSY, "RATE_LIMITED")                                          \
    X(E_READ_ONLY, ERR_DENIED, "READ_ONLY")                                              \
    X(E_STALE, ERR_CONFLICT, "CONFLICT")                                                 \
    X(E_STORE_FULL, ERR_INTERNAL, "NO_SPACE")                                            \
    X(E_SYNC_FAILED, ERR_BUSY, "SYNC_FAILED")                                            \
    X(E_TAG_NOT_ALLOWED, ERR_INVALID, "TAG_NOT_ALLOWED")                                 \
    X(E_TAG_NOT_FOUND, ERR_NOT_FOUND, "TAG_NOT_FOUND")                                   \
    X(E_TEMPLATE_NOT_FOUND, ERR_NOT_FOUND, "TEMPLATE_NOT_FOUND")                         \
    X(E_TEMPLATE_NOT_READ, ERR_INVALID, "TEMPLATE_NOT_READ")                             \
    X(E_TEXT_NOT_FOUND, ERR_INVALID, "TEXT_NOT_FOUND")                                   \
    X(E_TEXT_NOT_UNIQUE, ERR_INVALID, "TEXT_NOT_UNIQUE")                                 \
    X(E_TIMEOUT, ERR_BUSY, "TIMEOUT")                                                    \
    X(E_UNFINISHED, ERR_BUSY, "UNFINISHED")                                              \
    X(E_UNKNOWN_REVISION, ERR_INVALID, "UNKNOWN_REVISION")                               \
    X(E_VAULT_NOT_FOUND, ERR_NOT_FOUND, "VAULT_NOT_FOUND")                               \
    X(E_VAULT_UNAVAILABLE, ERR_BUSY, "VAULT_UNAVAILABLE")
