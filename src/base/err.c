#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/os/error_text.h"
#include "base/os/file.h"
#include "base/os/ready.h"

/* A truncated text must not end inside a character: drop an incomplete UTF-8 sequence. */
static void cut_whole(char *text, size_t size, int wanted)
{
    if (wanted < 0 || (size_t)wanted < size)
        return;
    size_t n = size - 1;
    while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80)
        n--;
    if (n > 0 && (unsigned char)text[n - 1] >= 0xC0)
        n--;
    text[n] = '\0';
}

PRINTF_LIKE(4, 0)
static void fill(struct err *err, enum err_code code, enum err_name name, const char *fmt,
                 va_list args)
{
    err->code = code;
    err->name = name;
    err->remedy = REMEDY_NONE;
    err->hint = NULL;
    err->detail[0] = '\0';
    cut_whole(err->msg, sizeof(err->msg),
              vsnprintf(err->msg, sizeof(err->msg), fmt, args));
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, code, E_NONE, fmt, args);
    va_end(args);
    return false;
}

static const struct {
    enum err_code code;
    const char *text;
} err_names[] = {
#define ERR_NAME(name, code, text) [name] = {code, text},
    ERR_NAMES(ERR_NAME)
#undef ERR_NAME
};

bool err_named(struct err *err, enum err_name name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, err_names[name].code, name, fmt, args);
    va_end(args);
    return false;
}

bool err_caused(struct err *err, const struct err *why, enum err_name name,
                const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, why->code, name, fmt, args);
    va_end(args);
    return false;
}

bool err_reword(struct err *err, const char *fmt, ...)
{
    char text[sizeof(err->msg)];
    va_list args;
    va_start(args, fmt);
    cut_whole(text, sizeof(text), vsnprintf(text, sizeof(text), fmt, args));
    va_end(args);
    memcpy(err->msg, text, sizeof(text));
    return false;
}

bool err_rename(struct err *err, enum err_name name)
{
    err->code = err_names[name].code;
    err->name = name;
    return false;
}

static enum err_code code_of_errno(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return ERR_NOT_FOUND;
    case EEXIST:
    case ENOTEMPTY:
        return ERR_EXISTS;
    case EACCES:
    case EPERM:
    case EROFS:
    case EXDEV:
    case ELOOP:
        return ERR_DENIED;
    case ENAMETOOLONG:
    case EFBIG:
        return ERR_LIMIT;
    case EAGAIN:
    case EBUSY:
    case EMFILE:
    case ENFILE:
        return ERR_BUSY;
    default:
        return ERR_INTERNAL;
    }
}

static bool ends_with_question(const struct err *err)
{
    return str_ends(str_c(err->msg), STR("?"));
}

bool err_remedy(struct err *err, enum err_remedy remedy)
{
    err->remedy = remedy;
    return false;
}

bool err_hint(struct err *err, const char *hint)
{
    if (!ends_with_question(err))
        err->hint = hint;
    return false;
}

str err_text(struct arena *a, const struct err *err)
{
    return err->hint == NULL
               ? str_c(err->msg)
               : arena_printf(a, "%s%s %s", err->msg, ends_with_question(err) ? "" : ";",
                              err->hint);
}

const char *err_name_text(enum err_name name)
{
    return err_names[name].text;
}

bool err_sys(struct err *err, const char *fmt, ...)
{
    int number = errno;
    va_list args;
    va_start(args, fmt);
    fill(err, code_of_errno(number), E_NONE, fmt, args);
    va_end(args);
    snprintf(err->detail, sizeof(err->detail), "%s", error_text(number));
    return false;
}

bool err_at(struct err *err, const char *path)
{
    size_t n = strlen(err->detail);
    snprintf(err->detail + n, sizeof(err->detail) - n, "%s%s", n > 0 ? ": " : "", path);
    return false;
}

const char *err_code_name(enum err_code code)
{
    static const char *const names[] = {
        [ERR_NONE] = "none",           [ERR_INVALID] = "invalid",
        [ERR_NOT_FOUND] = "not_found", [ERR_EXISTS] = "exists",
        [ERR_CONFLICT] = "conflict",   [ERR_DENIED] = "denied",
        [ERR_LIMIT] = "limit",         [ERR_BUSY] = "busy",
        [ERR_INTERNAL] = "internal",
    };
    return names[code];
}

noreturn void err_bug(const char *file, int line, const char *fmt, ...)
{
    enum { READER_MS = 1000 }; /* a stderr that is not read must not prevent the end */
    char text[512], message[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    snprintf(message, sizeof(message), "BUG at %s:%d: %s\n", file, line, text);
    struct ready out = {.fd = FILE_STDERR, .write = true};
    if (ready_wait(&out, 1, READER_MS))
        (void)!file_write(FILE_STDERR, str_c(message));
    abort();
}
