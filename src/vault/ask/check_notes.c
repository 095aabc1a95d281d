/* Notes that stand out: by the files that link to them, their age, or their text. */
#include "base/clock.h"
#include "vault/ask/check_find.h"
#include "vault/ask/duplicates.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/note/note.h"

static bool asks_for(const struct check_facts *facts, enum check_kind kind)
{
    return (facts->kinds >> kind & 1) != 0;
}

static bool is_note(const struct file *f)
{
    return f != NULL && f->kind == FILE_NOTE && !f->excluded;
}

/* --- links --- */

static void count_links(struct arena *a, const struct stop *stop,
                        struct check_facts *facts)
{
    const struct index *x = facts->index;
    struct arena edges = {0};
    const struct file *f;
    facts->linked = ARENA_ARRAY(a, uint32_t, x->n);
    for (file_id id = 0; (f = index_next(x, &id, stop)) != NULL;) {
        struct graph_edge *ignored;
        if (is_note(f))
            facts->linked[f->id] =
                (uint32_t)graph_backlinks(x->graph, &edges, f->id, &ignored);
        arena_reset(&edges);
    }
    arena_release(&edges);
}

/* Whether a note comes before another among those that most others link to. */
static bool leads(const struct check_facts *facts, file_id one, file_id two)
{
    const struct index *x = facts->index;
    if (facts->linked[one] != facts->linked[two])
        return facts->linked[one] > facts->linked[two];
    return str_cmp(x->files[one]->path, x->files[two]->path) < 0;
}

static void choose_hubs(struct arena *a, const struct stop *stop,
                        struct check_facts *facts)
{
    file_id best[CHECK_HUBS_MAX];
    size_t n = 0;
    const struct file *f;
    for (file_id id = 0; (f = index_next(facts->index, &id, stop)) != NULL;) {
        if (facts->linked[f->id] < CHECK_HUB_LINKS)
            continue;
        if (n == CHECK_HUBS_MAX && !leads(facts, f->id, best[n - 1]))
            continue;
        size_t at = n < CHECK_HUBS_MAX ? n++ : n - 1;
        for (; at > 0 && leads(facts, f->id, best[at - 1]); at--)
            best[at] = best[at - 1];
        best[at] = f->id;
    }
    facts->hub = ARENA_ARRAY(a, bool, facts->index->n);
    facts->hubs = ARENA_ARRAY(a, file_id, n);
    facts->n_hubs = n;
    for (size_t i = 0; i < n; i++) {
        facts->hub[best[i]] = true;
        facts->hubs[i] = best[i];
    }
}

/* --- all --- */

void check_notes_learn(const struct check_limits *limits, struct arena *a,
                       struct check_facts *facts)
{
    static const int64_t day = 86400;
    facts->stale_before = clock_now() - CHECK_STALE_DAYS * day;
    if (asks_for(facts, CHECK_HUB) || asks_for(facts, CHECK_STALE))
        count_links(a, limits->stop, facts);
    if (asks_for(facts, CHECK_HUB))
        choose_hubs(a, limits->stop, facts);
    if (asks_for(facts, CHECK_DUPLICATE) &&
        !duplicates_find(facts->index, a, limits->stop, &facts->duplicates))
        facts->duplicates = NULL;
    facts->partial = stop_now(limits->stop);
}

static uint32_t open_tasks(const struct file *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->note.n_tasks; i++)
        n += !f->note.tasks[i].done;
    return n;
}

/* Links weigh more than tasks, as others rely on the note. */
static bool find_stale(const struct check_facts *facts, const struct file *f,
                       struct check_found *out)
{
    int64_t changed = f->info.modified_ns / 1000000000;
    uint32_t linked = facts->linked[f->id], tasks = open_tasks(f);
    bool by_links = linked >= CHECK_STALE_LINKS;
    if (changed >= facts->stale_before || (!by_links && tasks == 0))
        return false;
    *out = (struct check_found){.kind = CHECK_STALE,
                                .tasks = !by_links,
                                .number = by_links ? linked : tasks,
                                .changed = changed};
    return true;
}

size_t check_notes_find(const struct check_facts *facts, const struct file *f,
                        struct check_found out[CHECK_NOTES_MAX])
{
    size_t n = 0;
    if (!is_note(f))
        return 0;
    if (asks_for(facts, CHECK_HUB) && facts->hub[f->id])
        out[n++] =
            (struct check_found){.kind = CHECK_HUB, .number = facts->linked[f->id]};
    if (asks_for(facts, CHECK_STALE))
        n += find_stale(facts, f, &out[n]);
    const struct duplicate *same =
        facts->duplicates != NULL ? &facts->duplicates[f->id] : NULL;
    if (same != NULL && same->other != NO_FILE)
        out[n++] = (struct check_found){
            .kind = CHECK_DUPLICATE, .number = same->percent, .target = same->other};
    for (size_t i = 0; i < n; i++)
        out[i].severity = CHECK_INFO;
    return n;
}
