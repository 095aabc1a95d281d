/* The resolver: Obsidian's order, rule by rule. */
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "vault/index/names_table.h"

/* A link to look up; all strings are folded. */
struct names_query {
    const struct names *names;
    str wanted; /* without leading '/', './' and '../' */
    str folder; /* of the source */
    str from;   /* the folder that './' and '../' refer to */
    bool relative, rooted;
};

static enum names_rule rule_for(const struct names_query *q, const struct names_file *f)
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
    struct names_query *q = arg;
    enum names_rule ra = rule_for(q, &q->names->files[*(const file_id *)a]);
    enum names_rule rb = rule_for(q, &q->names->files[*(const file_id *)b]);
    if (ra != rb)
        return ra < rb ? -1 : 1;
    return names_by_length(a, b, (void *)q->names);
}

/*
 * Rule 2: the name as it is, if it has a dot; otherwise, or if there is no such file,
 * with ".md". Gives the root of the candidates.
 */
static file_id names_resolve_candidates(const struct names *n, struct names_text *path)
{
    file_id root = NO_FILE;
    str name = path_name(names_folded(path));
    if (str_find_char(name, '.') != STR_NONE)
        root = names_group(n, name, names_hash(n, name));
    if (root != NO_FILE)
        return root;
    names_fold_add_md(path);
    name = path_name(names_folded(path));
    return names_group(n, name, names_hash(n, name));
}

/* Remove './', '../' or '/' from the start of q->wanted. */
static void take_prefix(struct names_query *q)
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

/* --- the best candidate --- */

/* A rule, and the files for which it decides. */
struct names_rule_query {
    const struct names_query *query;
    enum names_rule rule;
};

static bool is_by_rule(const void *arg, const struct names_file *f)
{
    const struct names_rule_query *r = arg;
    return rule_for(r->query, f) == r->rule;
}

static int place_by_path(const void *arg, const struct names_file *f)
{
    const struct names_rule_query *r = arg;
    const struct names_query *q = r->query;
    if (r->rule == NAMES_OWN_FOLDER)
        return names_place_below(f, q->folder);
    return names_place_path(f, r->rule == NAMES_RELATIVE ? q->from : STR(""), q->wanted);
}

static int place_by_ending(const void *arg, const struct names_file *f)
{
    const struct names_rule_query *r = arg;
    return names_place_ending(f, r->query->wanted);
}

static bool best_by_rule(const struct names_query *q, file_id root, enum names_rule rule,
                         enum names_order order, size_t steps, file_id *best)
{
    struct names_rule_query r = {q, rule};
    struct names_range range = {
        .order = order,
        .place = order == NAMES_BY_PATH ? place_by_path : place_by_ending,
        .fits = is_by_rule,
        .arg = &r,
    };
    return names_tree_best(q->names, root, &range, steps, best);
}

/*
 * Below the source's folder, and with the same ending: each is a range of one order. One
 * of them may have thousands of files, so both are tried in turns.
 */
static file_id best_in_folder(const struct names_query *q, file_id root)
{
    enum { STEPS = 16 };
    file_id best;
    for (size_t steps = STEPS;; steps *= 2)
        if (best_by_rule(q, root, NAMES_OWN_FOLDER, NAMES_BY_PATH, steps, &best) ||
            best_by_rule(q, root, NAMES_OWN_FOLDER, NAMES_BY_ENDING, steps, &best))
            return best;
}

/* The best file by that rule, or NO_FILE, if there is none by those before it. */
static file_id best_candidate(const struct names_query *q, file_id root,
                              enum names_rule rule)
{
    file_id best = NO_FILE;
    bool ending = rule == NAMES_OWN_FOLDER || rule == NAMES_SHORTEST;
    if ((rule == NAMES_RELATIVE && !q->relative) || (ending && q->rooted) ||
        (rule == NAMES_OWN_FOLDER && q->folder.n == 0))
        return NO_FILE;
    if (rule == NAMES_OWN_FOLDER)
        return best_in_folder(q, root);
    (void)best_by_rule(q, root, rule, ending ? NAMES_BY_ENDING : NAMES_BY_PATH, SIZE_MAX,
                       &best);
    return best;
}

static void list_others(struct names_query *q, struct arena *a, file_id root,
                        struct names_answer *out)
{
    size_t count = names_tree_list(q->names, a, root, &out->others);
    for (size_t i = 0; i < count; i++)
        if (out->others[i] != out->file)
            out->others[out->n_others++] = out->others[i];
    sort_with(out->others, out->n_others, sizeof(file_id), by_rule, q);
}

/* Rules 4 to 6. */
static void names_resolve_choose(struct names_query *q, struct arena *explain,
                                 file_id root, str source, struct names_answer *out)
{
    struct names_text folder;
    names_fold(&folder, path_folder(source));
    q->folder = names_folded(&folder);
    take_prefix(q);
    out->rule = NAMES_RELATIVE;
    while (out->rule < NAMES_UNRESOLVED &&
           (out->file = best_candidate(q, root, out->rule)) == NO_FILE)
        out->rule++;
    if (explain != NULL)
        list_others(q, explain, root, out);
    names_fold_done(&folder);
}

static void names_resolve_resolve(const struct names *n, struct arena *explain,
                                  struct names_text *path, str source,
                                  struct names_answer *out)
{
    file_id root = names_resolve_candidates(n, path);
    if (root == NO_FILE)
        return;
    struct names_query q = {.names = n, .wanted = names_folded(path)};
    bool folder = str_find_char(q.wanted, '/') != STR_NONE;
    if (folder || !names_is_only(n, root)) {
        names_resolve_choose(&q, explain, root, source, out);
    } else {
        out->file = root;
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
        names_resolve_resolve(n, explain, &folded, source, out);
    }
    names_fold_done(&folded);
}

/* The better of two candidates; before was the best so far. */
static file_id choose_added(const struct names *n, struct names_text *path, str source,
                            file_id before, file_id added)
{
    struct names_query q = {.names = n};
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

static bool is_candidate(const struct names *n, file_id id)
{
    return names_path(n, id).n > 0 && names_is_found(&n->files[id]);
}

file_id names_resolve_added(const struct names *n, str path, str source,
                            file_id source_id, file_id before, file_id added)
{
    struct names_answer answer;
    if (before == NO_FILE || before == added || !is_candidate(n, before) ||
        !is_candidate(n, added) ||
        !names_are_alike(&n->files[before], &n->files[added])) {
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

bool names_may_mean(const struct names *n, str path, file_id id)
{
    struct names_text folded;
    struct names_query q = {.names = n};
    names_fold_link(&folded, path);
    q.wanted = names_folded(&folded);
    take_prefix(&q);
    size_t skipped = folded.n - q.wanted.n;
    bool may = names_path_ends(&n->files[id], q.wanted);
    names_fold_add_md(&folded);
    may = may || names_path_ends(&n->files[id], str_skip(names_folded(&folded), skipped));
    names_fold_done(&folded);
    return may;
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
