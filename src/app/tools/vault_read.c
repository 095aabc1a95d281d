#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/history.h"
#include "app/tools/reading.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/ask/select_value.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/note.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

enum {
    IMAGE_MAX = 1 << 20, /* bytes of a picture that is sent */
    PATHS_MAX = 100,
    REST = 300, /* bytes of an answer besides the content, its note included */
};

enum view { VIEW_TEXT, VIEW_OUTLINE, VIEW_FRONTMATTER, VIEW_LINKS };

struct args {
    str path;
    struct mcp_strs paths;
    int64_t offset, limit;
    str section, block;
    int view; /* enum view */
    int64_t budget;
    str at, diff_from; /* commits or dates */
};

static const char *const views[] = {"text", "outline", "frontmatter", "links", NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\", or a note's name"),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "First line, from 1", .dflt = "1"),
    MCP_FIELD(struct args, limit, MCP_INT, 0,
              "Lines; 0: all. Omitted: long files are cut"),
    MCP_FIELD(struct args, section, MCP_STR, 0,
              "Heading: \"Plan\" or \"Plan#Next steps\""),
    MCP_FIELD(struct args, block, MCP_STR, 0, "Block with this ^id"),
    MCP_FIELD(struct args, view, MCP_ENUM, 0,
              "outline: headings. frontmatter: properties. links: outgoing",
              .dflt = "\"text\"", .choices = views),
    MCP_FIELD(struct args, paths, MCP_STRS, 0, "More files"),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_TACIT, "Most tokens", .min = 100,
              .max = KIT_BUDGET_MAX),
    MCP_FIELD(struct args, at, MCP_STR, KIT_HISTORY, "As it was: commit or date"),
    MCP_FIELD(struct args, diff_from, MCP_STR, KIT_HISTORY,
              "Diff from then to at, or now"),
    {0},
};

static int64_t budget_of(const struct args *in)
{
    return in->budget == MCP_ABSENT ? KIT_BUDGET : in->budget;
}

/* --- finding --- */

/* Whether the index has it: who reads it then looks at the disk anyway. */
static bool is_indexed(struct mcp_call *call, str path)
{
    struct vault *v = kit_vault(call);
    if (!vault_progress(v).ready)
        return false;
    bool found = index_find(vault_hold(v), path) != NULL;
    vault_let_go(v);
    return found;
}

/* A path that is there, or what find_file() makes of it. */
static bool find_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct fs_info info;
    const struct file *f;
    if (!path_clean(call->arena, word, path, err))
        return false;
    if (is_indexed(call, *path))
        return true;
    bool there = vault_stat(kit_vault(call), *path, &info, err);
    if (there ? info.type == FS_FILE : err->code != ERR_NOT_FOUND)
        return there;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool found = kit_find(call, x, word, &f, err);
    if (found)
        *path = arena_str(call->arena, f->path);
    kit_let_go(call);
    return found || there; /* a folder: who reads it says so */
}

/* What is to be read of the history need not be there now. */
static bool find_past(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct err now;
    return find_path(call, word, path, &now) || path_clean(call->arena, word, path, err);
}

/* --- writing --- */

static void vault_read_put_text(struct mcp_call *call, const struct reading *r)
{
    struct jsonw *out = call->out;
    jsonw_put_int(out, STR("total_lines"), (int64_t)r->part.total_lines);
    jsonw_put_array(out, STR("showing"));
    jsonw_int(out, (int64_t)r->part.first);
    jsonw_int(out, (int64_t)r->part.last);
    jsonw_end(out);
    jsonw_put_str(out, STR("content"), r->part.content);
    if (r->next > 0)
        kit_put_next(out, r->next, SIZE_MAX);
    else if (r->truncated)
        jsonw_put_bool(out, STR("truncated"), true);
    if (r->cut_line)
        jsonw_put_str(
            out, STR("note"),
            STR("The line is longer than the budget and is cut: limit 1 without "
                "budget shows all of it."));
}

static void put_outline(struct mcp_call *call, const struct args *in,
                        const struct reading *r)
{
    struct note note;
    struct jsonw *out = call->out;
    uint32_t i = 0;
    note_scan(call->arena, r->text, &note);
    while (i < note.n_headings && note.headings[i].line < in->offset)
        i++;
    jsonw_put_int(out, STR("total_lines"), note.lines);
    jsonw_put_array(out, STR("headings"));
    for (uint32_t first = i; i < note.n_headings; i++) {
        struct kit_mark mark = kit_mark(call);
        put_heading(out, r->text, &note.headings[i]);
        if (i > first && !kit_keep(call, &mark, budget_of(in)))
            break;
    }
    jsonw_end(out);
    if (i < note.n_headings)
        kit_put_next(out, note.headings[i].line, SIZE_MAX);
}

static void put_frontmatter(struct mcp_call *call, const struct args *in,
                            const struct index *x, const struct file *f)
{
    struct jsonw *out = call->out;
    struct value_reader reader = {call->arena, x->names, f->path, f->id, 0};
    const struct prop *p = f->props != NULL ? f->props->child : NULL;
    jsonw_put_object(out, STR("frontmatter"));
    for (; p != NULL; p = p->next) {
        struct kit_mark mark = kit_mark(call);
        struct value v = value_of_prop(&reader, p);
        jsonw_key(out, p->key);
        value_json(out, &v);
        if (!kit_keep(call, &mark, budget_of(in)))
            break;
    }
    jsonw_end(out);
    if (p != NULL)
        kit_put_read_on(out, f->path, 1);
    if (f->problem.n > 0)
        jsonw_put_str(out, STR("problem"), f->problem);
}

static void vault_read_put_links(struct mcp_call *call, const struct args *in,
                                 const struct index *x, const struct file *f)
{
    struct jsonw *out = call->out;
    struct file_link *links;
    size_t n = file_links(call->arena, f, &links), i = 0;
    jsonw_put_int(out, STR("total_links"), (int64_t)n);
    jsonw_put_array(out, STR("links"));
    for (; i < n; i++) {
        struct kit_mark mark = kit_mark(call);
        struct names_answer answer;
        names_resolve(x->names, NULL, links[i].path, f->path, f->id, &answer);
        jsonw_object(out);
        put_link(out, &links[i],
                 answer.file != NO_FILE ? index_file(x, answer.file) : NULL);
        jsonw_end(out);
        if (i > 0 && !kit_keep(call, &mark, budget_of(in)))
            break;
    }
    jsonw_end(out);
    if (i == n)
        return;
    jsonw_put_bool(out, STR("truncated"), true);
    jsonw_put_object(out, STR("next"));
    jsonw_put_str(out, STR("tool"), STR("vault_links"));
    jsonw_put_str(out, STR("path"), f->path);
    jsonw_put_str(out, STR("direction"), STR("outgoing"));
    jsonw_put_int(out, STR("offset"), (int64_t)i);
    jsonw_end(out);
}

/* What only the index knows of a file. */
static bool put_from_index(struct mcp_call *call, const struct args *in,
                           const struct reading *r, struct err *err)
{
    struct jsonw *out = call->out;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    const struct file *f = index_find(x, r->path);
    bool known = f != NULL && !f->unread;
    if (known && in->view == VIEW_FRONTMATTER)
        put_frontmatter(call, in, x, f);
    else if (known)
        vault_read_put_links(call, in, x, f);
    else
        jsonw_put_str(out, STR("problem"),
                      STR("Not in the index: only its text is known"));
    kit_let_go(call);
    return true;
}

/* --- one file and several --- */

static bool read_text(struct mcp_call *call, const struct args *in, str word,
                      struct reading *r, struct err *err)
{
    struct app *app = app_of(call);
    struct vault_text whole;
    struct reading_wish wish = {
        .section = in->section,
        .block = in->block,
        .first = (size_t)in->offset,
        .limit = (size_t)(in->limit == MCP_ABSENT ? app->settings.read_lines : in->limit),
        .by_default = in->limit == MCP_ABSENT,
    };
    if (in->at.n > 0) {
        if (!find_past(call, word, &r->path, err) ||
            !history_text(call, r->path, in->at, &r->text, &r->commit, err))
            return false;
    } else {
        if (!find_path(call, word, &r->path, err) ||
            !vault_read(kit_vault(call), call->arena, r->path, 1, 0, &whole, err))
            return false;
        r->text = whole.content;
    }
    if (in->view == VIEW_TEXT)
        return reading_cut(r, call->arena, &wish, err);
    hidden_find(r->text, 1, 0, &r->hidden);
    return true;
}

static bool put_reading(struct mcp_call *call, const struct args *in,
                        const struct reading *r, struct err *err)
{
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), r->path);
    if (in->view == VIEW_TEXT)
        vault_read_put_text(call, r);
    else if (in->view == VIEW_OUTLINE)
        put_outline(call, in, r);
    else if (!put_from_index(call, in, r, err))
        return false;
    put_hidden_warning(out, &r->hidden);
    if (r->commit.n > 0)
        jsonw_put_str(out, STR("commit"), r->commit);
    else
        jsonw_put_str(out, STR("etag"), draft_etag(call->arena, hash_content(r->text)));
    jsonw_end(out);
    return true;
}

static size_t room_left(const struct mcp_call *call, int64_t budget)
{
    size_t all = (size_t)budget * KIT_TOKEN_BYTES, used = call->out->out->n + REST;
    return used < all ? all - used : 0;
}

static void put_failure(struct mcp_call *call, str word, const struct err *why)
{
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), word);
    jsonw_put_str(call->out, STR("error"), err_text(call->arena, why));
    jsonw_end(call->out);
}

/* What the names of files take that are left for another call. */
static size_t names_size(const str *words, size_t n)
{
    enum { AROUND = 3 }; /* quotes and comma */
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += words[i].n + AROUND;
    return size;
}

/*
 * Files from *at on until the budget is used up. One that cannot be read does not spoil
 * the others; one of which not even a line fits is left for another call.
 */
static bool put_many(struct mcp_call *call, const struct args *in, const str *words,
                     size_t n, size_t *at, struct err *err)
{
    for (; *at < n; ++*at) {
        struct reading r = {0};
        struct err why = {0};
        size_t room = room_left(call, budget_of(in));
        size_t names = names_size(words + *at, n - *at);
        room = room > names ? room - names : 0;
        if (*at > 0 && room == 0)
            break;
        if (!read_text(call, in, words[*at], &r, &why)) {
            put_failure(call, words[*at], &why);
            continue;
        }
        if (in->view == VIEW_TEXT)
            reading_fit(&r, room);
        if (*at > 0 && r.cut_line)
            break;
        if (!put_reading(call, in, &r, err))
            return false;
    }
    return true;
}

static bool read_many(struct mcp_call *call, const struct args *in, struct err *err)
{
    struct jsonw *out = call->out;
    str *words = ARENA_ARRAY(call->arena, str, in->paths.n + 1);
    size_t n = 0, i = 0;
    if (in->paths.n > PATHS_MAX)
        return err_set(err, ERR_LIMIT, "paths: at most %d at once", PATHS_MAX);
    words[n++] = in->path;
    for (size_t k = 0; k < in->paths.n; k++)
        if (!str_eq(in->paths.items[k], in->path))
            words[n++] = in->paths.items[k];
    jsonw_object(out);
    jsonw_put_array(out, STR("files"));
    if (!put_many(call, in, words, n, &i, err))
        return false;
    jsonw_end(out);
    if (i < n) {
        jsonw_put_bool(out, STR("truncated"), true);
        jsonw_put_array(out, STR("not_read"));
        for (; i < n; i++)
            jsonw_str(out, words[i]);
        jsonw_end(out);
    }
    jsonw_end(out);
    return true;
}

/* --- what changed --- */

static bool put_diff(struct mcp_call *call, const struct args *in, struct err *err)
{
    str path, diff;
    size_t max = room_left(call, budget_of(in));
    if (!find_past(call, in->path, &path, err) ||
        !history_diff(call, path, in->diff_from, in->at, &diff, err))
        return false;
    str cut = utf8_cut(diff, max);
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), path);
    jsonw_put_str(call->out, STR("diff"), cut);
    if (cut.n < diff.n)
        jsonw_put_bool(call->out, STR("truncated"), true);
    jsonw_end(call->out);
    return true;
}

/* --- pictures --- */

struct image_kind {
    str magic;
    size_t at; /* bytes before the magic */
    str mime;
};

/* By what it holds: a client must not be sent something that only is called a picture. */
static const struct image_kind *image_kind(str bytes)
{
    static const struct image_kind kinds[] = {
        {STR("\x89PNG\r\n\x1a\n"), 0, STR("image/png")},
        {STR("\xff\xd8\xff"), 0, STR("image/jpeg")},
        {STR("GIF8"), 0, STR("image/gif")},
        {STR("WEBP"), 8, STR("image/webp")},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_starts(str_skip(bytes, kinds[i].at), kinds[i].magic))
            return &kinds[i];
    return NULL;
}

static bool is_image_name(str path)
{
    static const str extensions[] = {STR("png"), STR("jpg"), STR("jpeg"), STR("gif"),
                                     STR("webp")};
    for (size_t i = 0; i < COUNT_OF(extensions); i++)
        if (str_eq_nocase(path_extension(path), extensions[i]))
            return true;
    return false;
}

static bool put_image(struct mcp_call *call, str path, struct err *err)
{
    str bytes;
    if (!vault_bytes(kit_vault(call), call->arena, path, IMAGE_MAX, &bytes, err))
        return false;
    const struct image_kind *kind = image_kind(bytes);
    if (kind == NULL)
        return err_named(err, E_NOT_TEXT,
                         "'" STR_FMT "' is not a text file, and no picture either",
                         STR_ARG(path));
    mcp_image(call, bytes, kind->mime);
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), path);
    jsonw_put_int(call->out, STR("size"), (int64_t)bytes.n);
    jsonw_put_str(call->out, STR("mime_type"), kind->mime);
    jsonw_end(call->out);
    return true;
}

static bool check_range(const struct args *in, struct err *err)
{
    if (in->offset >= 1 && (in->limit >= 0 || in->limit == MCP_ABSENT))
        return true;
    return err_named(err, E_INVALID_RANGE, "%s counts from %d, got %lld",
                     in->offset < 1 ? "offset" : "limit", in->offset < 1,
                     (long long)(in->offset < 1 ? in->offset : in->limit));
}

static bool vault_read_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct reading r = {0};
    str path;
    if (!check_range(in, err))
        return false;
    if (in->at.n > 0 && (in->view == VIEW_FRONTMATTER || in->view == VIEW_LINKS))
        return err_set(err, ERR_INVALID,
                       "view %s is of the note as it is now: leave out at, or the view",
                       views[in->view]);
    if (in->diff_from.n > 0)
        return put_diff(call, in, err);
    if (in->paths.n > 0)
        return read_many(call, in, err);
    if (in->at.n > 0)
        path = in->path;
    else if (!find_path(call, in->path, &path, err))
        return false;
    if (is_image_name(path) && in->at.n == 0 && in->view == VIEW_TEXT)
        return put_image(call, path, err);
    if (!read_text(call, in, path, &r, err))
        return false;
    bool unbounded = in->limit != MCP_ABSENT && in->budget == MCP_ABSENT;
    if (in->view == VIEW_TEXT && !unbounded) /* all of so many lines was asked for */
        reading_fit(&r, room_left(call, budget_of(in)));
    return put_reading(call, in, &r, err);
}

const struct mcp_tool tool_vault_read = {
    .name = "vault_read",
    .title = "Read",
    .about = "A note or other text file, as stored, with an etag for if_match; or a "
             "section, block, outline, properties of it. Pictures come as images.",
    .flags = MCP_READ_ONLY | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_read_run,
};
