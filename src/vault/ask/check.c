/* Puts findings into words. Only listed ones need a search for similar names. */
#include "vault/ask/check.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/near.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/check_find.h"
#include "vault/ask/near_link.h"
#include "vault/eval/filter.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/policy.h"

static const char *const kind_names[CHECK_KINDS] = {
    [CHECK_LEFT_OUT] = "not_indexed",
    [CHECK_UNREAD] = "unread_file",
    [CHECK_PROPERTIES] = "broken_properties",
    [CHECK_POLICY] = "policy_value",
    [CHECK_VALUE] = "property_value",
    [CHECK_CANVAS] = "broken_canvas",
    [CHECK_LINK] = "broken_link",
    [CHECK_SUBPATH] = "broken_subpath",
    [CHECK_AMBIGUOUS] = "ambiguous_link",
    [CHECK_TWIN] = "twin_path",
    [CHECK_CONFLICT] = "conflict_copy",
    [CHECK_BLOCK_ID] = "duplicate_block_id",
    [CHECK_NAME] = "duplicate_name",
    [CHECK_EMPTY] = "empty_note",
    [CHECK_ORPHAN] = "orphan_note",
    [CHECK_ATTACHMENT] = "orphan_attachment",
    [CHECK_HUB] = "hub_note",
    [CHECK_STALE] = "stale_note",
    [CHECK_DUPLICATE] = "near_duplicate",
};

const char *check_kind_name(enum check_kind kind)
{
    return kind_names[kind];
}

enum check_kind check_kind_of(str name)
{
    for (enum check_kind k = 0; k < CHECK_KINDS; k++)
        if (str_eq(name, str_c(kind_names[k])))
            return k;
    return CHECK_KINDS;
}

const char *check_severity_name(enum check_severity severity)
{
    static const char *const names[] = {"error", "warning", "info"};
    return names[severity];
}

struct reporter {
    const struct index *index;
    struct arena *arena; /* of the result */
    const struct stop *stop;
    struct near_link near;
};

static str check_path_of(const struct reporter *t, file_id id)
{
    return index_file(t->index, id)->path;
}

/* 'a', 'b' and others */
static void add_files(struct sbuf *b, const struct reporter *t, const file_id *files,
                      size_t n)
{
    for (size_t i = 0; i < n && i < CHECK_SHOWN; i++)
        sbuf_printf(b, "%s'" STR_FMT "'", i > 0 ? ", " : "",
                    STR_ARG(check_path_of(t, files[i])));
    if (n > CHECK_SHOWN)
        sbuf_add(b, STR(" and others"));
}

/* --- suggestions --- */

static str did_you_mean(const struct reporter *t, const file_id *files, size_t n)
{
    struct sbuf b = SBUF_ON(t->arena);
    sbuf_add(&b, STR("Did you mean "));
    add_files(&b, t, files, n);
    sbuf_char(&b, '?');
    return sbuf_str(&b);
}

static str suggest_link(struct reporter *t, const struct check_found *f)
{
    file_id near[NEAR_LINK_MAX];
    if (f->n_others > 0) /* files of that name in other folders */
        return did_you_mean(t, f->others, f->n_others);
    size_t n = near_link_find(&t->near, f->what, near);
    if (n > 0)
        return did_you_mean(t, near, n);
    return f->embed ? STR("Add the file, or remove the link")
                    : STR("Create the note, or remove the link");
}

static str suggest_subpath(struct reporter *t, const struct check_found *f)
{
    str nearest;
    if (near_link_has(t->arena, index_file(t->index, f->target), f->what, &nearest) ||
        nearest.n == 0)
        return STR("");
    return arena_printf(t->arena, "Did you mean '" STR_FMT "'?", STR_ARG(nearest));
}

static str suggest(struct reporter *t, const struct check_found *f)
{
    switch (f->kind) {
    case CHECK_LEFT_OUT:
        return STR("Rename it, or move it");
    case CHECK_POLICY:
        return arena_printf(t->arena, "Did you mean '%s'?",
                            policy_name((enum policy)f->number));
    case CHECK_LINK:
        return suggest_link(t, f);
    case CHECK_SUBPATH:
        return suggest_subpath(t, f);
    case CHECK_AMBIGUOUS:
        return arena_printf(t->arena, "Write the whole path: '" STR_FMT "'",
                            STR_ARG(check_path_of(t, f->target)));
    case CHECK_TWIN:
        return STR("Rename one of them: many systems treat them as the same file");
    case CHECK_CONFLICT:
        return STR("Compare them, keep what is right in one, and delete the other");
    case CHECK_BLOCK_ID:
        return STR("Give one of them a different id");
    case CHECK_NAME:
        return f->alias ? STR("Choose another alias") : STR("");
    case CHECK_EMPTY:
        return STR("Write it, or delete it");
    case CHECK_ORPHAN:
        return STR("Link it from a note where it belongs");
    case CHECK_ATTACHMENT:
        return STR("Embed it in a note, or delete it");
    case CHECK_STALE:
        return f->tasks ? STR("Do the tasks, or remove them")
                        : STR("Check whether it is still true");
    case CHECK_DUPLICATE:
        return STR("Merge them, or say in each what sets it apart");
    default:
        return STR("");
    }
}

/* --- messages --- */

/* What was written, which may be long and not UTF-8. */
static str check_quoted(const struct check_found *f)
{
    enum { QUOTED_MAX = 200 };
    return utf8_cut(f->what, QUOTED_MAX);
}

static str say_ambiguous(const struct reporter *t, const struct check_found *f)
{
    struct sbuf b = SBUF_ON(t->arena);
    sbuf_printf(&b, "'" STR_FMT "' means '" STR_FMT "', but also matches ",
                STR_ARG(check_quoted(f)), STR_ARG(check_path_of(t, f->target)));
    add_files(&b, t, f->others, f->n_others);
    return sbuf_str(&b);
}

static str say_name(const struct reporter *t, const struct check_found *f)
{
    struct sbuf b = SBUF_ON(t->arena);
    sbuf_printf(&b, "The %s '" STR_FMT "' is also %s of ", f->alias ? "alias" : "title",
                STR_ARG(check_quoted(f)),
                f->alias && f->severity == CHECK_INFO ? "an alias" : "the title");
    add_files(&b, t, f->others, f->n_others);
    return sbuf_str(&b);
}

static str say_twin(const struct reporter *t, const struct check_found *f)
{
    struct sbuf b = SBUF_ON(t->arena);
    sbuf_add(&b, STR("Differs only in case or Unicode form from "));
    add_files(&b, t, f->others, f->n_others);
    return sbuf_str(&b);
}

static str say_stale(const struct reporter *t, const struct check_found *f)
{
    enum { DAY = 10 }; /* characters of the date */
    char date[CLOCK_ISO_SIZE];
    str day = str_slice(clock_iso(f->changed, date), 0, DAY);
    str why =
        f->tasks ? arena_count(t->arena, f->number, "open task", "open tasks")
                 : arena_count(t->arena, f->number, "file links here", "files link here");
    return arena_printf(t->arena, STR_FMT ", but it has not changed since " STR_FMT,
                        STR_ARG(why), STR_ARG(day));
}

static str say_duplicate(const struct reporter *t, const struct check_found *f)
{
    return arena_printf(t->arena, "%u %% of the text is also in '" STR_FMT "'", f->number,
                        STR_ARG(check_path_of(t, f->target)));
}

static str check_say(const struct reporter *t, const struct check_found *f)
{
    struct arena *a = t->arena;
    str what = check_quoted(f);
    switch (f->kind) {
    case CHECK_LEFT_OUT:
        return arena_printf(a, "Not in the index: " STR_FMT, STR_ARG(what));
    case CHECK_UNREAD:
        return arena_printf(a, "Not read: " STR_FMT, STR_ARG(what));
    case CHECK_PROPERTIES:
        return arena_printf(a, "The properties are broken: " STR_FMT, STR_ARG(what));
    case CHECK_POLICY:
        return arena_printf(
            a,
            "'" STR_FMT "' says nothing about clients: hidden, read-only or propose do",
            STR_ARG(what));
    case CHECK_VALUE:
        return arena_str(a, f->what);
    case CHECK_CANVAS:
        return arena_printf(a, "The canvas is broken: " STR_FMT, STR_ARG(what));
    case CHECK_LINK:
        return arena_printf(a, "There is no '" STR_FMT "' to %s", STR_ARG(what),
                            f->embed ? "embed" : "link to");
    case CHECK_SUBPATH:
        return arena_printf(a, "'" STR_FMT "' has no '" STR_FMT "'",
                            STR_ARG(check_path_of(t, f->target)), STR_ARG(what));
    case CHECK_AMBIGUOUS:
        return say_ambiguous(t, f);
    case CHECK_TWIN:
        return say_twin(t, f);
    case CHECK_CONFLICT:
        return arena_printf(a,
                            "A sync program keeps another version of '" STR_FMT "' here",
                            STR_ARG(f->what));
    case CHECK_BLOCK_ID:
        return arena_printf(a, "The id '^" STR_FMT "' is already used on line %u",
                            STR_ARG(what), f->other_line);
    case CHECK_NAME:
        return say_name(t, f);
    case CHECK_EMPTY:
        return STR("The note is empty");
    case CHECK_ORPHAN:
        return STR("This note has no links to or from other notes");
    case CHECK_HUB:
        return arena_count(a, f->number, "file links here", "files link here");
    case CHECK_STALE:
        return say_stale(t, f);
    case CHECK_DUPLICATE:
        return say_duplicate(t, f);
    default:
        return STR("Nothing links to this file");
    }
}

/* --- all --- */

static void check_take(struct reporter *t, const struct check_found *f, str path,
                       const struct check_limits *limits, struct check_result *out)
{
    size_t at = out->total++;
    out->counts[f->kind]++;
    out->problems += f->severity != CHECK_INFO;
    if (at < limits->offset || out->n == limits->max)
        return;
    *ARRAY_ADD(t->arena, out->findings, out->n) =
        (struct check_finding){.kind = f->kind,
                               .severity = f->severity,
                               .path = path,
                               .line = f->line,
                               .message = check_say(t, f),
                               .suggestion = suggest(t, f)};
}

/* Take the places before that path; an empty one: all. Returns where to go on. */
static size_t take_left(struct reporter *t, size_t at, str before,
                        const struct check_limits *limits, struct check_result *out)
{
    for (; at < limits->n_left; at++) {
        const struct skipped_file *left = &limits->left[at];
        if (before.n > 0 && str_cmp(left->path, before) >= 0)
            break;
        if (limits->folder.n > 0 && !path_is_below(limits->folder, left->path))
            continue;
        struct check_found found = {
            .kind = CHECK_LEFT_OUT, .severity = CHECK_WARNING, .what = left->why};
        check_take(t, &found, left->path, limits, out);
    }
    return at;
}

/* The files in the order of their findings: hubs alone by their links, else by path. */
static size_t check_order(struct reporter *t, const struct check_facts *facts,
                          const struct file ***out)
{
    if (facts->kinds != 1u << CHECK_HUB)
        return index_sorted(t->index, t->arena, out);
    *out = ARENA_ARRAY(t->arena, const struct file *, facts->n_hubs);
    for (size_t i = 0; i < facts->n_hubs; i++)
        (*out)[i] = index_file(t->index, facts->hubs[i]);
    return facts->n_hubs;
}

static void check_files(struct reporter *t, const struct check_facts *facts,
                        struct filter *filter, const struct check_limits *limits,
                        struct check_result *out)
{
    struct arena of_file = {0};
    const struct file **files;
    bool left_out = (facts->kinds >> CHECK_LEFT_OUT & 1) != 0;
    size_t n = check_order(t, facts, &files), left = 0;
    for (size_t i = 0; i < n && !out->partial; i++) {
        struct check_found *found;
        out->partial = stop_now(limits->stop);
        if (files[i]->excluded || out->partial || !filter_takes(filter, files[i]))
            continue;
        if (left_out)
            left = take_left(t, left, files[i]->path, limits, out);
        size_t n_found = check_file(facts, &of_file, files[i], &found);
        for (size_t k = 0; k < n_found; k++)
            check_take(t, &found[k], files[i]->path, limits, out);
        arena_reset(&of_file);
    }
    out->partial = out->partial || stop_now(limits->stop); /* in the last file */
    if (left_out && !out->partial)
        take_left(t, left, STR(""), limits, out);
    arena_release(&of_file);
}

void check_vault(const struct index *x, struct arena *a,
                 const struct check_limits *limits, struct check_result *out)
{
    struct reporter teller = {.index = x, .arena = a, .stop = limits->stop};
    teller.near = (struct near_link){.index = x, .arena = a, .stop = limits->stop};
    struct check_facts facts;
    struct filter filter = {0};
    struct filter_request request = {.folder = limits->folder};
    struct err err;
    *out = (struct check_result){0};
    if (!filter_open(&filter, x, a, &request, &err))
        BUG("a folder is always a filter: %s", err.msg);
    check_learn(x, a, limits, &facts); /* in the arena whose size is limited */
    out->partial = facts.partial;
    if (!out->partial)
        check_files(&teller, &facts, &filter, limits, out);
    filter_release(&filter);
}
