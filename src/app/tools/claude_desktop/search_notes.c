#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/claude_desktop/notes.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

enum { FOUND_MAX = 100 };

enum mode { BY_NAME, BY_PART_OF_NAME, BY_CONTENT, BY_TAG, ANYHOW = -1 };

struct args {
    str query;
    int mode; /* enum mode */
};

static const char *const modes[] = {"name", "name_partial", "content", "tag", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED, "What to look for"),
    MCP_FIELD(struct args, mode, MCP_ENUM, 0,
              "name: the whole name. name_partial: a part of it. content: text. tag: "
              "with or without #, nested tags included. Omitted: names, tags and text",
              .choices = modes),
    {0},
};

/* Each note once. */
struct found_notes {
    struct mcp_call *call;
    struct {
        const struct file *file;
        const struct search_hit *hit; /* or NULL: by name or tag */
    } notes[FOUND_MAX];
    size_t n, total;
};

static void search_notes_add(struct found_notes *f, const struct file *file,
                             const struct search_hit *hit)
{
    if (f->total++ >= FOUND_MAX)
        return;
    f->notes[f->n].file = file;
    f->notes[f->n++].hit = hit;
}

static void search_notes_put(struct answer_out *out, const void *result, size_t i)
{
    const struct file *file = ((const struct found_notes *)result)->notes[i].file;
    const struct search_hit *hit = ((const struct found_notes *)result)->notes[i].hit;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), file_title(file->path));
    jsonw_put_str(out->w, STR("path"), file->path);
    if (hit != NULL && hit->where != SEARCH_FILENAME) {
        jsonw_put_int(out->w, STR("line"), hit->line);
        jsonw_put_str(out->w, STR("snippet"), hit->snippet);
    }
    jsonw_end(out->w);
}

static void search_notes_json(struct answer_out *out, const void *result)
{
    const struct found_notes *f = result;
    jsonw_object(out->w);
    answer_items(out, STR("results"), f, f->n, search_notes_put);
    jsonw_put_int(out->w, STR("total"), (int64_t)f->total);
    if (f->total > f->n)
        jsonw_put_str(out->w, STR("note"),
                      STR("Not all results are shown: use a more specific query."));
    jsonw_end(out->w);
}

static const struct answer_shape search_notes_shape = {.json = search_notes_json};

/* --- by name and tag --- */

static void find_names(struct found_notes *f, const struct index *x, str query,
                       bool whole)
{
    struct arena *a = f->call->arena, scratch = {0};
    const struct file **files;
    size_t n = index_sorted(x, a, &files);
    query = utf8_fold(a, str_trim_line(query));
    if (str_ends(query, STR(".md")))
        query = str_slice(query, 0, query.n - 3);
    for (size_t i = 0; i < n; i++) {
        if (files[i]->kind != FILE_NOTE || files[i]->excluded)
            continue;
        arena_reset(&scratch);
        str name = utf8_fold(&scratch, file_title(files[i]->path));
        if (whole ? str_eq(name, query) : str_find(name, query) != STR_NONE)
            search_notes_add(f, files[i], NULL);
    }
    arena_release(&scratch);
}

static void find_tagged(struct found_notes *f, const struct index *x, str tag)
{
    const struct file **files;
    tag = str_trim_line(tag);
    size_t n =
        index_tagged(x, f->call->arena, str_skip(tag, str_starts(tag, STR("#"))), &files);
    for (size_t i = 0; i < n; i++)
        search_notes_add(f, files[i], NULL);
}

/* --- by text --- */

static bool is_before(const struct search_hit *hits, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (hits[k].file == hits[i].file)
            return true;
    return false;
}

static bool search_notes_find_text(struct found_notes *f, const struct index *x,
                                   str query, bool lines_only, struct err *err)
{
    static const str notes = STR("*.md");
    struct search s = {.mode = SEARCH_TEXT,
                       .query = query,
                       .lines_only = lines_only,
                       .globs = &notes,
                       .n_globs = 1,
                       .limit = SEARCH_LIMIT_MAX,
                       .per_file = 1};
    struct hits hits;
    if (!tool_hits(f->call, x, &s, &hits, err))
        return false;
    for (size_t i = 0; i < hits.found.n; i++)
        if (!is_before(hits.found.hits, i))
            search_notes_add(f, hits.found.hits[i].file, &hits.found.hits[i]);
    if (hits.found.files > f->total)
        f->total = hits.found.files;
    return true;
}

static bool search_notes_find(struct found_notes *f, const struct index *x,
                              const struct args *in, struct err *err)
{
    switch ((enum mode)in->mode) {
    case BY_NAME:
    case BY_PART_OF_NAME:
        find_names(f, x, in->query, in->mode == BY_NAME);
        return true;
    case BY_TAG:
        find_tagged(f, x, in->query);
        return true;
    case BY_CONTENT:
    case ANYHOW:
        break;
    }
    return search_notes_find_text(f, x, in->query, in->mode == BY_CONTENT, err);
}

static bool search_notes_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct found_notes *f = ARENA_NEW(call->arena, struct found_notes);
    f->call = call;
    if (str_trim_line(in->query).n == 0)
        return err_set(err, ERR_INVALID, "query is empty");
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = search_notes_find(f, x, in, err) &&
              tool_answer(call, &search_notes_shape, f, TOOL_NO_BUDGET);
    tool_unlock(call);
    return ok;
}

const struct mcp_tool tool_search_notes = {
    .name = "search_notes",
    .title = "Search",
    .about = "Find notes by name, text or tag.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = search_notes_run,
};
