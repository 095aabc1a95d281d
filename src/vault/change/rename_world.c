/*
 * The files after the moves. The whole table is never copied: moved files are added at
 * the start, others when a link needs them, all files of a name together.
 */
#include "base/array.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/names.h"

void world_open(struct world *w, struct planner *p, enum obsidian_link_format format)
{
    size_t n = p->index->n;
    *w = (struct world){
        .planner = p,
        .index = p->index,
        .format = format,
        .after = names_create(),
        .inside = arena_alloc(p->arena, size_mul(n, sizeof(file_id))),
    };
    memset(w->inside, 0xFF, n * sizeof(file_id)); /* NO_FILE */
}

void world_close(struct world *w)
{
    names_free(w->after);
    free(w->real);
    arena_release(&w->scratch);
}

void world_move(struct world *w, file_id file, str to)
{
    file_id inside = (file_id)w->n;
    *ARRAY_ADD(NULL, w->real, w->n) = file;
    w->inside[file] = inside;
    names_add(w->after, inside, to);
}

str world_path(const struct world *w, file_id file)
{
    return w->inside[file] != NO_FILE ? names_path(w->after, w->inside[file])
                                      : names_path(w->index->names, file);
}

/* Add all files that a link with that path could mean to after. */
static void know(struct world *w, str path)
{
    arena_reset(&w->scratch);
    str name = path_name(str_trim_line(utf8_fold(&w->scratch, path)));
    uint8_t *marks = planner_seen(w->planner, name);
    if (*marks & SEEN_KNOWN)
        return;
    *marks |= SEEN_KNOWN;
    file_id *files;
    size_t n = names_find_name(w->index->names, &w->scratch, name, &files);
    for (size_t i = 0; i < n; i++)
        if (w->inside[files[i]] == NO_FILE)
            world_move(w, files[i], names_path(w->index->names, files[i]));
}

void world_resolve(struct world *w, str path, str source, struct names_answer *out)
{
    know(w, path);
    names_resolve(w->after, NULL, path, source, NO_FILE, out);
    if (out->file != NO_FILE)
        out->file = w->real[out->file];
}

/* How many files in after have exactly that (folded) name. */
static size_t count_name(struct world *w, str name)
{
    file_id *files;
    size_t n = names_find_name(w->after, &w->scratch, name, &files), same = 0;
    for (size_t i = 0; i < n; i++)
        same += str_eq(utf8_fold(&w->scratch, path_name(names_path(w->after, files[i]))),
                       name);
    return same;
}

bool world_is_unique(struct world *w, file_id file)
{
    str path = world_path(w, file);
    know(w, path);
    str name = utf8_fold(&w->scratch, path_name(path));
    uint8_t *marks = planner_seen(w->planner, name);
    if (!(*marks & SEEN_COUNTED))
        *marks |= SEEN_COUNTED | (count_name(w, name) == 1 ? SEEN_UNIQUE : 0);
    return *marks & SEEN_UNIQUE;
}
