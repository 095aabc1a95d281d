#include "vault/ask/check_find.h"

#include "base/array.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/conflict_copy.h"
#include "vault/ask/guidance.h"
#include "vault/ask/near_link.h"
#include "vault/ask/schema.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/note/policy.h"

enum { LINKS_ASK = 256 }; /* links between two questions whether time is over */

struct check_find_finder {
    const struct check_facts *facts;
    struct arena *arena;
    struct arena of_link; /* reset after each link: many files may have the same name */
    const struct file *file;
    struct check_found *found;
    size_t n;
};

static bool wants(const struct check_find_finder *f, enum check_kind kind)
{
    return (f->facts->kinds >> kind & 1) != 0;
}

static void check_find_add(struct check_find_finder *f, struct check_found found)
{
    if (!wants(f, found.kind))
        return;
    found.order = f->n;
    *ARRAY_ADD(f->arena, f->found, f->n) = found;
}

/* --- the file itself --- */

/* The number after word; 0 if there is none. */
static uint32_t number_after(str text, str word)
{
    size_t at = str_find(text, word);
    uint32_t number = 0;
    if (at == STR_NONE)
        return 0;
    for (at += word.n; at < text.n && is_digit(text.p[at]); at++)
        number = number * 10 + (uint32_t)(text.p[at] - '0');
    return number;
}

/* Properties say "line 7, column 3: ...", a canvas "... at byte 12: ...". */
static uint32_t line_of_problem(const struct file *f)
{
    if (f->unread)
        return 0;
    if (f->kind == FILE_NOTE)
        return number_after(f->problem, STR("line "));
    struct note text = {.text = f->text};
    return note_line_of(&text, number_after(f->problem, STR("byte ")));
}

static void find_problem(struct check_find_finder *f)
{
    const struct file *file = f->file;
    if (file->problem.n == 0)
        return;
    enum check_kind kind = CHECK_PROPERTIES;
    if (file->unread)
        kind = CHECK_UNREAD;
    else if (file->kind == FILE_CANVAS)
        kind = CHECK_CANVAS;
    check_find_add(f, (struct check_found){.kind = kind,
                                           .severity = CHECK_ERROR,
                                           .line = line_of_problem(file),
                                           .what = file->problem});
}

static void find_policy(struct check_find_finder *f)
{
    enum policy meant;
    const struct prop *slip =
        policy_slip(f->facts->limits->policy_property, f->file->props, &meant);
    if (slip != NULL)
        check_find_add(f, (struct check_found){.kind = CHECK_POLICY,
                                               .severity = CHECK_WARNING,
                                               .line = slip->line,
                                               .what = slip->text,
                                               .number = meant});
}

static void find_values(struct check_find_finder *f)
{
    struct schema_problem *problems;
    size_t n = wants(f, CHECK_VALUE)
                   ? schemas_check(&f->facts->schemas, f->arena, f->file, &problems)
                   : 0;
    for (size_t i = 0; i < n; i++)
        check_find_add(f, (struct check_found){.kind = CHECK_VALUE,
                                               .severity = CHECK_WARNING,
                                               .line = problems[i].line,
                                               .what = problems[i].message});
}

static void find_empty(struct check_find_finder *f)
{
    const struct file *file = f->file;
    bool properties = file->props != NULL && file->props->child != NULL;
    str body = str_skip(file->text, file->note.body);
    if (file->kind == FILE_NOTE && !file->unread && !properties && file->problem.n == 0 &&
        str_trim_line(body).n == 0)
        check_find_add(f,
                       (struct check_found){.kind = CHECK_EMPTY, .severity = CHECK_INFO});
}

/* A note that others are made from. */
static bool is_template(const struct check_find_finder *f)
{
    const struct check_limits *limits = f->facts->limits;
    for (size_t i = 0; i < COUNT_OF(limits->templates); i++)
        if (limits->templates[i].n > 0 &&
            path_is_or_below(limits->templates[i], f->file->path))
            return true;
    return false;
}

static void find_unlinked(struct check_find_finder *f)
{
    const struct file *file = f->file;
    struct graph_edge *edges;
    if (file->kind == FILE_NOTE && f->facts->orphan[file->id] && !is_template(f))
        check_find_add(
            f, (struct check_found){.kind = CHECK_ORPHAN, .severity = CHECK_INFO});
    if (wants(f, CHECK_ATTACHMENT) && file->kind >= FILE_TEXT &&
        graph_backlinks(f->facts->index->graph, f->arena, file->id, &edges) == 0)
        check_find_add(
            f, (struct check_found){.kind = CHECK_ATTACHMENT, .severity = CHECK_INFO});
}

static void find_twins(struct check_find_finder *f)
{
    const struct names *names = f->facts->index->names;
    str path = f->file->path;
    size_t twins;
    names_find_path(names, path, &twins);
    if (twins < 2 || !wants(f, CHECK_TWIN))
        return;
    file_id *named;
    size_t n = names_find_name(names, f->arena, path_name(path), &named), kept = 0;
    str folded = utf8_fold(f->arena, path);
    for (size_t i = 0; i < n; i++)
        if (named[i] != f->file->id &&
            str_eq(utf8_fold(f->arena, names_path(names, named[i])), folded))
            named[kept++] = named[i];
    check_find_add(f, (struct check_found){.kind = CHECK_TWIN,
                                           .severity = CHECK_WARNING,
                                           .others = named,
                                           .n_others = kept});
}

static void find_conflict(struct check_find_finder *f)
{
    str original =
        wants(f, CHECK_CONFLICT) ? conflict_copy_of(f->arena, f->file->path) : STR("");
    if (original.n > 0)
        check_find_add(f, (struct check_found){.kind = CHECK_CONFLICT,
                                               .severity = CHECK_WARNING,
                                               .what = original});
}

/* --- links --- */

/* Whether a link's path names a folder, too; trimmed, as Obsidian does. */
static bool has_folder(str path)
{
    return str_find_char(str_trim(path), '/') != STR_NONE;
}

/* Keep the others that the link could also mean: their paths end with its path. */
static size_t keep_fitting(struct check_find_finder *f, str path, file_id *others,
                           size_t n)
{
    const struct index *x = f->facts->index;
    struct arena *a = &f->of_link;
    str wanted = utf8_fold(a, str_trim(path));
    str md = arena_printf(a, "/" STR_FMT ".md", STR_ARG(wanted));
    str plain = str_slice(md, 0, md.n - 3);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        str other = index_file(x, others[i])->path;
        str whole = utf8_fold(a, arena_printf(a, "/" STR_FMT, STR_ARG(other)));
        if (str_ends(whole, plain) || str_ends(whole, md))
            others[kept++] = others[i];
    }
    return kept;
}

/* Keep as many of the others as a message needs: one more than it names. */
static void keep_others(struct check_find_finder *f, struct check_found *found,
                        const file_id *others, size_t n)
{
    found->n_others = n <= CHECK_SHOWN ? n : CHECK_SHOWN + 1;
    file_id *kept = ARENA_ARRAY(f->arena, file_id, found->n_others);
    if (n > 0)
        memcpy(kept, others, found->n_others * sizeof(*kept));
    found->others = kept;
}

/* Whether the link cannot be mistaken for one to another file of that name. */
static bool is_certain(const struct file_link *link, enum names_rule rule)
{
    return rule == NAMES_ONLY_ONE || rule == NAMES_RELATIVE ||
           (rule == NAMES_EXACT && has_folder(link->path));
}

static void find_ambiguous(struct check_find_finder *f, const struct file_link *link,
                           const struct names_answer *answer)
{
    bool exact = answer->rule == NAMES_EXACT;
    size_t n = answer->n_others;
    if (n > 0 && has_folder(link->path))
        n = keep_fitting(f, link->path, answer->others, n);
    struct check_found found = {.kind = CHECK_AMBIGUOUS,
                                .severity = exact ? CHECK_INFO : CHECK_WARNING,
                                .line = link->line,
                                .what = link->path,
                                .target = answer->file};
    keep_others(f, &found, answer->others, n);
    if (n > 0)
        check_find_add(f, found);
}

static void find_subpath(struct check_find_finder *f, const struct file_link *link,
                         file_id to)
{
    const struct file *target = index_file(f->facts->index, to);
    str ignored;
    if (target != NULL && !near_link_has(f->arena, target, link->subpath, &ignored))
        check_find_add(f, (struct check_found){.kind = CHECK_SUBPATH,
                                               .severity = CHECK_WARNING,
                                               .line = link->line,
                                               .what = link->subpath,
                                               .target = to});
}

static void find_link(struct check_find_finder *f, const struct file_link *link)
{
    const struct names *names = f->facts->index->names;
    str source = f->file->path;
    struct names_answer answer;
    names_resolve(names, NULL, link->path, source, f->file->id, &answer);
    if (answer.rule == NAMES_NOT_A_PATH)
        return;
    bool certain = is_certain(link, answer.rule);
    if (!certain) /* the others may be many */
        names_resolve(names, &f->of_link, link->path, source, f->file->id, &answer);
    if (answer.file != NO_FILE) {
        if (!certain)
            find_ambiguous(f, link, &answer);
        find_subpath(f, link, answer.file);
        return;
    }
    struct check_found found = {.kind = CHECK_LINK,
                                .severity = link->embed ? CHECK_ERROR : CHECK_WARNING,
                                .line = link->line,
                                .what = link->path,
                                .target = NO_FILE,
                                .embed = link->embed};
    keep_others(f, &found, answer.others, answer.n_others);
    check_find_add(f, found);
}

static void find_links(struct check_find_finder *f)
{
    struct file_link *links;
    if (!wants(f, CHECK_LINK) && !wants(f, CHECK_SUBPATH) && !wants(f, CHECK_AMBIGUOUS))
        return;
    size_t n = file_links(f->arena, f->file, &links);
    for (size_t i = 0; i < n; i++) {
        if (i % LINKS_ASK == LINKS_ASK - 1 && stop_now(f->facts->limits->stop))
            break;
        find_link(f, &links[i]);
        arena_reset(&f->of_link);
    }
    arena_release(&f->of_link);
}

/* --- block ids --- */

struct block_id {
    str folded;
    uint32_t i; /* of the block */
};

static int by_id(const void *a, const void *b)
{
    const struct block_id *x = a, *y = b;
    int order = str_cmp(x->folded, y->folded);
    return order != 0 ? order : (x->i > y->i) - (x->i < y->i);
}

static void find_block_ids(struct check_find_finder *f)
{
    const struct note *note = &f->file->note;
    if (note->n_blocks < 2 || !wants(f, CHECK_BLOCK_ID))
        return;
    struct block_id *ids = ARENA_ARRAY(f->arena, struct block_id, note->n_blocks);
    for (uint32_t i = 0; i < note->n_blocks; i++)
        ids[i] = (struct block_id){
            utf8_fold(f->arena, span_of(f->file->text, note->blocks[i].id)), i};
    sort_items(ids, note->n_blocks, sizeof(*ids), by_id);
    for (uint32_t i = 1, first = 0; i < note->n_blocks; i++) {
        if (!str_eq(ids[i].folded, ids[first].folded)) {
            first = i;
            continue;
        }
        const struct note_block *block = &note->blocks[ids[i].i];
        check_find_add(
            f, (struct check_found){.kind = CHECK_BLOCK_ID,
                                    .severity = CHECK_WARNING,
                                    .line = block->line_end,
                                    .what = span_of(f->file->text, block->id),
                                    .other_line = note->blocks[ids[first].i].line_end});
    }
}

/* --- names that several notes have --- */

static int check_find_by_name(const void *a, const void *b, void *arg)
{
    const struct index *x = arg;
    const struct check_called *c = a, *d = b;
    int order = str_cmp(c->folded, d->folded);
    if (order != 0)
        return order;
    if (c->alias != d->alias)
        return c->alias ? 1 : -1;
    return str_cmp(x->files[c->file]->path, x->files[d->file]->path);
}

static void learn_names(const struct index *x, struct arena *a, const struct stop *stop,
                        struct check_facts *out)
{
    const struct file *f;
    for (file_id id = 0; (f = index_next(x, &id, stop)) != NULL;) {
        if (f->kind != FILE_NOTE || f->excluded)
            continue;
        str title = utf8_fold(a, file_title(f->path));
        if (!guidance_is_rule(f->path))
            *ARRAY_ADD(a, out->called, out->n_called) =
                (struct check_called){title, f->id, false};
        for (size_t i = 0; i < f->aliases.n; i++) {
            str alias = utf8_fold(a, f->aliases.items[i]);
            if (!str_eq(alias, title))
                *ARRAY_ADD(a, out->called, out->n_called) =
                    (struct check_called){alias, f->id, true};
        }
    }
    if (out->n_called > 1)
        sort_with(out->called, out->n_called, sizeof(*out->called), check_find_by_name,
                  (void *)x);
}

/* The index of the first entry with that name, or where it would be. */
static size_t first_called(const struct check_facts *facts, str folded)
{
    size_t low = 0, high = facts->n_called;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(facts->called[middle].folded, folded) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t line_of_alias(const struct file *file, str alias)
{
    struct frontmatter fm = {.props = (struct prop *)file->props};
    const struct prop *p = frontmatter_get(&fm, STR("aliases"));
    if (p == NULL)
        return 0;
    for (const struct prop *c = p->child; c != NULL; c = c->next)
        if (str_eq(str_trim_line(c->text), alias))
            return c->line;
    return p->line;
}

/* Whether the same is found in another file that comes first: once is enough. */
static bool is_said_there(const struct check_find_finder *f, file_id other)
{
    str path = names_path(f->facts->index->names, other);
    return str_cmp(path, f->file->path) < 0 &&
           path_is_or_below(f->facts->limits->folder, path);
}

/* Sharing another note's title is worse than sharing an alias: a link means the title. */
static void find_name(struct check_find_finder *f, str name, bool alias)
{
    const struct check_facts *facts = f->facts;
    str folded = utf8_fold(f->arena, name);
    file_id *others = ARENA_ARRAY(f->arena, file_id, CHECK_SHOWN + 1);
    struct check_found found = {.kind = CHECK_NAME,
                                .severity = CHECK_INFO,
                                .line = alias ? line_of_alias(f->file, name) : 0,
                                .what = name,
                                .alias = alias,
                                .others = others};
    for (size_t i = first_called(facts, folded);
         i < facts->n_called && found.n_others <= CHECK_SHOWN; i++) {
        const struct check_called *c = &facts->called[i];
        if (!str_eq(c->folded, folded) || (c->alias && !alias))
            break;
        bool twice = found.n_others > 0 && others[found.n_others - 1] == c->file;
        if (c->file == f->file->id || twice)
            continue;
        if (c->alias == alias && found.severity == CHECK_INFO &&
            is_said_there(f, c->file))
            return;
        others[found.n_others++] = c->file;
        if (alias && !c->alias)
            found.severity = CHECK_WARNING;
    }
    if (found.n_others > 0)
        check_find_add(f, found);
}

static void find_names(struct check_find_finder *f)
{
    if (f->file->kind != FILE_NOTE || !wants(f, CHECK_NAME))
        return;
    str title = file_title(f->file->path), folded = utf8_fold(f->arena, title);
    if (!guidance_is_rule(f->file->path))
        find_name(f, title, false);
    for (size_t i = 0; i < f->file->aliases.n; i++) {
        str alias = f->file->aliases.items[i];
        if (!str_eq(utf8_fold(f->arena, alias), folded))
            find_name(f, alias, true);
    }
}

/* --- all --- */

void check_learn(const struct index *x, struct arena *a,
                 const struct check_limits *limits, struct check_facts *out)
{
    unsigned kinds = limits->kinds != 0 ? limits->kinds : ~(unsigned)CHECK_ASKED;
    *out = (struct check_facts){.index = x, .limits = limits, .kinds = kinds};
    file_id *orphans;
    out->orphan = ARENA_ARRAY(a, bool, x->n);
    size_t n = graph_orphans(x->graph, a, &orphans);
    for (size_t i = 0; i < n; i++)
        out->orphan[orphans[i]] = true;
    if ((kinds >> CHECK_NAME & 1) != 0)
        learn_names(x, a, limits->stop, out);
    if ((kinds >> CHECK_VALUE & 1) != 0)
        schemas_learn(x, limits->types, a, &out->schemas);
    check_notes_learn(limits, a, out);
}

static void find_notes(struct check_find_finder *f)
{
    struct check_found found[CHECK_NOTES_MAX];
    size_t n = check_notes_find(f->facts, f->file, found);
    for (size_t i = 0; i < n; i++)
        check_find_add(f, found[i]);
}

static int by_line(const void *a, const void *b)
{
    const struct check_found *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

size_t check_file(const struct check_facts *facts, struct arena *a, const struct file *f,
                  struct check_found **out)
{
    struct check_find_finder finder = {.facts = facts, .arena = a, .file = f};
    find_problem(&finder);
    find_policy(&finder);
    find_values(&finder);
    find_links(&finder);
    find_twins(&finder);
    find_conflict(&finder);
    find_block_ids(&finder);
    find_names(&finder);
    find_empty(&finder);
    find_unlinked(&finder);
    find_notes(&finder);
    if (finder.n > 1)
        sort_items(finder.found, finder.n, sizeof(*finder.found), by_line);
    *out = finder.found;
    return finder.n;
}
