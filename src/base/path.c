#include "base/path.h"

#include "base/chars.h"
#include "base/os/machine.h"
#include "base/utf8.h"

/* Bytes of a client's text that a message repeats. */
enum { SHOWN_MAX = 80 };

/* Characters that HFS+ drops from names; git's protectHFS has the same list. */
static bool is_ignorable(uint32_t c)
{
    return (c >= 0x200C && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x206A && c <= 0x206F) || c == 0xFEFF;
}

static str skip_ignorable(str name)
{
    while (name.n > 0 && (uint8_t)name.p[0] >= 0x80) {
        size_t n;
        if (!is_ignorable(utf8_decode(name, &n)))
            break;
        name = str_skip(name, n);
    }
    return name;
}

/* The short name of ".git" on NTFS, also with endings that NTFS ignores. */
static bool is_git_short(str name)
{
    if (!str_eq_nocase(str_slice(name, 0, 5), STR("git~1")))
        return false;
    for (size_t i = 5; i < name.n && name.p[i] != ':'; i++)
        if (name.p[i] != '.' && name.p[i] != ' ')
            return false;
    return true;
}

bool path_is_hidden(str name)
{
    name = skip_ignorable(name);
    return (name.n > 0 && name.p[0] == '.') || is_git_short(name);
}

str path_in_icloud(str name)
{
    static const str end = {".icloud", 7};
    bool placeholder = str_starts(name, STR(".")) && str_ends(name, end);
    str meant = placeholder ? str_skip(str_slice(name, 0, name.n - end.n), 1) : STR("");
    return meant.n > 0 && !path_is_hidden(meant) ? meant : STR("");
}

/* C0, DEL and, as UTF-8, C1: C2 80 to C2 9F. */
static bool has_control(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = (uint8_t)s.p[i];
        if (c < 0x20 || c == 0x7F)
            return true;
        if (c == 0xC2 && i + 1 < s.n && (uint8_t)s.p[i + 1] < 0xA0)
            return true;
    }
    return false;
}

/* --- what Windows reserves --- */

/* "COM" or "LPT" and a digit from 1 to 9, for Windows also a superscript 1, 2 or 3. */
static bool is_port(str stem)
{
    static const char *const digits[] = {"1", "2", "3", "4",      "5",      "6",
                                         "7", "8", "9", "\u00b9", "\u00b2", "\u00b3"};
    str kind = str_slice(stem, 0, 3), digit = str_skip(stem, 3);
    if (!str_eq_nocase(kind, STR("com")) && !str_eq_nocase(kind, STR("lpt")))
        return false;
    for (size_t i = 0; i < COUNT_OF(digits); i++)
        if (str_eq(digit, str_c(digits[i])))
            return true;
    return false;
}

static bool is_device(str name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    str stem = str_trim(str_slice(name, 0, str_find_char(name, '.')));
    for (size_t i = 0; i < COUNT_OF(devices); i++)
        if (str_eq_nocase(stem, str_c(devices[i])))
            return true;
    return is_port(stem);
}

static bool has_reserved_char(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] != '\0' && strchr("*?\"<>|:", name.p[i]) != NULL)
            return true;
    return false;
}

bool path_is_reserved(str name)
{
    return has_reserved_char(name) || str_ends(name, STR(".")) ||
           str_ends(name, STR(" ")) || is_device(name);
}

bool path_is_short_form(str name)
{
    enum { BASE = 8, EXTENSION = 3 };
    size_t dot = str_find_char(name, '.');
    str base = str_slice(name, 0, dot), extension = {0};
    if (dot != STR_NONE)
        extension = str_skip(name, dot + 1);
    size_t tilde = str_find_last(base, '~');
    if (base.n > BASE || extension.n > EXTENSION || tilde == STR_NONE ||
        tilde + 1 == base.n)
        return false;
    for (size_t i = tilde + 1; i < base.n; i++)
        if (!is_digit(base.p[i]))
            return false;
    return true;
}

static bool is_refused_here(str name)
{
    return machine_system() == MACHINE_WINDOWS && path_is_reserved(name);
}

/* --- what a client sends --- */

bool path_is_spellable(str name)
{
    return name.n <= PATH_MAX_COMPONENT && utf8_valid(name) && !has_control(name) &&
           str_find_char(name, '\\') == STR_NONE && !is_refused_here(name);
}

static bool path_check_text(str in, struct err *err)
{
    if (in.n > PATH_MAX_BYTES)
        return err_named(err, E_PATH_TOO_LONG,
                         "the path is %zu bytes long: use at most %d", in.n,
                         PATH_MAX_BYTES);
    if (!utf8_valid(in))
        return err_named(err, E_PATH_INVALID,
                         "the path is not valid UTF-8: copy it from a listing");
    if (has_control(in))
        return err_named(err, E_PATH_INVALID,
                         "the path contains a control character: remove it");
    if (str_find_char(in, '\\') != STR_NONE)
        return err_named(err, E_PATH_INVALID,
                         "'\\' is not allowed in a path: separate folders with '/'");
    return true;
}

static bool check_segment(str name, struct err *err)
{
    if (str_eq(name, STR("..")))
        return err_named(err, E_PATH_NOT_ALLOWED,
                         "'..' is not allowed in a path: give the path from the vault "
                         "root");
    if (str_eq(name, STR(".trash")))
        return err_named(
            err, E_PATH_NOT_ALLOWED,
            "'.trash' is a hidden name: restore a file from the trash before "
            "you use it; restore without a path lists the trash");
    if (path_is_hidden(name))
        return err_named(err, E_PATH_NOT_ALLOWED,
                         "'" STR_FMT
                         "' is a hidden name, which tools cannot access: choose "
                         "one that does not start with '.'",
                         STR_ARG(utf8_cut(name, SHOWN_MAX)));
    if (is_refused_here(name))
        return err_named(err, E_PATH_INVALID,
                         "'" STR_FMT "' is not the name of a file on Windows",
                         STR_ARG(utf8_cut(name, SHOWN_MAX)));
    if (name.n > PATH_MAX_COMPONENT)
        return err_named(err, E_PATH_TOO_LONG,
                         "the name '" STR_FMT "…' is %zu bytes long: use at most %d",
                         STR_ARG(utf8_cut(name, SHOWN_MAX)), name.n, PATH_MAX_COMPONENT);
    return true;
}

bool path_clean(struct arena *a, str in, str *out, struct err *err)
{
    if (!path_check_text(in, err))
        return false;
    char *clean = arena_alloc(a, in.n + 1);
    size_t n = 0;
    str name;
    while (str_next(&in, '/', &name)) {
        if (name.n == 0 || str_eq(name, STR(".")))
            continue;
        if (!check_segment(name, err))
            return false;
        if (n > 0)
            clean[n++] = '/';
        memcpy(clean + n, name.p, name.n);
        n += name.n;
    }
    clean[n] = '\0';
    *out = (str){clean, n};
    return true;
}

bool path_clean_file(struct arena *a, str in, str *out, struct err *err)
{
    if (str_ends(in, STR("/")))
        return err_named(
            err, E_PATH_INVALID,
            "a path that ends with '/' is a folder: give the name of a file");
    return path_clean(a, in, out, err);
}

str path_name(str path)
{
    size_t slash = str_find_last(path, '/');
    return slash != STR_NONE ? str_skip(path, slash + 1) : path;
}

str path_folder(str path)
{
    size_t slash = str_find_last(path, '/');
    return str_slice(path, 0, slash != STR_NONE ? slash : 0);
}

str path_extension(str path)
{
    str name = path_name(path);
    size_t dot = str_find_last(name, '.');
    return dot != STR_NONE && dot > 0 ? str_skip(name, dot + 1) : STR("");
}

int path_cmp(str a, str b)
{
    size_t i = 0;
    while (i < a.n && i < b.n && a.p[i] == b.p[i])
        i++;
    if (i == a.n || i == b.n)
        return (a.n > i) - (b.n > i);
    unsigned left = a.p[i] == '/' ? 0 : (unsigned char)a.p[i];
    unsigned right = b.p[i] == '/' ? 0 : (unsigned char)b.p[i];
    return (left > right) - (left < right);
}

str path_join(struct arena *a, str folder, str name)
{
    if (folder.n == 0)
        return arena_str(a, name);
    size_t n = size_add(folder.n + 1, name.n);
    char *p = arena_alloc(a, size_add(n, 1));
    memcpy(p, folder.p, folder.n);
    p[folder.n] = '/';
    memcpy(p + folder.n + 1, name.p, name.n);
    p[n] = '\0';
    return (str){p, n};
}

bool path_is_visible(str path)
{
    str name;
    while (str_next(&path, '/', &name))
        if (path_is_hidden(name))
            return false;
    return true;
}

/* --- new names --- */

/* Direction marks, line breaks, zero-width spaces except joiners, byte order marks. */
static bool is_unseen(uint32_t c)
{
    return c == 0x061C || c == 0x180E || c == 0x200B || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

static const char *why_not(str name)
{
    for (size_t i = 0, n; i < name.n; i += n)
        if (is_unseen(utf8_decode(str_skip(name, i), &n)))
            return "it contains an invisible character";
    if (has_reserved_char(name))
        return "a file name cannot contain any of * ? \" < > | :";
    if (str_ends(name, STR(".")) || str_ends(name, STR(" ")) ||
        str_starts(name, STR(" ")))
        return "a name cannot begin with a space, or end with a space or a dot";
    if (name.n > PATH_MAX_COMPONENT)
        return "it is too long";
    return is_device(name) ? "Windows reserves this name for a device" : NULL;
}

bool path_check_new(str path, struct err *err)
{
    str rest = path, name;
    while (str_next(&rest, '/', &name)) {
        const char *why = why_not(name);
        if (why != NULL)
            return err_named(err, E_PATH_INVALID,
                             "'" STR_FMT "' cannot be used as a name: %s",
                             STR_ARG(utf8_cut(name, SHOWN_MAX)), why);
    }
    return true;
}
