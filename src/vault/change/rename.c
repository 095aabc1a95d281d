#include "vault/change/rename.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

/* --- the files to move --- */

static bool mark_moved(struct planner *p, const struct rename_move *m, struct err *err)
{
    const struct file *f = index_find(p->index, m->from);
    if (f == NULL)
        return err_set(err, ERR_NOT_FOUND, "no such file '" STR_FMT "'",
                       STR_ARG(m->from));
    if (m->to.n == 0)
        return err_set(err, ERR_INVALID, "'" STR_FMT "' needs a new path",
                       STR_ARG(m->from));
    if (str_eq(m->from, m->to))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' already has that path",
                       STR_ARG(m->from));
    if (p->marks[f->id] & MARK_MOVED)
        return err_set(err, ERR_INVALID, "'" STR_FMT "' cannot be moved twice",
                       STR_ARG(m->from));
    p->marks[f->id] |= MARK_MOVED;
    return true;
}

/* Whether a file stays at that path, ignoring case. */
static bool stays_at(const struct planner *p, str to)
{
    size_t twins;
    (void)names_find_path(p->index->names, to, &twins);
    if (twins == 0)
        return false;
    struct arena scratch = {0};
    file_id *files;
    str folded = utf8_fold(&scratch, to);
    size_t n = names_find_name(p->index->names, &scratch, path_name(to), &files),
           stay = 0;
    for (size_t i = 0; i < n; i++)
        stay += !(p->marks[files[i]] & MARK_MOVED) &&
                str_eq(utf8_fold(&scratch, p->index->files[files[i]]->path), folded);
    arena_release(&scratch);
    return stay > 0;
}

static bool check_target(const struct planner *p, const struct world *w, str to,
                         struct err *err)
{
    size_t twins; /* so far, the world has only the moved files */
    (void)names_find_path(w->after, to, &twins);
    if (stays_at(p, to))
        return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' already exists", STR_ARG(to));
    if (twins > 1)
        return err_named(err, E_FILE_EXISTS, "two files would become '" STR_FMT "'",
                         STR_ARG(to));
    return true;
}

/* --- the links that may change --- */

/* Links to files of that name may mean the moved file after the move. */
static void watch_name(struct planner *p, str name)
{
    struct arena scratch = {0};
    file_id *files;
    uint8_t *marks = planner_seen(p, utf8_fold(&scratch, name));
    size_t n = 0;
    if (!(*marks & SEEN_WATCHED))
        n = names_find_name(p->index->names, &scratch, name, &files);
    *marks |= SEEN_WATCHED;
    for (size_t i = 0; i < n; i++) {
        if (p->marks[files[i]] & MARK_WATCHED)
            continue;
        p->marks[files[i]] |= MARK_WATCHED;
        planner_mark_sources(p, files[i]);
    }
    arena_release(&scratch);
}

static void watch(struct planner *p, str to)
{
    str name = path_name(to);
    watch_name(p, name);
    if (str_eq_nocase(path_extension(name), STR("md")))
        watch_name(p, str_slice(name, 0, name.n - 3));
}

/* --- troublesome names --- */

static bool rename_has_any(str s, const char *bytes)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\0' && strchr(bytes, s.p[i]) != NULL)
            return true;
    return false;
}

static bool is_device(str title)
{
    static const char *const names[] = {"CON", "PRN", "AUX", "NUL"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq_nocase(title, str_c(names[i])))
            return true;
    str port = str_slice(title, 0, 3);
    return title.n == 4 && title.p[3] >= '1' && title.p[3] <= '9' &&
           (str_eq_nocase(port, STR("COM")) || str_eq_nocase(port, STR("LPT")));
}

static void warn_name(struct planner *p, const struct rename_move *m)
{
    str name = path_name(m->to), shown = utf8_cut(name, 200);
    if (str_eq(name, path_name(m->from)))
        return;
    if (rename_has_any(name, "#|^[]") || str_find(name, STR("%%")) != STR_NONE)
        planner_warn(p,
                     "'" STR_FMT "' has characters that links cannot contain: # | ^ [ ] "
                     "%%%%",
                     STR_ARG(shown));
    if (rename_has_any(name, ":*?\"<>|") || is_device(file_title(name)))
        planner_warn(p, "'" STR_FMT "' is not allowed as a name on Windows",
                     STR_ARG(shown));
}

/* --- planning --- */

static void add_moves(struct planner *p, struct world *w, const struct rename_move *moves,
                      size_t n)
{
    struct rename_plan *plan = &p->plan;
    plan->moves = ARENA_ARRAY(p->arena, struct rename_move, n);
    plan->n_moves = n;
    for (size_t i = 0; i < n; i++) {
        const struct file *f = index_find(p->index, moves[i].from);
        str to = arena_str(p->arena, moves[i].to);
        plan->moves[i] = (struct rename_move){f->path, to};
        world_move(w, f->id, to);
    }
}

static bool plan_moves(struct planner *p, struct world *w, struct err *err)
{
    const struct rename_plan *plan = &p->plan;
    for (size_t i = 0; i < plan->n_moves; i++)
        if (!check_target(p, w, plan->moves[i].to, err))
            return false;
    for (size_t i = 0; i < plan->n_moves; i++) {
        warn_name(p, &plan->moves[i]);
        planner_mark_sources(p, index_find(p->index, plan->moves[i].from)->id);
        watch(p, plan->moves[i].to);
    }
    planner_mark_bases(p);
    rename_links(p, w);
    return true;
}

static bool move_all(struct planner *p, enum obsidian_link_format format,
                     const struct rename_move *moves, size_t n, struct rename_plan *out,
                     struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!mark_moved(p, &moves[i], err))
            return false;
    struct world w;
    world_open(&w, p, format);
    add_moves(p, &w, moves, n);
    bool ok = plan_moves(p, &w, err);
    world_close(&w);
    return ok && planner_done(p, out, err);
}

bool rename_files(const struct index *x, enum obsidian_link_format format,
                  struct arena *a, const struct rename_move *moves, size_t n,
                  const struct stop *stop, struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    return move_all(&p, format, moves, n, out, err);
}

/* --- folders --- */

/* Whether path is below folder, which is folded, ignoring case. */
static bool is_below_folded(str path, str folded)
{
    struct arena scratch = {0};
    bool below = path_is_below(folded, utf8_fold(&scratch, path));
    arena_release(&scratch);
    return below;
}

bool rename_folder(const struct index *x, enum obsidian_link_format format,
                   struct arena *a, str from, str to, const struct stop *stop,
                   struct rename_plan *out, struct err *err)
{
    struct rename_move *moves = ARENA_ARRAY(a, struct rename_move, x->count);
    str folded = utf8_fold(a, to);
    size_t n = 0;
    if (from.n == 0 || to.n == 0)
        return err_set(err, ERR_INVALID, "the vault itself cannot be moved");
    if (path_is_below(from, to))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' cannot be moved into itself",
                       STR_ARG(from));
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = index_file(x, id);
        if (f == NULL)
            continue;
        if (path_is_below(from, f->path))
            moves[n++] = (struct rename_move){
                f->path, path_join(a, to, str_skip(f->path, from.n + 1))};
        else if (is_below_folded(f->path, folded))
            return err_named(err, E_FILE_EXISTS,
                             "the folder '" STR_FMT "' already exists", STR_ARG(to));
    }
    if (n == 0)
        return err_set(err, ERR_NOT_FOUND, "no such folder '" STR_FMT "', or it is empty",
                       STR_ARG(from));
    struct planner p = planner_on(x, a, stop);
    p.folder = from;
    p.folder_to = to;
    return move_all(&p, format, moves, n, out, err);
}
