#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "vault/ask/mentions.h"
#include "vault/change/link.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/names.h"

enum { LINE_MAX_BYTES = 300, SOURCES_MAX = 10, NEAR_MAX = 100000 };

struct args {
    str path;
    int direction;
    int64_t depth;
    str to;
    int64_t limit, offset, budget;
};

static const char *const directions[] = {"outgoing",   "backlinks", "both",
                                         "neighbours", "path",      "unresolved",
                                         "orphans",    "mentions",  NULL};
enum direction {
    OUTGOING,
    BACKLINKS,
    BOTH,
    NEIGHBOURS,
    WAY,
    UNRESOLVED,
    ORPHANS,
    MENTIONS
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Note; not for unresolved, orphans"),
    MCP_FIELD(
        struct args, direction, MCP_ENUM, 0,
        "neighbours: up to depth links away. path: a shortest way to `to`. unresolved: "
        "to nothing. orphans: without links. mentions: its name, not linked",
        .dflt = "\"both\"", .choices = directions),
    MCP_FIELD(struct args, depth, MCP_INT, 0, "Of neighbours", .dflt = "1", .min = 1,
              .max = 20),
    MCP_FIELD(struct args, to, MCP_STR, 0, "Of path: the other note"),
    KIT_PAGE_FIELDS(struct args),
    {0},
};

struct job {
    struct mcp_call *call;
    const struct args *in;
    const struct index *x;
    const struct file *file; /* NULL: the whole vault is asked for */
    struct kit_page page;
    bool partial;
};

static str vault_links_path_of(const struct job *j, file_id id)
{
    return names_path(j->x->names, id);
}

static file_id target_of(const struct job *j, const struct file *f,
                         const struct file_link *l)
{
    struct names_answer answer;
    names_resolve(j->x->names, NULL, l->path, f->path, f->id, &answer);
    return answer.file;
}

/* In the list of both it is said which is which. */
static void put_kind(struct job *j, const char *kind)
{
    if (j->in->direction == BOTH)
        jsonw_put_str(j->call->out, STR("direction"), str_c(kind));
}

/* --- of a note --- */

static void list_outgoing(struct job *j, bool only_unresolved)
{
    struct file_link *links;
    size_t n = file_links(j->call->arena, j->file, &links);
    for (size_t i = 0; i < n; i++) {
        file_id target = target_of(j, j->file, &links[i]);
        if ((only_unresolved && target != NO_FILE) || !kit_page_takes(&j->page))
            continue;
        jsonw_object(j->call->out);
        put_kind(j, "outgoing");
        put_link(j->call->out, j->x->names, &links[i], target);
        if (target == NO_FILE)
            jsonw_put_bool(j->call->out, STR("resolved"), false);
        jsonw_end(j->call->out);
    }
}

static void put_backlink(struct job *j, const struct file *source,
                         const struct file_link *l)
{
    struct jsonw *out = j->call->out;
    str line = utf8_cut(link_line(source, l), LINE_MAX_BYTES);
    jsonw_object(out);
    put_kind(j, "backlink");
    jsonw_put_str(out, STR("path"), source->path);
    if (l->line > 0)
        jsonw_put_int(out, STR("line"), l->line);
    if (line.n > 0)
        jsonw_put_str(out, STR("text"), line);
    if (l->subpath.n > 0)
        jsonw_put_str(out, STR("subpath"), l->subpath);
    if (l->embed)
        jsonw_put_bool(out, STR("embed"), true);
    jsonw_end(out);
}

/* The links of a source are looked at only when some are on the page. */
static void list_backlinks(struct job *j)
{
    struct link_source *sources;
    size_t n = link_sources(j->x, j->call->arena, j->file->id, &sources);
    for (size_t i = 0; i < n; i++) {
        struct file_link *links;
        if (kit_page_skips(&j->page, sources[i].links))
            continue;
        size_t n_links =
            link_find(j->x, j->call->arena, sources[i].file, j->file->id, &links);
        for (size_t k = 0; k < n_links; k++)
            if (kit_page_takes(&j->page))
                put_backlink(j, sources[i].file, &links[k]);
    }
}

/* {"path": …, what: number} */
static void put_place(struct job *j, file_id id, const char *what, int64_t number)
{
    if (!kit_page_takes(&j->page))
        return;
    jsonw_object(j->call->out);
    jsonw_put_str(j->call->out, STR("path"), vault_links_path_of(j, id));
    jsonw_put_int(j->call->out, str_c(what), number);
    jsonw_end(j->call->out);
}

static void list_neighbours(struct job *j)
{
    struct graph_near *near;
    size_t n = graph_neighbours(j->x->graph, j->call->arena, j->file->id, GRAPH_BOTH,
                                (uint32_t)j->in->depth, NEAR_MAX, &near);
    j->partial = n == NEAR_MAX;
    for (size_t i = 0; i < n; i++)
        put_place(j, near[i].file, "distance", near[i].distance);
}

static void list_way(struct job *j, const struct file *to)
{
    file_id *way;
    size_t n =
        graph_path(j->x->graph, j->call->arena, j->file->id, to->id, GRAPH_BOTH, &way);
    for (size_t i = 0; i < n; i++)
        put_place(j, way[i], "step", (int64_t)i);
}

static void list_mentions(struct job *j)
{
    enum { DEADLINE_MS = 5000 };
    struct mentions m;
    struct mentions_limits limits = {
        .max = j->page.offset + j->page.limit,
        .deadline_ns = clock_ns() + DEADLINE_MS * 1000000ULL,
        .stop = kit_stop,
        .arg = j->call,
    };
    mentions_of(j->x, j->call->arena, j->file->id, &limits, &m);
    for (size_t i = 0; i < m.n; i++) {
        if (!kit_page_takes(&j->page))
            continue;
        jsonw_object(j->call->out);
        jsonw_put_str(j->call->out, STR("path"),
                      vault_links_path_of(j, m.items[i].source));
        jsonw_put_int(j->call->out, STR("line"), m.items[i].line);
        jsonw_put_str(j->call->out, STR("snippet"), m.items[i].snippet);
        jsonw_end(j->call->out);
    }
    j->page.total = m.total;
    j->partial = m.partial;
}

/* --- of the vault --- */

static void put_missing(struct job *j, const struct graph_missing *m)
{
    struct jsonw *out = j->call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("link"), m->path);
    jsonw_put_int(out, STR("links"), m->count);
    jsonw_put_array(out, STR("sources"));
    for (size_t i = 0; i < m->n_sources && i < SOURCES_MAX; i++)
        jsonw_str(out, vault_links_path_of(j, m->sources[i]));
    jsonw_end(out);
    if (m->n_sources > SOURCES_MAX)
        jsonw_put_int(out, STR("total_sources"), (int64_t)m->n_sources);
    jsonw_end(out);
}

static void list_unresolved(struct job *j)
{
    struct graph_missing *missing;
    size_t n = graph_unresolved(j->x->graph, j->call->arena, &missing);
    for (size_t i = 0; i < n; i++)
        if (kit_page_takes(&j->page))
            put_missing(j, &missing[i]);
}

static int vault_links_by_path(const void *a, const void *b)
{
    return str_cmp((*(const struct file *const *)a)->path,
                   (*(const struct file *const *)b)->path);
}

static void list_orphans(struct job *j)
{
    file_id *ids;
    size_t n = graph_orphans(j->x->graph, j->call->arena, &ids), kept = 0;
    const struct file **files = ARENA_ARRAY(j->call->arena, const struct file *, n);
    for (size_t i = 0; i < n; i++)
        if (!index_file(j->x, ids[i])->excluded)
            files[kept++] = index_file(j->x, ids[i]);
    if (kept > 1)
        qsort(files, kept, sizeof(*files), vault_links_by_path);
    for (size_t i = 0; i < kept; i++) {
        if (!kit_page_takes(&j->page))
            continue;
        jsonw_object(j->call->out);
        jsonw_put_str(j->call->out, STR("path"), files[i]->path);
        jsonw_end(j->call->out);
    }
}

/* --- the answer --- */

static void vault_links_list(struct job *j, const struct file *to)
{
    switch ((enum direction)j->in->direction) {
    case OUTGOING:
        list_outgoing(j, false);
        break;
    case BOTH:
        list_outgoing(j, false);
        list_backlinks(j);
        break;
    case BACKLINKS:
        list_backlinks(j);
        break;
    case NEIGHBOURS:
        list_neighbours(j);
        break;
    case WAY:
        list_way(j, to);
        break;
    case MENTIONS:
        list_mentions(j);
        break;
    case ORPHANS:
        list_orphans(j);
        break;
    case UNRESOLVED:
        if (j->file != NULL)
            list_outgoing(j, true);
        else
            list_unresolved(j);
        break;
    }
}

static bool find_notes(struct job *j, const struct file **to, struct err *err)
{
    const struct args *in = j->in;
    bool of_vault = in->direction == ORPHANS || in->direction == UNRESOLVED;
    if (in->path.n == 0 && !of_vault)
        return err_set(err, ERR_INVALID,
                       "path is missing: say which note, or ask for direction "
                       "unresolved or orphans");
    if (in->path.n > 0 && in->direction != ORPHANS &&
        !kit_find(j->call, j->x, in->path, &j->file, err))
        return false;
    if (in->direction != WAY)
        return true;
    if (in->to.n == 0)
        return err_set(err, ERR_INVALID, "to is missing: the note where the path ends");
    return kit_find(j->call, j->x, in->to, to, err);
}

static bool vault_links_put_answer(struct job *j, struct err *err)
{
    struct jsonw *out = j->call->out;
    const struct file *to = NULL;
    if (!find_notes(j, &to, err))
        return false;
    jsonw_object(out);
    if (j->file != NULL)
        jsonw_put_str(out, STR("path"), j->file->path);
    jsonw_put_array(out, STR("links"));
    vault_links_list(j, to);
    kit_page_done(&j->page);
    jsonw_end(out);
    jsonw_put_int(out, STR("total"), (int64_t)j->page.total);
    if (j->partial)
        jsonw_put_bool(out, STR("partial"), true);
    kit_put_next(out, j->page.end, j->page.total);
    if (j->in->direction == WAY && j->page.total == 0)
        jsonw_put_str(out, STR("note"), STR("No links lead from one to the other."));
    jsonw_end(out);
    return true;
}

static bool vault_links_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct job j = {.call = call,
                    .in = in,
                    .x = kit_hold(call, err),
                    .page = kit_page(call, in->offset, in->limit, in->budget)};
    if (j.x == NULL)
        return false;
    bool ok = vault_links_put_answer(&j, err);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_vault_links = {
    .name = "vault_links",
    .title = "Links",
    .about = "Links from and to a note, with lines; or notes "
             "around it, a path between two, broken links, orphans, unlinked mentions.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .ui = KIT_VIEW_URI,
    .run = vault_links_run,
};
