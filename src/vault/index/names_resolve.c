/* The resolver: obsidian.md 6.2, rule by rule. */
#include "base/path.h"
#include "base/text.h"
#include "vault/index/names_table.h"

/* A link to look up; all strings are folded. */
struct query {
    const struct names *names;
    str name; /* of the candidates */
    uint32_t hash;
    str wanted; /* without leading '/', './' and '../' */
    str folder; /* of the source */
    str from;   /* the folder that './' and '../' refer to */
    bool relative, rooted;
};

static enum names_rule rule_for(const struct query *q, const struct names_file *f)
{
    if (q->relative && names_path_is(f, q->from, q->wanted))
        return NAMES_RELATIVE;
    if (names_path_is(f, STR(""), q->wanted))
        return NAMES_EXACT;
    if (q->rooted || !names_path_ends(f, q->wanted))
        return NAMES_UNRESOLVED;
    return q->folder.n > 0 && names_path_below(f, q->folder) ? NAMES_OWN_FOLDER
                                                             : NAMES_SHORTEST;
}

/* The rules are in the order of enum names_rule. */
static int by_rule(const void *a, const void *b, void *arg)
{
    struct query *q = arg;
    enum names_rule ra = rule_for(q, &q->names->files[*(const file_id *)a]);
    enum names_rule rb = rule_for(q, &q->names->files[*(const file_id *)b]);
    if (ra != rb)
        return ra < rb ? -1 : 1;
    return names_by_length(a, b, (void *)q->names);
}

/* The next file with that name; the first if id is NO_FILE. */
static file_id next_candidate(const struct query *q, file_id id)
{
    return names_next(q->names, id, q->name, q->hash);
}

/*
 * Rule 2: the name as it is, if it has a dot; otherwise, or if there is no such file,
 * with ".md".
 */
static file_id first_candidate(struct query *q, struct names_text *path)
{
    file_id first = NO_FILE;
    q->name = path_name(names_folded(path));
    q->hash = names_hash(q->names, q->name);
    if (str_find_char(q->name, '.') != STR_NONE)
        first = next_candidate(q, NO_FILE);
    if (first != NO_FILE)
        return first;
    names_fold_add_md(path);
    q->name = path_name(names_folded(path));
    q->hash = names_hash(q->names, q->name);
    return next_candidate(q, NO_FILE);
}

/* Remove './', '../' or '/' from the start of q->wanted. */
static void take_prefix(struct query *q)
{
    q->from = q->folder;
    bool dots = false, above = false;
    for (;;) {
        bool up = str_starts(q->wanted, STR("../"));
        if (!up && !str_starts(q->wanted, STR("./")))
            break;
        dots = true;
        above = above || (up && q->from.n == 0);
        if (up)
            q->from = path_folder(q->from);
        q->wanted = str_skip(q->wanted, up ? 3 : 2);
    }
    q->relative = dots && !above;
    q->rooted = str_starts(q->wanted, STR("/"));
    if (q->rooted)
        q->wanted = str_skip(q->wanted, 1);
}

static void list_others(struct query *q, struct arena *a, file_id first,
                        struct names_answer *out)
{
    size_t count = 0;
    for (file_id id = first; id != NO_FILE; id = next_candidate(q, id))
        count++;
    out->others = ARENA_ARRAY(a, file_id, count);
    for (file_id id = first; id != NO_FILE; id = next_candidate(q, id))
        if (id != out->file)
            out->others[out->n_others++] = id;
    qsort_r(out->others, out->n_others, sizeof(file_id), by_rule, q);
}

/* Rules 4 to 6. */
static void names_resolve_choose(struct query *q, struct arena *explain, file_id first,
                                 str source, struct names_answer *out)
{
    struct names_text folder;
    names_fold(&folder, path_folder(source));
    q->folder = names_folded(&folder);
    take_prefix(q);
    file_id best = first;
    for (file_id id = next_candidate(q, first); id != NO_FILE; id = next_candidate(q, id))
        if (by_rule(&id, &best, q) < 0)
            best = id;
    out->rule = rule_for(q, &q->names->files[best]);
    if (out->rule != NAMES_UNRESOLVED)
        out->file = best;
    if (explain != NULL)
        list_others(q, explain, first, out);
    names_fold_done(&folder);
}

static void resolve(const struct names *n, struct arena *explain, struct names_text *path,
                    str source, struct names_answer *out)
{
    struct query q = {.names = n};
    file_id first = first_candidate(&q, path);
    if (first == NO_FILE)
        return;
    q.wanted = names_folded(path);
    bool folder = q.wanted.n != q.name.n;
    if (folder || next_candidate(&q, first) != NO_FILE) {
        names_resolve_choose(&q, explain, first, source, out);
    } else {
        out->file = first;
        out->rule = NAMES_ONLY_ONE;
    }
}

void names_resolve(const struct names *n, struct arena *explain, str path, str source,
                   file_id source_id, struct names_answer *out)
{
    *out = (struct names_answer){.file = NO_FILE, .rule = NAMES_UNRESOLVED};
    struct names_text folded;
    names_fold_link(&folded, path);
    if (names_is_external(names_folded(&folded))) {
        out->rule = NAMES_NOT_A_PATH;
    } else if (folded.n == 0) {
        out->file = source_id;
        out->rule = NAMES_SELF;
    } else {
        resolve(n, explain, &folded, source, out);
    }
    names_fold_done(&folded);
}

/*
 * Whether both have the same folded name, so that either both are candidates or neither
 * is.
 */
static bool are_named_alike(const struct names *n, file_id a, file_id b)
{
    struct names_text folded;
    names_fold(&folded, path_name(names_path(n, a)));
    bool alike = n->files[a].hash == n->files[b].hash &&
                 names_path_ends(&n->files[b], names_folded(&folded));
    names_fold_done(&folded);
    return alike;
}

/* The better of two candidates; before was the best so far. */
static file_id choose_added(const struct names *n, struct names_text *path, str source,
                            file_id before, file_id added)
{
    struct query q = {.names = n};
    struct names_text folder;
    if (!names_path_ends(&n->files[before], path_name(names_folded(path))))
        names_fold_add_md(path);
    names_fold(&folder, path_folder(source));
    q.wanted = names_folded(path);
    q.folder = names_folded(&folder);
    take_prefix(&q);
    bool better = by_rule(&added, &before, &q) < 0;
    names_fold_done(&folder);
    return better ? added : before;
}

file_id names_resolve_added(const struct names *n, str path, str source,
                            file_id source_id, file_id before, file_id added)
{
    struct names_answer answer;
    if (before == NO_FILE || before == added || names_path(n, before).n == 0 ||
        names_path(n, added).n == 0 || !are_named_alike(n, before, added)) {
        names_resolve(n, NULL, path, source, source_id, &answer);
        return answer.file;
    }
    struct names_text folded;
    names_fold_link(&folded, path);
    file_id file =
        folded.n > 0 ? choose_added(n, &folded, source, before, added) : before;
    names_fold_done(&folded);
    return file;
}

/* Schemes that are recognized without "//"; a note may be called "Plan: B". */
static bool is_bare_scheme(str s)
{
    static const char *const schemes[] = {"mailto", "tel", "data", "javascript"};
    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (str_eq_nocase(s, str_c(schemes[i])))
            return true;
    return false;
}

bool names_is_external(str path)
{
    size_t i = 0, colon = str_find_char(path, ':');
    if (colon == STR_NONE)
        return false;
    for (; i < colon; i++) {
        char c = to_lower(path.p[i]);
        bool letter = c >= 'a' && c <= 'z';
        bool other = is_digit(c) || c == '+' || c == '-' || c == '.';
        if (!letter && !(other && i > 0))
            return false;
    }
    if (i < 2) /* a single letter is a drive */
        return false;
    str rest = str_skip(path, i + 1);
    return str_starts(rest, STR("//")) ||
           (is_bare_scheme(str_slice(path, 0, i)) && !str_starts(rest, STR(" ")));
}
