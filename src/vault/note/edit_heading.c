/*
 * Finds the heading that is meant. Models name headings in many ways: with and without
 * #s, as paths with different separators; and the same title often occurs twice.
 */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"
#include "vault/note/note.h"

enum {
    LEVELS = 6,
    NEAREST = 3,        /* headings suggested instead of a missing one */
    LIKE_ENOUGH = 300,  /* of 1000 */
    LISTED_MAX = 50,    /* candidates in a hint */
    LISTED_BYTES = 200, /* of one of them */
    SHOWN_MAX = 170,    /* bytes of them in a message */
    ECHO_MAX = 60,      /* bytes of the request */
};

struct edit_heading_wanted {
    str titles[LEVELS], keys[LEVELS];
    size_t n;
    unsigned level; /* of "## A"; 0: not given */
};

struct edit_heading_finder {
    struct edit_job *job;
    str *keys; /* of all headings */
    const struct note_heading **found;
    size_t n;
};

/* --- paths --- */

/* No heading above. */
static const uint32_t top = UINT32_MAX;

/* For each heading the one whose section contains it, or top. */
static const uint32_t *find_parents(struct arena *a, const struct note *n)
{
    uint32_t *parents = ARENA_ARRAY(a, uint32_t, n->n_headings);
    for (uint32_t i = 0; i < n->n_headings; i++) {
        uint32_t above = i > 0 ? i - 1 : top;
        while (above != top && n->headings[above].level >= n->headings[i].level)
            above = parents[above];
        parents[i] = above;
    }
    return parents;
}

/* Heading i and its ancestors, highest first; returns how many. */
static size_t chain_of(const struct edit_job *j, uint32_t i, uint32_t out[LEVELS])
{
    size_t depth = 0, at;
    for (uint32_t k = i; k != top; k = j->parents[k])
        depth++;
    at = depth;
    for (uint32_t k = i; k != top; k = j->parents[k])
        out[--at] = k;
    return depth;
}

static uint32_t index_of(const struct edit_job *j, const struct note_heading *h)
{
    return (uint32_t)(h - j->note.headings);
}

/* The title as valid UTF-8, without separators: a client may send the path back. */
static void add_title_text(struct sbuf *b, str title)
{
    size_t n;
    char utf8[4];
    for (size_t i = 0; i < title.n; i += n) {
        uint32_t c = utf8_decode(str_skip(title, i), &n);
        bool splits = c == '#' || is_break(c);
        sbuf_add(b, (str){utf8, utf8_encode(splits ? ' ' : c, utf8)});
    }
}

str edit_heading_path(const struct edit_job *j, const struct note_heading *h)
{
    uint32_t chain[LEVELS];
    size_t depth = chain_of(j, index_of(j, h), chain);
    struct sbuf b = SBUF_ON(j->arena);
    for (size_t i = 0; i < depth; i++) {
        if (i > 0)
            sbuf_char(&b, '#');
        add_title_text(&b, span_of(j->text, j->note.headings[chain[i]].title));
    }
    return sbuf_str(&b);
}

/* --- what is wanted --- */

static bool add_title(struct arena *a, struct edit_heading_wanted *w, str title)
{
    title = str_trim_line(title);
    if (title.n == 0)
        return true;
    if (w->n == LEVELS)
        return false;
    w->titles[w->n] = title;
    w->keys[w->n++] = note_heading_key(a, title);
    return true;
}

/* Split path at sep (empty: do not split). False if there are too many parts. */
static bool edit_heading_split(struct arena *a, str path, str sep,
                               struct edit_heading_wanted *w)
{
    size_t hashes = 0;
    path = str_trim_line(path);
    while (hashes < path.n && path.p[hashes] == '#')
        hashes++;
    bool marked = hashes < path.n && (is_blank(path.p[hashes]));
    *w = (struct edit_heading_wanted){.level = marked ? (unsigned)hashes : 0};
    path = str_skip(path, hashes);
    for (;;) {
        size_t at = sep.n > 0 ? str_find(path, sep) : STR_NONE;
        if (!add_title(a, w, str_slice(path, 0, at)))
            return false;
        if (at == STR_NONE)
            return w->n > 0;
        path = str_skip(path, at + sep.n);
    }
}

/* --- finding --- */

/* Whether heading i has the last title wanted and its ancestors have the others. */
static bool edit_heading_fits(const struct edit_heading_finder *f, uint32_t i,
                              const struct edit_heading_wanted *w)
{
    size_t want = w->n - 1;
    if (!str_eq(f->keys[i], w->keys[want]))
        return false;
    for (uint32_t k = f->job->parents[i]; k != top && want > 0; k = f->job->parents[k])
        if (str_eq(f->keys[k], w->keys[want - 1]))
            want--;
    return want == 0;
}

static void edit_heading_collect(struct edit_heading_finder *f,
                                 const struct edit_heading_wanted *w)
{
    const struct note *n = &f->job->note;
    f->n = 0;
    for (uint32_t i = 0; i < n->n_headings; i++)
        if (edit_heading_fits(f, i, w))
            f->found[f->n++] = &n->headings[i];
}

/* Try the separators one after another until a heading is found. */
static bool collect_any(struct edit_heading_finder *f, str path,
                        struct edit_heading_wanted *w)
{
    static const str seps[] = {{"#", 1}, {"", 0}, {" > ", 3}, {"::", 2}};
    bool named = false;
    f->n = 0;
    for (size_t i = 0; i < COUNT_OF(seps) && f->n == 0; i++) {
        if (!edit_heading_split(f->job->arena, path, seps[i], w))
            continue;
        named = true;
        edit_heading_collect(f, w);
    }
    return named;
}

/* Keep the headings for which test holds, unless it holds for none. */
static void prefer(struct edit_heading_finder *f, const struct edit_heading_wanted *w,
                   bool (*test)(const struct edit_heading_finder *f,
                                const struct note_heading *h,
                                const struct edit_heading_wanted *w))
{
    size_t kept = 0, all = f->n;
    for (size_t i = 0; i < all; i++)
        kept += test(f, f->found[i], w);
    if (kept == 0)
        return;
    f->n = 0;
    for (size_t i = 0; i < all; i++)
        if (test(f, f->found[i], w))
            f->found[f->n++] = f->found[i];
}

static bool has_level(const struct edit_heading_finder *f, const struct note_heading *h,
                      const struct edit_heading_wanted *w)
{
    (void)f;
    return h->level == w->level;
}

static bool has_title(const struct edit_heading_finder *f, const struct note_heading *h,
                      const struct edit_heading_wanted *w)
{
    return str_eq(span_of(f->job->text, h->title), w->titles[w->n - 1]);
}

static bool has_full_path(const struct edit_heading_finder *f,
                          const struct note_heading *h,
                          const struct edit_heading_wanted *w)
{
    uint32_t chain[LEVELS];
    return w->n > 1 && chain_of(f->job, index_of(f->job, h), chain) == w->n;
}

static void keep_line(struct edit_heading_finder *f, uint32_t line)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->found[i]->line == line)
            f->found[kept++] = f->found[i];
    f->n = kept;
}

static void prefer_exact(struct edit_heading_finder *f,
                         const struct edit_heading_wanted *w)
{
    if (f->n > 1)
        prefer(f, w, has_full_path);
    if (f->n > 1)
        prefer(f, w, has_title);
    if (f->n > 1)
        prefer(f, w, has_level);
}

/* If nothing has the whole path, its last part may choose between headings that have the
 * rest: one that is alone needs no number. */
static void collect_numbered(struct edit_heading_finder *f, str path)
{
    struct edit_heading_wanted w;
    str rest;
    size_t number = note_heading_number(path, &rest);
    if (f->n > 0 || number == 0 || !collect_any(f, rest, &w))
        return;
    prefer_exact(f, &w);
    if (f->n > 1 && number <= f->n)
        f->found[0] = f->found[number - 1];
    f->n = f->n > 1 && number <= f->n;
}

/* --- errors --- */

/* What the client is told to send: "## A" or "A#B". */
static str heading_named(struct edit_heading_finder *f, const struct note_heading *h)
{
    str path = utf8_cut(edit_heading_path(f->job, h), LISTED_BYTES);
    bool highest = f->job->parents[index_of(f->job, h)] == top;
    return arena_printf(f->job->arena, "%.*s%s" STR_FMT, highest ? h->level : 0, "######",
                        highest ? " " : "", STR_ARG(path));
}

/* "A#B" (line 3), "# B" (line 9), "A#C#2" (line 12): each is unambiguous if the client
 * sends it back. */
static void list_heading(struct edit_heading_finder *f, struct sbuf *b, size_t i)
{
    size_t number = 1, same = 0;
    str name = heading_named(f, f->found[i]);
    for (size_t k = 0; k < f->n && k <= i + LISTED_MAX; k++) {
        if (k == i || !str_eq(heading_named(f, f->found[k]), name))
            continue;
        same++;
        number += k < i;
    }
    sbuf_printf(b, "%s\"" STR_FMT, b->n > 0 ? ", " : "", STR_ARG(name));
    if (same > 0)
        sbuf_printf(b, "#%zu", number);
    sbuf_printf(b, "\" (line %u)", f->found[i]->line);
}

static str list_found(struct edit_heading_finder *f, size_t bytes_max)
{
    struct sbuf b = SBUF_ON(f->job->arena);
    for (size_t i = 0; i < f->n; i++) {
        if (i == LISTED_MAX || b.n > bytes_max) {
            sbuf_printf(&b, " and %zu more", f->n - i);
            break;
        }
        list_heading(f, &b, i);
    }
    return sbuf_str(&b);
}

static void refuse_ambiguous(struct edit_heading_finder *f, str path)
{
    struct edit_job *j = f->job;
    path = utf8_cut(path, ECHO_MAX);
    j->out->lead =
        arena_printf(j->arena, "Heading \"" STR_FMT "\" is ambiguous: ", STR_ARG(path));
    j->out->hint = list_found(f, SIZE_MAX);
    err_named(j->err, E_HEADING_NOT_UNIQUE, STR_FMT STR_FMT, STR_ARG(j->out->lead),
              STR_ARG(list_found(f, SHOWN_MAX)));
}

/* The few headings most similar to the title, best first; otherwise the first ones. */
static void find_nearest(struct edit_heading_finder *f, str title)
{
    const struct note *n = &f->job->note;
    unsigned best[NEAREST] = {0};
    f->n = 0;
    for (size_t i = 0; i < n->n_headings; i++) {
        unsigned alike = edit_likeness(title, span_of(n->text, n->headings[i].title));
        if (alike < LIKE_ENOUGH)
            continue;
        size_t at = f->n < NEAREST ? f->n++ : NEAREST - 1;
        if (at == NEAREST - 1 && best[at] >= alike)
            continue;
        for (; at > 0 && best[at - 1] < alike; at--) {
            best[at] = best[at - 1];
            f->found[at] = f->found[at - 1];
        }
        best[at] = alike;
        f->found[at] = &n->headings[i];
    }
}

static void refuse_missing(struct edit_heading_finder *f, str path, str title)
{
    struct edit_job *j = f->job;
    const struct note *n = &j->note;
    const char *what = "nearest";
    find_nearest(f, title);
    if (f->n == 0) {
        what = "the note has";
        for (; f->n < n->n_headings && f->n < LISTED_MAX; f->n++)
            f->found[f->n] = &n->headings[f->n];
    }
    path = utf8_cut(path, ECHO_MAX);
    j->out->lead = arena_printf(
        j->arena, "Heading \"" STR_FMT "\" not found; %s: ", STR_ARG(path), what);
    j->out->hint = list_found(f, SIZE_MAX);
    if (f->n == 0)
        err_named(j->err, E_HEADING_NOT_FOUND,
                  "Heading \"" STR_FMT "\" not found: the note has no headings",
                  STR_ARG(path));
    else
        err_named(j->err, E_HEADING_NOT_FOUND, STR_FMT STR_FMT, STR_ARG(j->out->lead),
                  STR_ARG(list_found(f, SHOWN_MAX)));
}

/*
 * If the sections of a path exist, its last title is wanted there; otherwise the whole
 * path is a title.
 */
static void fill_request(struct edit_heading_finder *f, str path,
                         struct edit_heading_request *request)
{
    struct edit_heading_wanted w;
    *request = (struct edit_heading_request){0};
    if (edit_heading_split(f->job->arena, path, STR("#"), &w) && w.n > 1) {
        struct edit_heading_wanted above = w;
        above.n--;
        edit_heading_collect(f, &above);
        request->title = w.titles[w.n - 1];
        request->parent = f->n == 1 ? f->found[0] : NULL;
        if (f->n > 0)
            return;
    }
    (void)edit_heading_split(f->job->arena, path, (str){0}, &w);
    request->title = w.titles[0];
}

const struct note_heading *edit_find_heading(struct edit_job *j, str path, uint32_t line,
                                             struct edit_heading_request *request)
{
    const struct note *n = &j->note;
    struct edit_heading_wanted w;
    struct edit_heading_finder f = {
        .job = j,
        .keys = ARENA_ARRAY(j->arena, str, n->n_headings),
        .found = ARENA_ARRAY(j->arena, const struct note_heading *, n->n_headings),
    };
    j->parents = find_parents(j->arena, n);
    for (size_t i = 0; i < n->n_headings; i++)
        f.keys[i] = note_heading_key(j->arena, span_of(n->text, n->headings[i].title));
    if (!collect_any(&f, path, &w)) {
        err_set(j->err, ERR_INVALID, "the heading is empty");
        return NULL;
    }
    collect_numbered(&f, path);
    if (line > 0)
        keep_line(&f, line);
    prefer_exact(&f, &w);
    if (f.n == 1)
        return f.found[0];
    if (f.n > 1)
        refuse_ambiguous(&f, path);
    else if (request != NULL && line == 0)
        fill_request(&f, path, request);
    else
        refuse_missing(&f, path, w.titles[w.n - 1]);
    return NULL;
}
