/*
 * A glob becomes a small automaton whose states are all followed in parallel, so that no
 * pattern takes more than (states x bytes of the path) steps. Most paths never get that
 * far, because the literal text at the start and end of a glob is compared first.
 *
 * The semantics are those of globset 0.4 as used by ignore 0.4, which rg 13 is built on.
 */
#include "vault/text/glob_states.h"

#include "base/sbuf.h"
#include "base/utf8.h"

struct glob_pattern {
    bool exclude, folders;
    bool names; /* "**" + '/' + '*' + suffix: the suffix decides */
    str prefix, suffix;
    struct glob_states automaton;
};

struct glob {
    struct glob_pattern *patterns;
    size_t n;
    bool includes; /* some pattern is not an exclusion */
};

static bool glob_is_plain(char c)
{
    return strchr("*?[]{}\\,!", c) == NULL || c == '\0';
}

/* The literal text with which every matching path begins and ends. */
static void find_ends(struct arena *a, str glob, struct glob_pattern *out)
{
    size_t head = 0, tail = glob.n;
    while (head < glob.n && glob_is_plain(glob.p[head]))
        head++;
    while (tail > 0 && glob_is_plain(glob.p[tail - 1]))
        tail--;
    /* "**" + '/' may match nothing */
    size_t cut = tail;
    if (tail > 0 && tail < glob.n && glob.p[tail] == '/')
        cut = tail + 1;
    out->prefix = arena_str(a, str_slice(glob, 0, head));
    out->suffix = arena_str(a, str_skip(glob, cut));
    out->names = str_eq(str_slice(glob, 0, tail), STR("**/*")) &&
                 str_find_char(out->suffix, '/') == STR_NONE && cut == tail;
}

/* The glob as ignore passes it to globset. False if it is empty or a comment. */
static bool unwrap(struct arena *a, str glob, struct glob_pattern *out, str *inner)
{
    bool anchored = false;
    if (str_starts(glob, STR("#")))
        return false;
    while (glob.n > 0 && !str_ends(glob, STR("\\ ")) &&
           strchr(" \t\r\n\v\f", glob.p[glob.n - 1]) != NULL &&
           glob.p[glob.n - 1] != '\0')
        glob.n--;
    if (glob.n == 0)
        return false;
    if (str_starts(glob, STR("\\!")) || str_starts(glob, STR("\\#"))) {
        glob = str_skip(glob, 1);
    } else {
        out->exclude = glob.p[0] == '!';
        glob = str_skip(glob, out->exclude);
        anchored = str_starts(glob, STR("/"));
        glob = str_skip(glob, anchored);
    }
    out->folders = str_ends(glob, STR("/"));
    glob.n -= out->folders;
    struct sbuf b = SBUF_ON(a);
    if (!anchored && str_find_char(glob, '/') == STR_NONE && !str_eq(glob, STR("**")))
        sbuf_add(&b, STR("**/"));
    sbuf_add(&b, glob);
    if (str_ends(sbuf_str(&b), STR("/**")))
        sbuf_add(&b, STR("/*"));
    *inner = sbuf_str(&b);
    return true;
}

bool glob_compile(struct arena *a, const str *patterns, size_t n, struct glob **out,
                  struct err *err)
{
    struct glob *g = ARENA_NEW(a, struct glob);
    if (n > GLOB_MAX)
        return err_set(err, ERR_LIMIT, "more than %d globs", GLOB_MAX);
    g->patterns = ARENA_ARRAY(a, struct glob_pattern, n);
    for (size_t i = 0; i < n; i++) {
        struct glob_pattern *made = &g->patterns[g->n];
        str inner;
        *made = (struct glob_pattern){0};
        if (patterns[i].n > GLOB_MAX_BYTES)
            return err_set(err, ERR_LIMIT, "a glob is longer than %d bytes",
                           GLOB_MAX_BYTES);
        if (!utf8_valid(patterns[i]))
            return err_set(err, ERR_INVALID, "a glob is not valid UTF-8");
        if (!unwrap(a, patterns[i], made, &inner))
            continue;
        if (!glob_parse(a, patterns[i], inner, &made->automaton, err))
            return false;
        find_ends(a, inner, made);
        g->includes |= !made->exclude;
        g->n++;
    }
    *out = g;
    return true;
}

/* The states that may be next, without duplicates. */
struct set {
    uint16_t states[GLOB_STATES_MAX];
    size_t n;
};

/* Add a state and those that can be reached from it without input. */
static void reach(const struct glob_states *p, struct set *set, uint8_t *seen,
                  uint16_t from)
{
    uint16_t stack[GLOB_STATES_MAX];
    size_t n = 0;
    stack[n++] = from;
    while (n > 0) {
        uint16_t i = stack[--n];
        if (i == UINT16_MAX || seen[i])
            continue;
        seen[i] = 1;
        if (p->states[i].kind != GLOB_FORK) {
            set->states[set->n++] = i;
            continue;
        }
        stack[n++] = p->states[i].next2;
        stack[n++] = p->states[i].next;
    }
}

static bool glob_takes(const struct glob_state *s, uint32_t c)
{
    if (s->kind == GLOB_TAKE_CHAR)
        return s->c == c;
    if (s->kind != GLOB_TAKE_CLASS)
        return s->kind == GLOB_TAKE_ANY || (s->kind == GLOB_TAKE_NAME && c != '/');
    for (uint16_t i = 0; i < s->n_ranges; i++)
        if (c >= s->ranges[i].from && c <= s->ranges[i].to)
            return !s->negated;
    return s->negated;
}

static bool glob_run(const struct glob_states *p, str path)
{
    struct set sets[2], *now = &sets[0], *next = &sets[1];
    uint8_t seen[GLOB_STATES_MAX];
    size_t n;
    memset(seen, 0, p->n);
    now->n = 0;
    reach(p, now, seen, 0);
    for (size_t i = 0; i < path.n && now->n > 0; i += n) {
        uint32_t c = utf8_decode(str_skip(path, i), &n);
        memset(seen, 0, p->n);
        next->n = 0;
        for (size_t k = 0; k < now->n; k++) {
            const struct glob_state *s = &p->states[now->states[k]];
            if (glob_takes(s, c))
                reach(p, next, seen, s->next);
        }
        struct set *other = now;
        now = next;
        next = other;
    }
    for (size_t k = 0; k < now->n; k++)
        if (p->states[now->states[k]].kind == GLOB_DONE)
            return true;
    return false;
}

static bool glob_fits(const struct glob_pattern *p, str path, bool folder)
{
    if ((p->folders && !folder) || !str_starts(path, p->prefix) ||
        !str_ends(path, p->suffix))
        return false;
    return p->names || glob_run(&p->automaton, path);
}

/* The last glob that matches, or NULL. */
static const struct glob_pattern *decide(const struct glob *g, str path, bool folder)
{
    for (size_t i = g->n; i-- > 0;)
        if (glob_fits(&g->patterns[i], path, folder))
            return &g->patterns[i];
    return NULL;
}

bool glob_match(const struct glob *g, str path)
{
    if (g->n == 0)
        return true;
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '/')
            continue;
        const struct glob_pattern *p = decide(g, str_slice(path, 0, i), true);
        if (p != NULL && p->exclude)
            return false;
    }
    const struct glob_pattern *p = decide(g, path, false);
    return p != NULL ? !p->exclude : !g->includes;
}

str glob_of_path(struct arena *a, str path)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_char(&out, '/');
    for (size_t i = 0; i < path.n; i++) {
        if (!glob_is_plain(path.p[i]) ||
            path.p[i] == ' ') /* trailing spaces are cut off */
            sbuf_char(&out, '\\');
        sbuf_char(&out, path.p[i]);
    }
    return sbuf_str(&out);
}
