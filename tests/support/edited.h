/*
 * edited - checks for every test of an edit: the bytes that must stay, and the error.
 */
#pragma once

#include "base/err.h"
#include "vault/note/edit.h"

#include "check.h"

/* Bytes outside of the reported change are the same. */
static inline void check_untouched(const char *row, str old, const struct edit_result *r)
{
    CHECK(row, r->was.start == r->is.start && r->was.end <= old.n);
    CHECK(row, r->is.end <= r->text.n && r->was.start <= r->was.end);
    CHECK(row,
          str_eq(str_slice(old, 0, r->was.start), str_slice(r->text, 0, r->is.start)));
    CHECK(row, str_eq(str_skip(old, r->was.end), str_skip(r->text, r->is.end)));
}

static inline void check_err(const char *row, bool ok, const struct err *err,
                             const char *name, const char *msg)
{
    if (ok)
        fail_msg("%s: no error", row);
    const char *is = err->name != E_NONE ? err_name_text(err->name) : "-";
    if (name != NULL && strcmp(is, name) != 0)
        fail_msg("%s: error '%s' %s, want %s", row, err->msg, is, name);
    if (strstr(err->msg, msg) == NULL)
        fail_msg("%s: error '%s', want '%s'", row, err->msg, msg);
}
