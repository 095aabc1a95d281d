#include "vault/access.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/text/glob.h"

struct access_pattern {
    str text;                /* as written, but clean */
    str key;                 /* folded for comparison */
    const struct glob *glob; /* NULL: key is a path */
    bool literal;            /* compare the text, unless the file system folds */
    str above;               /* of a glob: a folder that contains all its matches */
};

struct access_list {
    struct access_pattern *items; /* by key */
    size_t n;
};

enum kind { READ, WRITE, DENY, REVIEW, KINDS };

static const char *const kind_names[KINDS] = {
    [READ] = "read", [WRITE] = "write", [DENY] = "deny", [REVIEW] = "propose"};

struct access_rule {
    struct access_list lists[KINDS];
};

/* --- making --- */

static bool is_glob(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (strchr("*?[{", text.p[i]) != NULL)
            return true;
    return false;
}

static bool access_refuse(struct err *err, str text, const char *why)
{
    return err_set(err, ERR_INVALID, "'" STR_FMT "' is not a path in a vault: %s",
                   STR_ARG(str_slice(text, 0, 100)), why);
}

/* The whole folders that a glob begins with. */
static str fixed_folder(str key)
{
    size_t end = 0;
    if (str_find_char(key, '/') == STR_NONE)
        return (str){0};
    key = str_skip(key, str_starts(key, STR("/")));
    for (size_t i = 0; i < key.n && strchr("*?[{\\", key.p[i]) == NULL; i++)
        if (key.p[i] == '/')
            end = i;
    return str_slice(key, 0, end);
}

static bool make_glob(struct arena *a, str text, struct access_pattern *out,
                      struct err *err)
{
    struct glob *glob;
    str segments = text, name;
    while (str_next(&segments, '/', &name))
        if (str_eq(name, STR("..")) || str_eq(name, STR(".")))
            return access_refuse(err, text, "'.' and '..' are not allowed");
    if (str_starts(text, STR("!")))
        return access_refuse(err, text, "to exclude paths, use deny-paths");
    out->text = arena_str(a, text);
    out->key = arena_str(a, utf8_fold(a, text));
    str safe = str_starts(out->key, STR("#"))
                   ? arena_printf(a, "\\" STR_FMT, STR_ARG(out->key))
                   : out->key;
    if (!glob_compile(a, &safe, 1, &glob, err))
        return false;
    out->glob = glob;
    out->above = fixed_folder(out->key);
    return true;
}

static bool make_pattern(struct arena *a, str text, bool literal,
                         struct access_pattern *out, struct err *err)
{
    struct err why;
    str clean;
    *out = (struct access_pattern){.literal = literal};
    if (text.n == 0)
        return access_refuse(err, text, "it is empty; use '/' for the whole vault");
    if (text.n > ACCESS_PATTERN_BYTES_MAX)
        return access_refuse(err, text, "it is too long");
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return access_refuse(err, text, "it has control characters");
    if (!literal && is_glob(text)) {
        while (str_ends(text, STR("/")))
            text = str_slice(text, 0, text.n - 1);
        return make_glob(a, text, out, err);
    }
    if (!path_clean(a, text, &clean, &why))
        return access_refuse(err, text, why.msg);
    out->text = arena_str(a, clean);
    out->key = arena_str(a, utf8_fold(a, clean));
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct access_pattern *x = a, *y = b;
    int order = str_cmp(x->key, y->key);
    return order != 0 || !x->literal ? order : str_cmp(x->text, y->text);
}

static bool access_is_same(const struct access_pattern *x, const struct access_pattern *y)
{
    return str_eq(x->key, y->key) && (!x->literal || str_eq(x->text, y->text));
}

static bool make_list(struct arena *a, const str *texts, size_t n, bool literal,
                      struct access_list *out, struct err *err)
{
    size_t kept = 0;
    if (n > ACCESS_PATTERNS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d paths", ACCESS_PATTERNS_MAX);
    *out =
        (struct access_list){.items = ARENA_ARRAY(a, struct access_pattern, n), .n = n};
    for (size_t i = 0; i < n; i++)
        if (!make_pattern(a, texts[i], literal, &out->items[i], err))
            return false;
    if (n > 1)
        sort_items(out->items, n, sizeof(*out->items), by_key);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !access_is_same(&out->items[i], &out->items[kept - 1]))
            out->items[kept++] = out->items[i];
    out->n = kept;
    return true;
}

bool access_make(struct arena *a, const struct access_request *request,
                 struct access *out, struct err *err)
{
    struct access_rule *rule = ARENA_NEW(a, struct access_rule);
    const struct access_rule **rules = ARENA_ARRAY(a, const struct access_rule *, 1);
    const struct {
        const str *texts;
        size_t n;
    } lists[KINDS] = {[READ] = {request->read, request->n_read},
                      [WRITE] = {request->write, request->n_write},
                      [DENY] = {request->deny, request->n_deny},
                      [REVIEW] = {request->review, request->n_review}};
    size_t all = 0;
    for (enum kind kind = READ; kind < KINDS; kind++) {
        if (!make_list(a, lists[kind].texts, lists[kind].n, request->literal,
                       &rule->lists[kind], err))
            return false;
        all += lists[kind].n;
    }
    rules[0] = rule;
    *out = (struct access){.read_only = request->read_only,
                           .propose = request->propose,
                           .rules = rules,
                           .n = all > 0};
    return true;
}

struct access access_join(struct arena *a, const struct access *x, const struct access *y)
{
    const struct access_rule **rules =
        ARENA_ARRAY(a, const struct access_rule *, x->n + y->n);
    for (size_t i = 0; i < x->n + y->n; i++)
        rules[i] = i < x->n ? x->rules[i] : y->rules[i - x->n];
    return (struct access){.read_only = x->read_only || y->read_only,
                           .propose = x->propose || y->propose,
                           .folds = x->folds || y->folds,
                           .rules = rules,
                           .n = x->n + y->n};
}

/* --- asking --- */

/* A path that is asked about, as it is and folded. */
struct asked {
    str path, key;
    bool folds;
};

static bool is_exact(const struct access_pattern *p, const struct asked *q)
{
    return p->literal && !q->folds;
}

/* Whether a pattern matches the path or a folder above it. */
static bool access_fits(const struct access_pattern *p, const struct asked *q)
{
    str key = q->key;
    if (p->glob == NULL)
        return is_exact(p, q) ? path_is_or_below(p->text, q->path)
                              : path_is_or_below(p->key, key);
    for (size_t i = 0; i <= key.n; i++)
        if ((i == key.n || key.p[i] == '/') && glob_match(p->glob, str_slice(key, 0, i)))
            return true;
    return false;
}

static bool any_fits(const struct access_list *l, const struct asked *q)
{
    for (size_t i = 0; i < l->n; i++)
        if (access_fits(&l->items[i], q))
            return true;
    return false;
}

/* Whether a pattern could match something below the folder. */
static bool could_fit_below(const struct access_pattern *p, const struct asked *folder)
{
    if (p->glob != NULL)
        return path_is_or_below(folder->key, p->above) ||
               path_is_or_below(p->above, folder->key);
    return is_exact(p, folder) ? path_is_or_below(folder->path, p->text)
                               : path_is_or_below(folder->key, p->key);
}

static bool any_below(const struct access_list *l, const struct asked *folder)
{
    for (size_t i = 0; i < l->n; i++)
        if (could_fit_below(&l->items[i], folder))
            return true;
    return false;
}

static bool reads(const struct access_rule *r, const struct asked *q)
{
    return !any_fits(&r->lists[DENY], q) &&
           (r->lists[READ].n == 0 || any_fits(&r->lists[READ], q));
}

static bool writes(const struct access_rule *r, const struct asked *q)
{
    return reads(r, q) && (r->lists[WRITE].n == 0 || any_fits(&r->lists[WRITE], q));
}

static bool enters(const struct access_rule *r, const struct asked *q)
{
    return !any_fits(&r->lists[DENY], q) &&
           (r->lists[READ].n == 0 || any_fits(&r->lists[READ], q) ||
            any_below(&r->lists[READ], q));
}

static bool owns(const struct access_rule *r, const struct asked *q)
{
    return writes(r, q) && !any_below(&r->lists[DENY], q);
}

static bool is_unreviewed(const struct access_rule *r, const struct asked *q)
{
    return !any_fits(&r->lists[REVIEW], q);
}

static bool is_unreviewed_below(const struct access_rule *r, const struct asked *q)
{
    return is_unreviewed(r, q) && !any_below(&r->lists[REVIEW], q);
}

static bool all_say(const struct access *x, str path,
                    bool (*says)(const struct access_rule *r, const struct asked *q))
{
    struct arena scratch = {0};
    bool yes = true;
    struct asked q = {.path = path,
                      .key = x->n > 0 ? utf8_fold(&scratch, path) : path,
                      .folds = x->folds};
    for (size_t i = 0; yes && i < x->n; i++)
        yes = says(x->rules[i], &q);
    arena_release(&scratch);
    return yes;
}

bool access_reads(const struct access *x, str path)
{
    return path.n == 0 || all_say(x, path, reads);
}

enum access_level access_level(const struct access *x, str path)
{
    return x->read_only || !all_say(x, path, writes)        ? ACCESS_NOTHING
           : x->propose || !all_say(x, path, is_unreviewed) ? ACCESS_PROPOSE
                                                            : ACCESS_WRITE;
}

bool access_writes(const struct access *x, str path)
{
    return access_level(x, path) == ACCESS_WRITE;
}

bool access_has_review(const struct access *x)
{
    bool has = x->propose;
    for (size_t i = 0; i < x->n; i++)
        has = has || x->rules[i]->lists[REVIEW].n > 0;
    return has;
}

bool access_enters(const struct access *x, str folder)
{
    return folder.n == 0 || all_say(x, folder, enters);
}

enum access_level access_folder_level(const struct access *x, str folder)
{
    return x->read_only || !all_say(x, folder, owns)                ? ACCESS_NOTHING
           : x->propose || !all_say(x, folder, is_unreviewed_below) ? ACCESS_PROPOSE
                                                                    : ACCESS_WRITE;
}

bool access_reads_all(const struct access *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->rules[i]->lists[READ].n + x->rules[i]->lists[DENY].n > 0)
            return false;
    return true;
}

/* --- as text: "read-only" and "propose" about everything, then one line per pattern, and a
 * line "and" between rules; "read= Work" is literal --- */

static const str read_only_line = {"read-only\n", 10}, propose_line = {"propose\n", 8};

static void write_list(struct sbuf *out, const struct access_rule *r, enum kind kind,
                       bool keys)
{
    const struct access_list *l = &r->lists[kind];
    for (size_t i = 0; i < l->n; i++) {
        const struct access_pattern *p = &l->items[i];
        str text = keys && !p->literal ? p->key : p->text;
        sbuf_printf(out, "%s%s " STR_FMT "\n", kind_names[kind], p->literal ? "=" : "",
                    STR_ARG(text.n > 0 ? text : STR("/")));
    }
}

str access_text(struct arena *a, const struct access *x)
{
    struct sbuf out = SBUF_ON(a);
    if (x->read_only)
        sbuf_add(&out, read_only_line);
    if (x->propose)
        sbuf_add(&out, propose_line);
    for (size_t i = 0; i < x->n; i++) {
        if (i > 0)
            sbuf_add(&out, STR("and\n"));
        for (enum kind kind = READ; kind < KINDS; kind++)
            write_list(&out, x->rules[i], kind, false);
    }
    return sbuf_str(&out);
}

static int access_by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

str access_key(struct arena *a, const struct access *x)
{
    str *parts = ARENA_ARRAY(a, str, x->n);
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        struct sbuf part = SBUF_ON(a);
        write_list(&part, x->rules[i], READ, true);
        write_list(&part, x->rules[i], DENY, true);
        if (part.n > 0)
            parts[n++] = sbuf_str(&part);
    }
    if (n > 1)
        sort_items(parts, n, sizeof(*parts), access_by_bytes);
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !str_eq(parts[i], parts[i - 1]))
            sbuf_printf(&out, "%s" STR_FMT, out.n > 0 ? "and\n" : "", STR_ARG(parts[i]));
    return sbuf_str(&out);
}

/* The lines of one rule. All of them are literal, or none. */
struct rule_lines {
    str *texts[KINDS];
    size_t n[KINDS], all, literal;
};

/* Adds a line such as "read Work" to the list of its kind. */
static bool parse_line(str line, struct rule_lines *l)
{
    for (enum kind kind = READ; kind < KINDS; kind++) {
        str rest = line, name = str_c(kind_names[kind]);
        if (!str_starts(rest, name))
            continue;
        rest = str_skip(rest, name.n);
        bool literal = str_starts(rest, STR("= "));
        if (!literal && !str_starts(rest, STR(" ")))
            continue;
        l->texts[kind][l->n[kind]++] = str_skip(rest, literal ? 2 : 1);
        l->literal += literal;
        l->all++;
        return true;
    }
    return false;
}

/* One rule, up to "and" or the end; the rest remains in *text. */
static bool parse_rule(struct arena *a, str *text, struct access *out, struct err *err)
{
    enum { LINES_MAX = KINDS * ACCESS_PATTERNS_MAX };
    struct rule_lines l = {0};
    str line;
    for (enum kind kind = READ; kind < KINDS; kind++)
        l.texts[kind] = ARENA_ARRAY(a, str, LINES_MAX);
    while (text->n > 0 && str_next(text, '\n', &line) && !str_eq(line, STR("and")))
        if (l.all == LINES_MAX || !parse_line(line, &l))
            return err_set(err, ERR_INVALID, "the grant is not valid");
    if (l.literal != 0 && l.literal != l.all)
        return err_set(err, ERR_INVALID, "the grant is not valid");
    struct access_request request = {.literal = l.literal > 0,
                                     .read = l.texts[READ],
                                     .write = l.texts[WRITE],
                                     .deny = l.texts[DENY],
                                     .review = l.texts[REVIEW],
                                     .n_read = l.n[READ],
                                     .n_write = l.n[WRITE],
                                     .n_deny = l.n[DENY],
                                     .n_review = l.n[REVIEW]};
    return access_make(a, &request, out, err);
}

bool access_parse(struct arena *a, str text, struct access *out, struct err *err)
{
    struct access all = {.read_only = str_starts(text, read_only_line)};
    text = str_skip(text, all.read_only ? read_only_line.n : 0);
    all.propose = str_starts(text, propose_line);
    text = str_skip(text, all.propose ? propose_line.n : 0);
    while (text.n > 0) {
        struct access one;
        if (!parse_rule(a, &text, &one, err))
            return false;
        all = access_join(a, &all, &one);
    }
    *out = all;
    return true;
}

struct access access_copy(struct arena *a, const struct access *x)
{
    struct access copy;
    struct err err;
    if (!access_parse(a, access_text(a, x), &copy, &err))
        BUG("an invalid access: %s", err.msg);
    copy.folds = x->folds;
    return copy;
}

/* --- for people --- */

static void add_where(struct sbuf *out, const struct access *x,
                      const struct access_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct access_pattern *p = &l->items[i];
        if (p->glob != NULL ? x->n == 1 && access_enters(x, p->above)
                            : p->text.n > 0 && access_level(x, p->text) != ACCESS_NOTHING)
            sbuf_printf(out, "%s" STR_FMT, out->n > 0 ? ", " : "", STR_ARG(p->text));
    }
}

/* The write patterns, else the read patterns. Never names what the caller may not see. */
str access_where(struct arena *a, const struct access *x)
{
    struct sbuf out = SBUF_ON(a);
    for (enum kind kind = WRITE; !x->read_only && out.n == 0; kind = READ) {
        for (size_t i = 0; i < x->n; i++)
            add_where(&out, x, &x->rules[i]->lists[kind]);
        if (kind == READ)
            break;
    }
    return sbuf_str(&out);
}
