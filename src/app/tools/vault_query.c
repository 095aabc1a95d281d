#include "app/answers/dataview.h"
#include "app/answers/properties.h"
#include "app/answers/rows.h"
#include "app/answers/tabled.h"
#include "app/answers/tagged.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"

struct args {
    str where, base, view, this_path, dql;
    int from; /* enum select_from */
    struct mcp_strs select, sort;
    str group, folder;
    bool count;
    int64_t limit, offset, budget;
};

static const char *const sources[] = {"notes", "tasks", "properties", "tags", NULL};
enum { PROPERTIES = SELECT_TASKS + 1, TAGS }; /* the others are select_from */

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, where, MCP_STR, 0,
              "Over properties, tag, file.name .path .folder .ext .size .modified .links "
              ".backlinks[.length] .headings, task.text .status .done .due .priority "
              ".blocked .heading; "
              "with = != < > "
              "contains startswith matches, in (a, b), exists, is empty, and, or, not; "
              "dates as today - 7d"),
    MCP_FIELD(struct args, from, MCP_ENUM, MCP_TERSE, "What to look for",
              .dflt = "\"notes\"", .choices = sources),
    MCP_FIELD(struct args, select, MCP_STRS, 0, "Fields to return"),
    MCP_FIELD(struct args, sort, MCP_STRS, 0, "Fields; \"-due\": latest first"),
    MCP_FIELD(struct args, group, MCP_STR, 0, "Field: count of each value"),
    MCP_FIELD(struct args, count, MCP_BOOL, MCP_TERSE, "Only the count", .dflt = "false"),
    MCP_FIELD(struct args, folder, MCP_STR, MCP_TERSE, "Below this folder"),
    MCP_FIELD(struct args, base, MCP_STR, 0,
              "Instead run this .base, base block (\"Note#Heading\") or base YAML; this: "
              "its note"),
    MCP_FIELD(struct args, view, MCP_STR, MCP_TERSE, "View of the base; else its first"),
    MCP_FIELD_AS(struct args, this_path, "this", MCP_STR, MCP_TERSE,
                 "Note that `this` means"),
    MCP_FIELD(struct args, dql, MCP_STR, 0, "Dataview query, or a note with one"),
    TOOL_PAGE_FIELDS(struct args),
    {0},
};

/* Whether anything is chosen that a base or a query of Dataview says itself. */
static bool has_filters(const struct args *in)
{
    return in->where.n > 0 || in->select.n > 0 || in->sort.n > 0 || in->group.n > 0 ||
           in->folder.n > 0 || in->from != SELECT_NOTES;
}

/* Of a catalogue, only a page can be chosen, of properties the folder, of tags a filter. */
static bool is_catalogue(const struct args *in, struct err *err)
{
    if ((in->where.n == 0 || in->from == TAGS) && in->select.n == 0 && in->sort.n == 0 &&
        in->group.n == 0 && (in->folder.n == 0 || in->from == PROPERTIES))
        return true;
    if (in->from == TAGS) {
        err_set(err, ERR_INVALID,
                "from tags takes only where (over name, notes, with_nested), limit "
                "and offset");
        return err_hint(err, "for the tags of notes use group: tag");
    }
    return err_set(err, ERR_INVALID,
                   "from properties takes only folder, limit and offset; to count "
                   "the values of one property use group without from");
}

static bool list_properties(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    struct properties_listed all = {.offset = (size_t)in->offset,
                                    .limit = (size_t)in->limit};
    struct stop stop = tool_stopping(call);
    return properties_list(tool_vault(call), x, call->arena, in->folder, &stop, &all,
                           err) &&
           tool_answer(call, &properties_shape, &all, in->budget);
}

static bool list_tags(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    struct tags_listed all;
    struct stop stop = tool_stopping(call);
    if (in->where.n == 0)
        tags_list(x, call->arena, false, (size_t)in->offset, (size_t)in->limit, &all);
    else if (!tags_list_where(x, call->arena, in->where, &stop, (size_t)in->offset,
                              (size_t)in->limit, &all, err))
        return false;
    return tool_answer(call, &tags_shape, &all, in->budget);
}

static bool show_base(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    const struct base_request request = {
        .base = in->base, .view = in->view, .this_path = in->this_path};
    struct stop stop = tool_stopping(call);
    struct tabled t;
    return tabled_find(tool_vault(call), x, call->arena, &request, (size_t)in->offset,
                       (size_t)in->limit, &stop, &t, err) &&
           tool_answer(call, &tabled_shape, &t, in->budget);
}

static bool show_dataview(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    struct stop stop = tool_stopping(call);
    struct dataview found;
    struct dataview_request request = {.query = in->dql,
                                       .this_path = in->this_path,
                                       .offset = (size_t)in->offset,
                                       .limit = (size_t)in->limit,
                                       .stop = &stop};
    return dataview_find(x, call->arena, &request, &found, err) &&
           tool_answer(call, &dataview_shape, &found, in->budget);
}

static bool select_rows(struct mcp_call *call, const struct index *x, struct err *err)
{
    const struct args *in = call->args;
    struct stop stop = tool_stopping(call);
    struct select s = {
        .from = (enum select_from)in->from,
        .where = in->where,
        .folder = in->folder,
        .columns = in->select.items,
        .n_columns = in->select.n,
        .order = rows_order(call->arena, in->sort.items, in->sort.n),
        .n_order = in->sort.n,
        .group = in->group,
        .count_only = in->count,
        .offset = (size_t)in->offset,
        .limit = (size_t)in->limit,
        .stop = &stop,
    };
    struct rows rows;
    return rows_find(tool_vault(call), x, call->arena, &s, &rows, err) &&
           tool_answer(call, &rows_shape, &rows, in->budget);
}

/* Whether the arguments make sense without a base and a query of Dataview. */
static bool is_complete(const struct args *in, struct err *err)
{
    bool others = has_filters(in) || in->count;
    if (in->base.p != NULL && !others)
        return err_named(err, E_INVALID_ARGUMENT,
                         "base is empty: pass the path of a .base file, a note with a "
                         "base block, or the YAML of a base");
    if (in->dql.p != NULL && !others)
        return err_named(err, E_INVALID_ARGUMENT,
                         "dql is empty: pass a query that begins with LIST, TABLE or "
                         "TASK, or a note with a dataview block");
    if (in->view.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "view needs base: the path of a .base file");
    return in->this_path.n == 0 ||
           err_named(err, E_INVALID_ARGUMENT, "this needs base or dql");
}

/* What answers the call, if its arguments go together; or NULL. */
static tool_question *reader_of(const struct args *in, struct err *err)
{
    if (in->base.n > 0 && (has_filters(in) || in->count))
        err_named(err, E_INVALID_ARGUMENT,
                  "a base has its own filters, columns, order and groups: use only "
                  "view, this, limit and offset with it");
    else if (in->base.n > 0)
        return show_base;
    else if (in->dql.n > 0 && has_filters(in))
        err_named(err, E_INVALID_ARGUMENT,
                  "dql has its own FROM, WHERE, SORT and GROUP BY: use only this, "
                  "limit and offset with it");
    else if (in->dql.n > 0)
        return show_dataview;
    else if (!is_complete(in, err))
        return NULL;
    else if (in->from == PROPERTIES || in->from == TAGS)
        return !is_catalogue(in, err)   ? NULL
               : in->from == PROPERTIES ? list_properties
                                        : list_tags;
    else
        return select_rows;
    return NULL;
}

static bool vault_query_run(struct mcp_call *call, struct err *err)
{
    tool_question *read = reader_of(call->args, err);
    return read != NULL && tool_with_index(call, read, err);
}

const struct mcp_tool tool_vault_query = {
    .name = "vault_query",
    .title = "Query",
    .about = "Notes or tasks by properties, tags, dates, links: filter, sort, group, "
             "count. E.g. where: status = active and due < today + 7d. Or all properties "
             "or tags in use.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_query_run,
};
