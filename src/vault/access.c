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
    enum access_level level; /* of a place */
};

struct access_list {
    struct access_pattern *items; /* by key */
    size_t n;
};

enum kind { READ, WRITE, DENY, REVIEW, KINDS };

static const char *const kind_names[KINDS] = {
    [READ] = "read", [WRITE] = "write", [DENY] = "deny", [REVIEW] = "propose"};

const char *const access_level_names[] = {[ACCESS_HIDDEN] = "hidden",
                                          [ACCESS_READ] = "read",
                                          [ACCESS_PROPOSE] = "propose",
                                          [ACCESS_WRITE] = "write"};

bool access_level_find(str name, enum access_level *out)
{
    for (enum access_level i = ACCESS_HIDDEN; i <= ACCESS_WRITE; i++)
        if (str_eq(name, str_c(access_level_names[i]))) {
            *out = i;
            return true;
        }
    return false;
}

struct access_rule {
    struct access_list lists[KINDS];
    bool has_places;
    struct access_list places; /* none is the root: that is elsewhere */
    enum access_level elsewhere;
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
    if (order == 0 && x->literal)
        order = str_cmp(x->text, y->text);
    return order != 0 ? order : (int)x->level - (int)y->level;
}

static bool access_is_same(const struct access_pattern *x, const struct access_pattern *y)
{
    return str_eq(x->key, y->key) && (!x->literal || str_eq(x->text, y->text));
}

/* By key, each once; of places with the same path, the one with the lowest level. */
static void sort_patterns(struct access_list *l)
{
    size_t kept = 0;
    if (l->n > 1)
        sort_items(l->items, l->n, sizeof(*l->items), by_key);
    for (size_t i = 0; i < l->n; i++)
        if (i == 0 || !access_is_same(&l->items[i], &l->items[kept - 1]))
            l->items[kept++] = l->items[i];
    l->n = kept;
}

static bool make_list(struct arena *a, const str *texts, size_t n, bool literal,
                      struct access_list *out, struct err *err)
{
    if (n > ACCESS_PATTERNS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d paths", ACCESS_PATTERNS_MAX);
    *out =
        (struct access_list){.items = ARENA_ARRAY(a, struct access_pattern, n), .n = n};
    for (size_t i = 0; i < n; i++)
        if (!make_pattern(a, texts[i], literal, &out->items[i], err))
            return false;
    sort_patterns(out);
    return true;
}

static bool make_places(struct arena *a, const struct access_places *p,
                        struct access_rule *out, struct err *err)
{
    struct access_list *l = &out->places;
    if (p->n > ACCESS_PATTERNS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d paths", ACCESS_PATTERNS_MAX);
    out->has_places = true;
    out->elsewhere = p->elsewhere;
    l->items = ARENA_ARRAY(a, struct access_pattern, p->n);
    l->n = p->n;
    for (size_t i = 0; i < p->n; i++) {
        if (!make_pattern(a, p->items[i].path, true, &l->items[i], err))
            return false;
        l->items[i].level = p->items[i].level;
    }
    sort_patterns(l);
    if (l->n > 0 && l->items[0].text.n == 0) { /* the root, which sorts first */
        out->elsewhere = l->items[0].level;
        l->items++;
        l->n--;
    }
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
    if (request->places != NULL && !make_places(a, request->places, rule, err))
        return false;
    rules[0] = rule;
    *out = (struct access){.read_only = request->read_only,
                           .propose = request->propose,
                           .rules = rules,
                           .n = all > 0 || rule->has_places};
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

static enum access_level access_lower(enum access_level a, enum access_level b)
{
    return a < b ? a : b;
}

/* The bytes of a place that count when another one fits, too. */
static size_t depth_of(const struct access_pattern *p, const struct asked *q)
{
    return is_exact(p, q) ? p->text.n : p->key.n;
}

/* What the places allow: the innermost one decides. Where the file system ignores case, two
 * of them may be the same folder. */
static enum access_level level_by_place(const struct access_rule *r,
                                        const struct asked *q)
{
    const struct access_pattern *found = NULL;
    enum access_level level = r->has_places ? r->elsewhere : ACCESS_WRITE;
    for (size_t i = 0; i < r->places.n; i++) {
        const struct access_pattern *p = &r->places.items[i];
        if (!access_fits(p, q))
            continue;
        if (found == NULL || depth_of(p, q) > depth_of(found, q)) {
            found = p;
            level = p->level;
        } else if (depth_of(p, q) == depth_of(found, q)) {
            level = access_lower(level, p->level);
        }
    }
    return level;
}

/* The lowest of the places below a folder, or the highest. */
static enum access_level lowest_below(const struct access_rule *r, const struct asked *q)
{
    enum access_level level = ACCESS_WRITE;
    for (size_t i = 0; i < r->places.n; i++)
        if (could_fit_below(&r->places.items[i], q))
            level = access_lower(level, r->places.items[i].level);
    return level;
}

static bool reads_below(const struct access_rule *r, const struct asked *q)
{
    for (size_t i = 0; i < r->places.n; i++)
        if (r->places.items[i].level >= ACCESS_READ &&
            could_fit_below(&r->places.items[i], q))
            return true;
    return false;
}

/* What the patterns allow. */
static enum access_level level_by_list(const struct access_rule *r, const struct asked *q)
{
    const struct access_list *l = r->lists;
    return any_fits(&l[DENY], q) || (l[READ].n > 0 && !any_fits(&l[READ], q))
               ? ACCESS_HIDDEN
           : l[WRITE].n > 0 && !any_fits(&l[WRITE], q) ? ACCESS_READ
           : any_fits(&l[REVIEW], q)                   ? ACCESS_PROPOSE
                                                       : ACCESS_WRITE;
}

static enum access_level level_by_rule(const struct access_rule *r, const struct asked *q)
{
    return access_lower(level_by_list(r, q), level_by_place(r, q));
}

/* A list that allows a folder allows everything in it. */
static enum access_level level_of_contents(const struct access_rule *r,
                                           const struct asked *q)
{
    enum access_level below = any_below(&r->lists[DENY], q)     ? ACCESS_HIDDEN
                              : any_below(&r->lists[REVIEW], q) ? ACCESS_PROPOSE
                                                                : ACCESS_WRITE;
    return access_lower(level_by_rule(r, q), access_lower(below, lowest_below(r, q)));
}

/* Whether the folder, or something in it, may be readable. */
static enum access_level level_to_enter(const struct access_rule *r,
                                        const struct asked *q)
{
    const struct access_list *l = r->lists;
    bool listed = !any_fits(&l[DENY], q) &&
                  (l[READ].n == 0 || any_fits(&l[READ], q) || any_below(&l[READ], q));
    bool placed = level_by_place(r, q) >= ACCESS_READ || reads_below(r, q);
    return listed && placed ? ACCESS_READ : ACCESS_HIDDEN;
}

typedef enum access_level level_fn(const struct access_rule *r, const struct asked *q);

/* The lowest that any of the rules says. */
static enum access_level lowest(const struct access *x, str path, level_fn *level_of)
{
    struct arena scratch = {0};
    enum access_level level = x->read_only ? ACCESS_READ
                              : x->propose ? ACCESS_PROPOSE
                                           : ACCESS_WRITE;
    struct asked q = {.path = path,
                      .key = x->n > 0 ? utf8_fold(&scratch, path) : path,
                      .folds = x->folds};
    for (size_t i = 0; level > ACCESS_HIDDEN && i < x->n; i++)
        level = access_lower(level, level_of(x->rules[i], &q));
    arena_release(&scratch);
    return level;
}

bool access_reads(const struct access *x, str path)
{
    return path.n == 0 || lowest(x, path, level_by_rule) >= ACCESS_READ;
}

enum access_level access_level(const struct access *x, str path)
{
    return lowest(x, path, level_by_rule);
}

bool access_writes(const struct access *x, str path)
{
    return access_level(x, path) == ACCESS_WRITE;
}

static bool has_place_of(const struct access_rule *r, enum access_level level)
{
    bool has = r->has_places && r->elsewhere == level;
    for (size_t i = 0; !has && i < r->places.n; i++)
        has = r->places.items[i].level == level;
    return has;
}

bool access_has_review(const struct access *x)
{
    bool has = x->propose;
    for (size_t i = 0; i < x->n; i++)
        has = has || x->rules[i]->lists[REVIEW].n > 0 ||
              has_place_of(x->rules[i], ACCESS_PROPOSE);
    return has;
}

/* Whether no rule excludes a level everywhere. Patterns are not looked at: they could match
 * any file, but for those of the whole vault. */
static bool may_reach(const struct access *x, enum access_level level)
{
    bool may = !(x->read_only && level > ACCESS_READ);
    for (size_t i = 0; may && i < x->n; i++) {
        const struct access_rule *r = x->rules[i];
        const struct access_list *deny = &r->lists[DENY];
        bool placed = !r->has_places || r->elsewhere >= level;
        for (size_t k = 0; !placed && k < r->places.n; k++)
            placed = r->places.items[k].level >= level;
        may = placed;
        for (size_t k = 0; may && k < deny->n; k++)
            may = deny->items[k].glob != NULL || deny->items[k].text.n > 0;
    }
    return may;
}

bool access_reads_some(const struct access *x)
{
    return may_reach(x, ACCESS_READ);
}

bool access_changes_some(const struct access *x)
{
    return may_reach(x, ACCESS_PROPOSE);
}

bool access_enters(const struct access *x, str folder)
{
    return folder.n == 0 || lowest(x, folder, level_to_enter) >= ACCESS_READ;
}

enum access_level access_folder_level(const struct access *x, str folder)
{
    return lowest(x, folder, level_of_contents);
}

bool access_reads_all(const struct access *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->rules[i]->lists[READ].n + x->rules[i]->lists[DENY].n > 0 ||
            has_place_of(x->rules[i], ACCESS_HIDDEN))
            return false;
    return true;
}

/* --- as text: "read-only" and "propose" about everything, then one line per pattern or
 * place, and a line "and" between rules; "read= Work" is literal, "at write Work" is a
 * place, after "elsewhere read" --- */

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

static void write_places(struct sbuf *out, const struct access_rule *r)
{
    if (r->has_places)
        sbuf_printf(out, "elsewhere %s\n", access_level_names[r->elsewhere]);
    for (size_t i = 0; i < r->places.n; i++)
        sbuf_printf(out, "at %s " STR_FMT "\n",
                    access_level_names[r->places.items[i].level],
                    STR_ARG(r->places.items[i].text));
}

/* Which places may be read; nothing if that is all of them. */
static void write_readable(struct sbuf *out, const struct access_rule *r)
{
    if (!has_place_of(r, ACCESS_HIDDEN))
        return;
    sbuf_printf(out, "elsewhere %s\n", r->elsewhere >= ACCESS_READ ? "read" : "hidden");
    for (size_t i = 0; i < r->places.n; i++)
        sbuf_printf(out, "at %s " STR_FMT "\n",
                    r->places.items[i].level >= ACCESS_READ ? "read" : "hidden",
                    STR_ARG(r->places.items[i].text));
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
        write_places(&out, x->rules[i]);
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
        write_readable(&part, x->rules[i]);
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

/* The lines of one rule. All patterns are literal, or none. */
struct rule_lines {
    str *texts[KINDS];
    size_t n[KINDS], all, literal;
    struct access_place *at;
    struct access_places places;
    bool has_places;
};

/* Takes the name of a level, and a space if more follows. */
static bool parse_level(str *line, enum access_level *out)
{
    str name;
    return str_next(line, ' ', &name) && access_level_find(name, out);
}

/* Whether it is one of places, which begin with "elsewhere". */
static bool parse_place(str line, struct rule_lines *l)
{
    const str elsewhere = STR("elsewhere "), at = STR("at ");
    if (str_starts(line, elsewhere)) {
        line = str_skip(line, elsewhere.n);
        bool first = !l->has_places;
        l->has_places = true;
        return first && parse_level(&line, &l->places.elsewhere) && line.n == 0;
    }
    if (!l->has_places || l->places.n == ACCESS_PATTERNS_MAX || !str_starts(line, at))
        return false;
    line = str_skip(line, at.n);
    struct access_place *place = &l->at[l->places.n++];
    if (!parse_level(&line, &place->level))
        return false;
    place->path = line;
    return true;
}

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
    return parse_place(line, l);
}

/* One rule, up to "and" or the end; the rest remains in *text. */
static bool parse_rule(struct arena *a, str *text, struct access *out, struct err *err)
{
    enum { LINES_MAX = KINDS * ACCESS_PATTERNS_MAX };
    struct rule_lines l = {0};
    str line;
    for (enum kind kind = READ; kind < KINDS; kind++)
        l.texts[kind] = ARENA_ARRAY(a, str, LINES_MAX);
    l.places.items = l.at = ARENA_ARRAY(a, struct access_place, ACCESS_PATTERNS_MAX);
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
                                     .n_review = l.n[REVIEW],
                                     .places = l.has_places ? &l.places : NULL};
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

/* What a list names, as far as it may be changed. */
static void add_where(struct sbuf *out, const struct access *x,
                      const struct access_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct access_pattern *p = &l->items[i];
        if (p->glob != NULL ? x->n == 1 && access_enters(x, p->above)
                            : p->text.n > 0 && access_level(x, p->text) >= ACCESS_PROPOSE)
            sbuf_printf(out, "%s" STR_FMT, out->n > 0 ? ", " : "", STR_ARG(p->text));
    }
}

static void add_places_where(struct sbuf *out, const struct access *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->rules[i]->elsewhere < ACCESS_PROPOSE)
            add_where(out, x, &x->rules[i]->places);
}

/* The write patterns, else the places, else the read patterns. Never names what the caller
 * may not see. */
str access_where(struct arena *a, const struct access *x)
{
    struct sbuf out = SBUF_ON(a);
    for (enum kind kind = WRITE; !x->read_only && out.n == 0; kind = READ) {
        for (size_t i = 0; i < x->n; i++)
            add_where(&out, x, &x->rules[i]->lists[kind]);
        if (kind == READ)
            break;
        if (out.n == 0)
            add_places_where(&out, x);
    }
    return sbuf_str(&out);
}
