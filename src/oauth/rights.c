#include "oauth/rights.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"

static const struct {
    str name;
    unsigned scopes;
} known[] = {
    {{"vault:read", 10}, OAUTH_MAY_READ},
    {{"vault:propose", 13}, OAUTH_MAY_PROPOSE},
    {{"vault:write", 11}, OAUTH_MAY_WRITE},
};

static const char *const level_names[] = {[RIGHTS_NONE] = "none",
                                          [RIGHTS_READ] = "read",
                                          [RIGHTS_PROPOSE] = "propose",
                                          [RIGHTS_WRITE] = "write"};

/* --- scopes and levels --- */

/* scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
static bool is_scope_token(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x21 || s.p[i] > 0x7e || s.p[i] == '"' || s.p[i] == '\\')
            return false;
    return s.n > 0;
}

bool rights_read_scopes(str text, unsigned *out)
{
    unsigned scopes = 0;
    str name;
    while (str_next(&text, ' ', &name)) {
        if (!is_scope_token(name))
            return false;
        for (size_t i = 0; i < COUNT_OF(known); i++)
            if (str_eq(name, known[i].name))
                scopes |= known[i].scopes;
    }
    *out = scopes;
    return true;
}

str rights_print_scopes(struct arena *a, unsigned scopes)
{
    enum rights_level most = rights_level_of(scopes);
    return most <= RIGHTS_READ
               ? (most == RIGHTS_READ ? known[0].name : STR(""))
               : arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(known[0].name),
                              STR_ARG(rights_scope_name(most)));
}

unsigned rights_scopes_for(enum rights_level level)
{
    return level == RIGHTS_NONE ? 0 : known[level - RIGHTS_READ].scopes;
}

str rights_scope_name(enum rights_level level)
{
    return known[level - RIGHTS_READ].name;
}

enum rights_level rights_level_of(unsigned scopes)
{
    enum rights_level level = RIGHTS_WRITE;
    while (level > RIGHTS_NONE &&
           (scopes & rights_scopes_for(level)) != rights_scopes_for(level))
        level--;
    return level;
}

unsigned rights_stored_scopes(int64_t stored)
{
    if (stored < 0 || (stored & ~(int64_t)OAUTH_MAY_WRITE) != 0)
        return 0;
    return (stored & OAUTH_WRITE) != 0     ? OAUTH_MAY_WRITE
           : (stored & OAUTH_PROPOSE) != 0 ? OAUTH_MAY_PROPOSE
                                           : (unsigned)stored;
}

str rights_level_name(enum rights_level level)
{
    return str_c(level_names[level]);
}

bool rights_find_level(str name, enum rights_level *out)
{
    for (enum rights_level i = RIGHTS_NONE; i <= RIGHTS_WRITE; i++)
        if (str_eq(name, str_c(level_names[i]))) {
            *out = i;
            return true;
        }
    return false;
}

struct oauth_rights rights_all(unsigned scopes)
{
    return (struct oauth_rights){.scopes = scopes, .elsewhere = RIGHTS_WRITE};
}

/* --- as text ---
 *
 * Folders, one per line, if only these can be used, with all that the scopes allow; no text
 * if there is no limit. Anything else begins with a line that is the name of no folder, so that
 * earlier versions, to which each line is one, refuse everything:
 *
 *     ../rights
 *     elsewhere read
 *     write Inbox
 *     none Private
 *     tool vault_read
 *     sum 5d2b79a1c3e8f046
 *
 * with a line "tools" before the tools, if only these can be used. The sum is a hash of the
 * lines before it: what is damaged, or cut off, allows nothing, instead of something else.
 */

static const str form_line = {"../rights", 9}, elsewhere_word = {"elsewhere ", 10},
                 tools_line = {"tools", 5}, tool_word = {"tool ", 5},
                 sum_word = {"\nsum ", 5};

/* "" is the root of a vault; without any text it would be no limit at all. */
static str shown_folder(str folder)
{
    return folder.n > 0 ? folder : STR("/");
}

static bool is_list_of_folders(const struct oauth_rights *r)
{
    bool is =
        !r->only_tools && r->elsewhere == (r->n_places > 0 ? RIGHTS_NONE : RIGHTS_WRITE);
    for (size_t i = 0; is && i < r->n_places; i++)
        is = r->places[i].level == RIGHTS_WRITE;
    return is;
}

static str sum_of(struct arena *a, str lines)
{
    return arena_printf(a, "%016llx", (unsigned long long)hash_content(lines).high);
}

static void print_form(struct sbuf *out, const struct oauth_rights *r)
{
    sbuf_printf(out, STR_FMT "\n" STR_FMT "%s", STR_ARG(form_line),
                STR_ARG(elsewhere_word), level_names[r->elsewhere]);
    for (size_t i = 0; i < r->n_places; i++)
        sbuf_printf(out, "\n%s " STR_FMT, level_names[r->places[i].level],
                    STR_ARG(shown_folder(r->places[i].folder)));
    if (r->only_tools)
        sbuf_printf(out, "\n" STR_FMT, STR_ARG(tools_line));
    for (size_t i = 0; r->only_tools && i < r->n_tools; i++)
        sbuf_printf(out, "\n" STR_FMT STR_FMT, STR_ARG(tool_word), STR_ARG(r->tools[i]));
}

str rights_print(struct arena *a, const struct oauth_rights *r)
{
    struct sbuf out = SBUF_ON(a);
    if (!is_list_of_folders(r)) {
        print_form(&out, r);
        str sum = sum_of(a, sbuf_str(&out));
        sbuf_printf(&out, STR_FMT STR_FMT, STR_ARG(sum_word), STR_ARG(sum));
        return sbuf_str(&out);
    }
    for (size_t i = 0; i < r->n_places; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? "\n" : "",
                    STR_ARG(shown_folder(r->places[i].folder)));
    return sbuf_str(&out);
}

static bool is_place(str folder)
{
    return folder.n <= RIGHTS_PLACE_BYTES_MAX && text_is_printable(folder);
}

static bool is_tool(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!is_alnum(name.p[i]) && name.p[i] != '_' && name.p[i] != '-')
            return false;
    return name.n > 0 && name.n <= RIGHTS_PLACE_BYTES_MAX;
}

bool rights_valid(const struct oauth_rights *r)
{
    size_t bytes = 0;
    if (r->n_places > RIGHTS_PLACES_MAX || r->n_tools > RIGHTS_TOOLS_MAX)
        return false;
    for (size_t i = 0; i < r->n_places; i++) {
        bytes += r->places[i].folder.n + sizeof("propose \n");
        if (!is_place(r->places[i].folder))
            return false;
    }
    for (size_t i = 0; i < r->n_tools; i++) {
        bytes += r->tools[i].n + sizeof("tool \n");
        if (!is_tool(r->tools[i]))
            return false;
    }
    return bytes <= RIGHTS_TEXT_MAX;
}

/* Rights that are being read. */
struct reading {
    struct arena *arena;
    struct oauth_rights rights;
    struct rights_place *places;
    str *tools;
};

static bool rights_read_line(struct reading *r, str line)
{
    struct oauth_rights *out = &r->rights;
    str word, rest = line;
    enum rights_level level;
    if (str_eq(line, tools_line)) {
        out->only_tools = true;
        return true;
    }
    if (str_starts(line, tool_word) && out->only_tools) {
        *ARRAY_ADD(r->arena, r->tools, out->n_tools) = str_skip(line, tool_word.n);
        return true;
    }
    if (!str_next(&rest, ' ', &word) || rest.n == 0 || !rights_find_level(word, &level))
        return false;
    *ARRAY_ADD(r->arena, r->places, out->n_places) = (struct rights_place){rest, level};
    return true;
}

/* The lines before the sum, if it is theirs. */
static bool check_sum(struct arena *a, str *text)
{
    enum { SUM = 16 };
    size_t n = sum_word.n + SUM;
    if (text->n < n)
        return false;
    str lines = str_slice(*text, 0, text->n - n), end = str_skip(*text, text->n - n);
    *text = lines;
    return str_starts(end, sum_word) &&
           str_eq(str_skip(end, sum_word.n), sum_of(a, lines));
}

static bool read_form(struct reading *r, str text)
{
    str line;
    if (!check_sum(r->arena, &text) || !str_next(&text, '\n', &line))
        return false; /* the first line says that it is one */
    if (!str_next(&text, '\n', &line) || !str_starts(line, elsewhere_word) ||
        !rights_find_level(str_skip(line, elsewhere_word.n), &r->rights.elsewhere))
        return false;
    while (str_next(&text, '\n', &line))
        if (!rights_read_line(r, line))
            return false;
    return true;
}

/* Of a form whose first line is damaged: no names of folders, most likely. */
static bool is_of_form(str line)
{
    return str_starts(line, STR(".")) || str_starts(line, elsewhere_word) ||
           str_starts(line, str_skip(sum_word, 1));
}

static bool read_folders(struct reading *r, str text)
{
    str line, rest = text;
    while (str_next(&rest, '\n', &line))
        if (is_of_form(line))
            return false;
    r->rights.elsewhere = text.n > 0 ? RIGHTS_NONE : RIGHTS_WRITE;
    while (text.n > 0 && str_next(&text, '\n', &line))
        *ARRAY_ADD(r->arena, r->places, r->rights.n_places) =
            (struct rights_place){line, RIGHTS_WRITE};
    return true;
}

struct oauth_rights rights_read(struct arena *a, int64_t scopes, str text)
{
    struct reading r = {.arena = a, .rights.scopes = rights_stored_scopes(scopes)};
    str rest = text, first;
    bool ok = text.n <= RIGHTS_TEXT_MAX &&
              (str_next(&rest, '\n', &first) && str_eq(first, form_line)
                   ? read_form(&r, text)
                   : read_folders(&r, text));
    r.rights.places = r.places;
    r.rights.tools = r.tools;
    if (ok && rights_valid(&r.rights))
        return r.rights;
    log_event(LOG_ERROR, "grant", LOG_STR("error", STR("stored rights are not valid")));
    return (struct oauth_rights){.only_tools = true};
}

/* --- what they allow --- */

static enum rights_level rights_lower(enum rights_level a, enum rights_level b)
{
    return a < b ? a : b;
}

/* Whether a place is in another one, or is the same. */
static bool rights_is_in(str outer, str inner, bool several)
{
    if (several && str_ends(outer, STR(":")))
        return str_starts(inner, outer);
    outer = str_eq(outer, STR("/")) ? STR("") : outer;
    return several && outer.n == 0 ? inner.n == 0 : path_is_or_below(outer, inner);
}

static enum rights_level level_in(const struct oauth_rights *r, str folder, bool several)
{
    size_t depth = 0;
    bool found = false;
    enum rights_level level = r->elsewhere;
    for (size_t i = 0; i < r->n_places; i++) {
        const struct rights_place *p = &r->places[i];
        size_t n = str_eq(p->folder, STR("/")) ? 0 : p->folder.n;
        if (!rights_is_in(p->folder, folder, several) || (found && n < depth))
            continue;
        level = found && n == depth ? rights_lower(level, p->level) : p->level;
        found = true;
        depth = n;
    }
    return level;
}

enum rights_level rights_at(const struct oauth_rights *r, str folder, bool several)
{
    str place = str_eq(folder, STR("/")) ? STR("") : folder;
    return rights_lower(level_in(r, place, several), rights_level_of(r->scopes));
}

enum rights_level rights_highest(const struct oauth_rights *r)
{
    enum rights_level level = r->elsewhere;
    for (size_t i = 0; i < r->n_places; i++)
        level = level < r->places[i].level ? r->places[i].level : level;
    return rights_lower(level, rights_level_of(r->scopes));
}

bool rights_same_everywhere(const struct oauth_rights *r)
{
    enum rights_level most = rights_level_of(r->scopes);
    for (size_t i = 0; i < r->n_places; i++)
        if (rights_lower(r->places[i].level, most) != rights_lower(r->elsewhere, most))
            return false;
    return true;
}

static bool has_place(const struct reading *r, str folder)
{
    bool has = false;
    for (size_t i = 0; !has && i < r->rights.n_places; i++)
        has = str_eq(r->places[i].folder, folder);
    return has;
}

/* The places of one, with what both allow there. */
static void add_places(struct reading *out, const struct oauth_rights *of,
                       const struct oauth_rights *other, bool several)
{
    for (size_t i = 0; i < of->n_places; i++) {
        str folder = of->places[i].folder;
        if (has_place(out, folder))
            continue;
        enum rights_level level = rights_lower(rights_at(of, folder, several),
                                               rights_at(other, folder, several));
        *ARRAY_ADD(out->arena, out->places, out->rights.n_places) =
            (struct rights_place){folder, level};
    }
}

static bool has_tool(const struct oauth_rights *r, str tool)
{
    bool has = !r->only_tools;
    for (size_t i = 0; !has && i < r->n_tools; i++)
        has = str_eq(r->tools[i], tool);
    return has;
}

struct oauth_rights rights_both(struct arena *a, const struct oauth_rights *x,
                                const struct oauth_rights *y, bool several)
{
    struct reading out = {.arena = a};
    const struct oauth_rights *tools = x->only_tools ? x : y;
    out.rights =
        (struct oauth_rights){.scopes = x->scopes & y->scopes,
                              .elsewhere = rights_lower(x->elsewhere, y->elsewhere),
                              .only_tools = x->only_tools || y->only_tools};
    add_places(&out, x, y, several);
    add_places(&out, y, x, several);
    for (size_t i = 0; out.rights.only_tools && i < tools->n_tools; i++)
        if (has_tool(x, tools->tools[i]) && has_tool(y, tools->tools[i]))
            *ARRAY_ADD(a, out.tools, out.rights.n_tools) = tools->tools[i];
    out.rights.places = out.places;
    out.rights.tools = out.tools;
    return out.rights;
}

struct oauth_rights rights_copy(struct arena *a, const struct oauth_rights *r)
{
    struct oauth_rights copy = *r;
    struct rights_place *places = ARENA_ARRAY(a, struct rights_place, r->n_places);
    str *tools = ARENA_ARRAY(a, str, r->n_tools);
    for (size_t i = 0; i < r->n_places; i++)
        places[i] =
            (struct rights_place){arena_str(a, r->places[i].folder), r->places[i].level};
    for (size_t i = 0; i < r->n_tools; i++)
        tools[i] = arena_str(a, r->tools[i]);
    copy.places = places;
    copy.tools = tools;
    return copy;
}

str rights_place_above(str place)
{
    size_t slash = str_find_last(place, '/');
    return slash == STR_NONE || slash == 0 ? STR("") : str_slice(place, 0, slash);
}
