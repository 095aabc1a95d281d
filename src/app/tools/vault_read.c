#include "app/answers/read.h"
#include "app/answers/reading.h"
#include "app/setup/app.h"
#include "app/tool_support/tool_proposal.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/attachment.h"
#include "app/tools/commits.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "base/stop.h"
#include "mcp/call.h"
#include "vault/ask/find.h"
#include "vault/forms/canvas_map.h"
#include "vault/index/index.h"
#include "vault/note/edit.h"
#include "vault/text/hidden.h"
#include "vault/text/pages.h"
#include "vault/vault.h"

enum { PATHS_MAX = 100 };

struct args {
    str path;
    struct mcp_strs paths;
    int64_t offset, limit;
    str section, block;
    int view; /* enum read_view; -1: as fits the file */
    int64_t budget;
    str at, diff_from; /* commits or dates */
    str proposal;      /* as this one leaves it */
};

static const char *const views[] = {[READ_TEXT] = "text",
                                    [READ_OUTLINE] = "outline",
                                    [READ_FRONTMATTER] = "frontmatter",
                                    [READ_LINKS] = "links",
                                    [READ_IMAGE] = "image",
                                    [READ_FILE] = "file",
                                    NULL};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\", or a note's name"),
    MCP_FIELD(struct args, offset, MCP_INT, MCP_CLAMPED, "First line, from 1",
              .dflt = "1", .min = 1, .max = INT32_MAX),
    MCP_FIELD(struct args, limit, MCP_INT, MCP_CLAMPED,
              "Lines; 0: all. Omitted: long files are cut", .min = 0, .max = INT32_MAX),
    MCP_FIELD(struct args, section, MCP_STR, 0,
              "Heading: \"Plan\" or \"Plan#Next steps\"; of a PDF \"page=3-5\""),
    MCP_FIELD(struct args, block, MCP_STR, MCP_TERSE, "Block with this ^id"),
    MCP_FIELD(struct args, view, MCP_ENUM, 0,
              "Default: text; for a canvas outline (headings, nodes). frontmatter: "
              "properties. links: outgoing. image: a PDF's page; file: as it is",
              .choices = views),
    MCP_FIELD(struct args, paths, MCP_STRS, MCP_TERSE, "More files"),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",
              .min = 100, .max = TOOL_BUDGET_MAX),
    MCP_FIELD(struct args, at, MCP_STR, TOOL_HISTORY, "As it was: commit or date"),
    MCP_FIELD(struct args, diff_from, MCP_STR, TOOL_HISTORY,
              "Diff from then to at, or now"),
    MCP_FIELD(struct args, proposal, MCP_STR, MCP_UNLISTED, "As this proposal leaves it"),
    {0},
};

static int64_t budget_of(const struct args *in)
{
    return in->budget == MCP_ABSENT ? TOOL_BUDGET : in->budget;
}

/* The budget of one text: none for exactly the requested lines. */
static int64_t vault_read_room(const struct args *in)
{
    bool all =
        in->view <= READ_TEXT && in->limit != MCP_ABSENT && in->budget == MCP_ABSENT;
    return all ? TOOL_NO_BUDGET : budget_of(in);
}

static bool is_of_attachments(int view)
{
    return view == READ_IMAGE || view == READ_FILE;
}

/* --- finding --- */

/* Whether the index has the file; reading it looks at the disk anyway. */
static bool is_indexed(struct mcp_call *call, str path)
{
    struct vault *v = tool_vault(call);
    if (!vault_progress(v).ready)
        return false;
    bool found = index_find(vault_lock(v), path) != NULL;
    vault_unlock(v);
    return found;
}

/* A path that exists, or else the file that find_file() finds. */
static bool find_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct fs_info info;
    const struct file *f;
    if (!path_clean(call->arena, word, path, err))
        return false;
    if (is_indexed(call, *path))
        return find_check_slash(word, *path, err);
    bool there = vault_stat_spelled(tool_vault(call), call->arena, *path, &info, err);
    if (there ? info.type == FS_FILE : err->code != ERR_NOT_FOUND)
        return there;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool found = tool_find(call, x, word, &f, err);
    if (found)
        *path = arena_str(call->arena, f->path);
    tool_unlock(call);
    return found || there; /* a folder: reading it gives the right error */
}

/* "Plan#Goal", "Plan#^id", "Report.pdf#page=2", as links have it: what follows the # is the
 * section or block, unless the call has one. A file whose name has a # comes first. */
static bool vault_read_find_word(struct mcp_call *call, struct args *in, str word,
                                 str *path, struct err *err)
{
    size_t hash = str_find_char(word, '#');
    if (find_path(call, word, path, err))
        return true;
    struct err why;
    if (err->code != ERR_NOT_FOUND || hash == STR_NONE || hash == 0 ||
        in->section.n > 0 || in->block.n > 0 ||
        !find_path(call, str_slice(word, 0, hash), path, &why))
        return false;
    str sub = str_skip(word, hash + 1);
    if (str_starts(sub, STR("^")))
        in->block = str_skip(sub, 1);
    else
        in->section = sub;
    return true;
}

/* A file in the history need not exist now. */
static bool find_past(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct err now;
    return find_path(call, word, path, &now) || path_clean(call->arena, word, path, err);
}

/* --- one file --- */

/* Lines, a section or a block are parts of the text. */
static bool wants_text(const struct args *in)
{
    return in->view == READ_TEXT ||
           (in->view < 0 &&
            (in->limit != MCP_ABSENT || in->section.n > 0 || in->block.n > 0));
}

/* A canvas is read as its outline, unless it is broken: then its text is needed. */
static enum read_view view_of(struct mcp_call *call, const struct args *in,
                              const struct reading *r)
{
    struct canvas_map map;
    struct err broken;
    if (in->view >= 0)
        return (enum read_view)in->view;
    return !wants_text(in) && str_eq_nocase(path_extension(r->path), STR("canvas")) &&
                   canvas_map_read(call->arena, r->text, &map, &broken)
               ? READ_OUTLINE
               : READ_TEXT;
}

/* Remember what the client gets, as far as its budget goes. Returns true. */
static bool note_seen(struct mcp_call *call, const struct args *in,
                      const struct reading *r)
{
    bool all = in->limit != MCP_ABSENT && in->budget == MCP_ABSENT;
    size_t n = r->part.content.n, most = (size_t)budget_of(in) * TOOL_TOKEN_BYTES;
    size_t start = n > 0 ? (size_t)(r->part.content.p - r->text.p) : 0;
    if (in->at.n == 0 && in->proposal.n == 0)
        tool_proposals_note(call, r->path);
    if (in->at.n == 0 && in->proposal.n == 0 && !r->is_drawing)
        tool_saw(call, r->path, r->text,
                 (struct edit_range){start, start + (all || n < most ? n : most)});
    return true;
}

static struct reading_request vault_read_request(struct mcp_call *call,
                                                 const struct args *in)
{
    int64_t lines = app_of(call)->settings.read_lines;
    return (struct reading_request){
        .section = in->section,
        .block = in->block,
        .first = (size_t)in->offset,
        .limit = (size_t)(in->limit == MCP_ABSENT ? lines : in->limit),
        .by_default = in->limit == MCP_ABSENT,
        .no_drawing = !wants_text(in),
    };
}

/* A file as one of the caller's proposals leaves it. */
static bool read_proposed(struct mcp_call *call, const struct args *in, struct reading *r,
                          struct err *err)
{
    struct proposed it;
    bool exists;
    str bytes;
    if (!tool_proposal_find(call, in->proposal, &it, err))
        return false;
    if (!tool_proposal_text(&it, r->path, &exists, &bytes))
        return reading_load(r, tool_vault(call), call->arena, err);
    if (!exists)
        return err_named(err, E_FILE_NOT_FOUND, "the proposal deletes '" STR_FMT "'",
                         STR_ARG(r->path));
    reading_convert(r, call->arena, bytes);
    return true;
}

static bool vault_read_text(struct mcp_call *call, struct args *in, str word,
                            struct read_file *f, struct err *err)
{
    struct reading *r = &f->text;
    str past;
    if (in->at.n > 0) {
        if (!find_past(call, word, &r->path, err) ||
            !commits_text(call, r->path, in->at, &past, &r->commit, err))
            return false;
        reading_convert(r, call->arena, past);
    } else if (in->proposal.n > 0) {
        if (!find_past(call, word, &r->path, err) || !read_proposed(call, in, r, err))
            return false;
    } else if (!vault_read_find_word(call, in, word, &r->path, err) ||
               !reading_load(r, tool_vault(call), call->arena, err)) {
        return false;
    }
    struct reading_request request = vault_read_request(call, in);
    f->view = view_of(call, in, r);
    if (in->view != READ_TEXT)
        reading_draw(r, call->arena);
    if (!wants_text(in) && f->view == READ_TEXT)
        f->note = read_board_note(call->arena, r->path, r->text);
    if (f->view == READ_TEXT)
        return reading_cut(r, call->arena, &request, err) && note_seen(call, in, r);
    struct edit_range section;
    f->section = f->view == READ_OUTLINE ? in->section : (str){0};
    if (f->section.n > 0 &&
        !edit_find_section(call->arena, r->text, f->section, &section, err))
        return false;
    hidden_find_read(r->text, 1, 0, &r->hidden);
    return true;
}

/* For views that need the index, it is held until the file is closed. */
static bool open_text(struct mcp_call *call, struct args *in, str word,
                      struct read_file *out, struct err *err)
{
    if (is_of_attachments(in->view))
        return err_set(err, ERR_INVALID,
                       "view %s shows pictures and PDF files, and '" STR_FMT "' is text: "
                       "leave out view",
                       views[in->view], STR_ARG(word));
    *out = (struct read_file){.arena = call->arena, .first = (size_t)in->offset};
    if (!vault_read_text(call, in, word, out, err))
        return false;
    if (out->view != READ_FRONTMATTER && out->view != READ_LINKS)
        return true;
    out->index = tool_lock(call, err);
    if (out->index == NULL)
        return false;
    const struct file *f = index_find(out->index, out->text.path);
    out->file = f != NULL && !f->unread ? f : NULL;
    return true;
}

static void close_text(struct mcp_call *call, struct read_file *f)
{
    if (f->index != NULL)
        tool_unlock(call);
}

static bool read_diff(struct mcp_call *call, const struct args *in, struct err *err)
{
    struct read_diff d;
    return find_past(call, in->path, &d.path, err) &&
           commits_diff(call, d.path, in->diff_from, in->at, &d.diff, err) &&
           tool_answer(call, &read_diff_shape, &d, budget_of(in));
}

/* --- PDF and other attachments --- */

/* The pages that the section names, if it does; they are 0 otherwise. */
static bool wished_pages(const struct args *in, uint32_t *first, uint32_t *last,
                         struct err *err)
{
    *first = *last = 0;
    return in->section.n == 0 || reading_find_pages(in->section, first, last, err);
}

/* The text of a PDF that is long is kept in part; pages that are missing there are read on
 * their own. *later: the call is run again. */
static bool load_pages(struct mcp_call *call, const struct args *in, struct reading *r,
                       bool *later, struct err *err)
{
    uint32_t first, last;
    size_t start, end;
    struct pdf pdf;
    if (!wished_pages(in, &first, &last, err) ||
        !attachment_pages(call, r->path, 0, 0, &pdf, later, err))
        return false;
    bool missing = !*later && pdf.cut && first > 0 &&
                   !pages_find(pdf.text, first, last, &start, &end);
    if (missing && !attachment_pages(call, r->path, first, last, &pdf, later, err))
        return false;
    if (*later)
        return true;
    r->text = pdf.text;
    r->pages = (struct reading_pages){.count = pdf.pages,
                                      .first = missing ? first : 1,
                                      .title = pdf.title,
                                      .cut = pdf.cut && (missing || first == 0)};
    return true;
}

static bool read_pages(struct mcp_call *call, const struct args *in, str path,
                       struct err *err)
{
    bool later = false;
    struct read_file f = {.view = READ_TEXT, .arena = call->arena, .text.path = path};
    struct reading_request request = vault_read_request(call, in);
    if (!load_pages(call, in, &f.text, &later, err))
        return false;
    return later || (reading_cut(&f.text, call->arena, &request, err) &&
                     tool_answer(call, &read_shape, &f, vault_read_room(in)));
}

static bool vault_read_page(struct mcp_call *call, const struct args *in, str path,
                            struct err *err)
{
    uint32_t first, last;
    return wished_pages(in, &first, &last, err) &&
           attachment_page(call, path, in->section.n > 0 ? first : 1, err);
}

static bool read_attachment(struct mcp_call *call, const struct args *in, str path,
                            struct err *err)
{
    bool pages = attachment_has_pages(call, path);
    if (pages && in->view <= READ_TEXT)
        return read_pages(call, in, path, err);
    if (pages && in->view == READ_IMAGE)
        return vault_read_page(call, in, path, err);
    return attachment_read(call, path, err);
}

/* --- several files --- */

/* One of several: a text is read when its turn comes, a PDF before that, because its call
 * may have to be run again. */
struct vault_read_one {
    str word;
    bool is_pdf, loaded;
    struct read_file pdf;
    struct err err; /* why it could not be read */
};

struct vault_read_many {
    struct mcp_call *call;
    struct vault_read_one *items;
    size_t n;
};

/* The text of a PDF, as far as the call wants it, if there is room for it. *later: the call
 * is run again. */
static void load_pdf(struct mcp_call *call, struct vault_read_one *one, bool room,
                     bool *later)
{
    struct args in = *(const struct args *)call->args;
    struct read_file *f = &one->pdf;
    struct err ignored;
    one->is_pdf = in.at.n == 0 && in.view <= READ_TEXT &&
                  vault_read_find_word(call, &in, one->word, &f->text.path, &ignored) &&
                  attachment_has_pages(call, f->text.path);
    if (one->is_pdf && !room)
        err_set(&one->err, ERR_LIMIT,
                "not read: the answer is full, request it separately");
    if (!one->is_pdf || !room)
        return;
    struct reading_request request = vault_read_request(call, &in);
    f->view = READ_TEXT;
    f->arena = call->arena;
    one->loaded = load_pages(call, &in, &f->text, later, &one->err) && !*later &&
                  reading_cut(&f->text, call->arena, &request, &one->err);
}

/* True if the call is run again. */
static bool load_pdfs(struct vault_read_many *m, size_t room)
{
    struct stop stop = tool_stopping(m->call);
    bool later = false;
    for (size_t i = 0, used = 0; i < m->n && !later; i++) {
        load_pdf(m->call, &m->items[i], used < room && !stop_now(&stop), &later);
        used += m->items[i].loaded ? m->items[i].pdf.text.part.content.n : 0;
    }
    return later;
}

static bool open_one(void *arg, str word, struct read_file *out, struct err *err)
{
    const struct vault_read_many *m = arg;
    struct args in = *(const struct args *)m->call->args;
    struct stop stop = tool_stopping(m->call);
    if (stop_now(&stop))
        return stop_fail(&stop, "reading all these files", "ask for fewer at once", err);
    for (size_t i = 0; i < m->n; i++) {
        const struct vault_read_one *one = &m->items[i];
        if (one->word.p != word.p || !one->is_pdf)
            continue;
        *err = one->err;
        *out = one->pdf;
        return one->loaded;
    }
    return open_text(m->call, &in, word, out, err);
}

static void close_one(void *arg, struct read_file *f)
{
    const struct vault_read_many *m = arg;
    close_text(m->call, f);
}

static bool read_many(struct mcp_call *call, const struct args *in, struct err *err)
{
    str *words = ARENA_ARRAY(call->arena, str, in->paths.n + 1);
    struct vault_read_many m = {.call = call};
    struct read_files files = {.arena = call->arena,
                               .words = words,
                               .open = open_one,
                               .close = close_one,
                               .arg = &m};
    if (in->paths.n > PATHS_MAX)
        return err_set(err, ERR_LIMIT, "paths: at most %d per call", PATHS_MAX);
    words[files.n++] = in->path;
    for (size_t k = 0; k < in->paths.n; k++)
        if (!str_eq(in->paths.items[k], in->path))
            words[files.n++] = in->paths.items[k];
    m.n = files.n;
    m.items = ARENA_ARRAY(call->arena, struct vault_read_one, m.n);
    for (size_t k = 0; k < m.n; k++)
        m.items[k].word = words[k];
    return load_pdfs(&m, (size_t)budget_of(in) * TOOL_TOKEN_BYTES) ||
           tool_answer(call, &read_files_shape, &files, budget_of(in));
}

/* --- any of these --- */

static bool vault_read_run(struct mcp_call *call, struct err *err)
{
    struct args own = *(const struct args *)call->args, *in = &own;
    struct read_file f;
    str path = in->path;
    if (in->at.n > 0 && in->view > READ_TEXT && in->view != READ_OUTLINE)
        return err_set(err, ERR_INVALID,
                       "view %s shows the current note only: leave out at or view",
                       views[in->view]);
    if (in->diff_from.n > 0)
        return read_diff(call, in, err);
    if (is_of_attachments(in->view) && in->paths.n > 0)
        return err_set(err, ERR_INVALID, "view %s shows one file: leave out paths",
                       views[in->view]);
    if (in->paths.n > 0)
        return read_many(call, in, err);
    if (in->at.n == 0 && !vault_read_find_word(call, in, in->path, &path, err))
        return false;
    if (attachment_is(path) && in->at.n == 0 &&
        (in->view <= READ_TEXT || is_of_attachments(in->view)))
        return read_attachment(call, in, path, err);
    if (!open_text(call, in, path, &f, err))
        return false;
    tool_answer(call, &read_shape, &f, vault_read_room(in));
    close_text(call, &f);
    return true;
}

const struct mcp_tool tool_vault_read = {
    .name = "vault_read",
    .title = "Read",
    .about = "A note or other text file, as stored, with an etag for if_match; or a "
             "section, block, outline, properties of it. Or pictures, PDF, audio.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | APP_READS_PDF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_read_run,
};
