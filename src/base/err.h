/*
 * err - why something failed: a code to act on, a sentence for the client, a
 * detail for the log.
 *
 * A struct err is a plain value without allocation, so it outlives any arena.
 * err_set() and err_sys() fill it and return false, so that a failure is one
 * line: return err_set(err, ERR_NOT_FOUND, "no note '%s'", name);
 * A failure that clients or callers distinguish from others with the same code has a name
 * (err_names.h): err_named(err, E_FILE_NOT_FOUND, "no note '%s'", name). Do not compare
 * messages. msg never contains an absolute path, errno text or a secret: those go to
 * detail.
 */
#pragma once

#include <stdbool.h>
#include <stdnoreturn.h>

#include "base/err_names.h"
#include "base/str.h"

struct arena;

enum err_code {
    ERR_NONE,
    ERR_INVALID,   /* the request makes no sense */
    ERR_NOT_FOUND, /* what it names does not exist */
    ERR_EXISTS,    /* what it wants to create already exists */
    ERR_CONFLICT,  /* it was based on an older state */
    ERR_DENIED,    /* it is not allowed, for this caller or at all */
    ERR_LIMIT,     /* it is larger than a named limit */
    ERR_BUSY,      /* not now; the same request may work later */
    ERR_INTERNAL,  /* a fault of vaultd or of the machine */
};

enum err_name {
    E_NONE, /* the code is enough */
#define ERR_NAME(name, code, text) name,
    ERR_NAMES(ERR_NAME)
#undef ERR_NAME
};

/* What to do about a failure, for layers that know the names of tools and commands: they
 * make a hint of it. */
enum err_remedy {
    REMEDY_NONE,
    REMEDY_WRITE_ALL,   /* of a file, as UTF-8 */
    REMEDY_MOVE_TEXT,   /* by an edit of the note */
    REMEDY_EDIT_LINE,   /* instead */
    REMEDY_READ_CANVAS, /* to see what is in it */
    REMEDY_RENAME_HEADING,
    REMEDY_RENAME_BLOCK,
};

struct err {
    enum err_code code;
    enum err_name name; /* which error of its code it is, where that matters */
    enum err_remedy remedy;
    const char *hint; /* what to try, a literal; or NULL */
    char msg[240];    /* one sentence for the client, valid UTF-8 */
    char detail[240]; /* for the log only */
};

/* Fill *err and return false. A text that is too long is cut between characters. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same for an error with a name, which determines the code. */
bool err_named(struct err *err, enum err_name name, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The same for an error caused by another one, whose code it keeps, whatever the name. */
bool err_caused(struct err *err, const struct err *why, enum err_name name,
                const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Replace the message; the arguments may point into err. Returns false. */
bool err_reword(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Give an error another name, and with it another code. Returns false. */
bool err_rename(struct err *err, enum err_name name);

/* Add a remedy. Returns false. */
bool err_remedy(struct err *err, enum err_remedy remedy);

/* Add a hint, a literal, unless the message is a question that already says what to try.
 * Returns false. */
bool err_hint(struct err *err, const char *hint);

/* The message with "; hint" if there is one, as clients see it. */
str err_text(struct arena *a, const struct err *err);

/* "FILE_NOT_FOUND" and so on, as clients see it; NULL for E_NONE. */
const char *err_name_text(enum err_name name);

/*
 * As err_set(), with the code from errno (ENOENT not found, EACCES denied, ...) and its
 * text in detail.
 */
bool err_sys(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add the path of a file or folder of this machine to detail. Returns false. */
bool err_at(struct err *err, const char *path);

/* "not_found" and so on, for logs. */
const char *err_code_name(enum err_code code);

/* A bug in vaultd: print where, and abort. */
#define BUG(...) err_bug(__FILE__, __LINE__, __VA_ARGS__)
noreturn void err_bug(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
