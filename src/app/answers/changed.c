#include "app/answers/changed.h"

#include "app/answers/answer.h"
#include "app/answers/put.h"
#include "app/answers/term.h"
#include "base/array.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/change.h"
#include "vault/draft.h"
#include "vault/draft_schema.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"
#include "vault/text/encoding.h"
#include "vault/text/media.h"
#include "vault/vault.h"

/* --- collecting --- */

void changed_warn(struct changed *c, str warning)
{
    *ARRAY_ADD(c->arena, c->warnings, c->n_warnings) = warning;
}

void changed_warn_schemas(struct changed *c, const struct draft_schema *found)
{
    for (size_t i = 0; i < found->n; i++)
        changed_warn(c, found->messages[i]);
    if (found->total > found->n)
        changed_warn(c, arena_printf(c->arena, "and %zu more properties",
                                     found->total - found->n));
}

bool changed_shows_lines(const struct changed *c)
{
    return file_kind_of(c->path) != FILE_CANVAS;
}

/* The lines that differ from the text before, as far as there is room for them. */
static void find_new_lines(struct changed *c, const struct edit_result *r)
{
    struct edit_range lines;
    struct err ignored;
    c->line_first = r->line_first;
    c->line_last = r->line_last;
    if (r->line_first == 0 ||
        !edit_narrow(c->before, c->after, &c->line_first, &c->line_last) ||
        !edit_find_lines(c->after, c->line_first, c->line_last, &lines, &ignored))
        return;
    str all = str_slice(c->after, lines.start, lines.end);
    c->new_lines = changed_shows_lines(c) ? utf8_cut(all, CHANGED_NEW_MAX) : (str){0};
}

/* A file is replaced, so its other names keep the old one. After that it has one name, so
 * this is said once. */
static void warn_of_names(struct changed *c, struct draft *d, str path)
{
    struct vault *v = draft_vault(d);
    if (!vault_progress(v).ready)
        return;
    const struct file *f = index_find(vault_lock(v), path);
    bool many = f != NULL && f->info.many_names;
    vault_unlock(v);
    if (many)
        changed_warn(c, arena_printf(c->arena,
                                     "'" STR_FMT "' had hard links: the other names keep "
                                     "the old text",
                                     STR_ARG(path)));
}

bool changed_rewrite(struct changed *c, struct draft *d, const struct draft_file *f,
                     const struct edit_result *r, struct err *err)
{
    c->parts |= CHANGED_BEFORE | CHANGED_TEXT;
    c->path = f->path;
    c->before = f->text;
    c->after = r->text;
    c->encoding = f->encoding;
    c->lines = r->lines;
    find_new_lines(c, r);
    warn_of_names(c, d, f->path);
    if (r->renamed)
        changed_warn(c,
                     STR("the heading was replaced, too; links to the old one were not "
                         "changed: moving a heading renames it with its links"));
    for (size_t i = 0; i < r->n_warnings; i++)
        changed_warn(c, r->warnings[i]);
    if (r->n_did > 0) {
        c->did = memcpy(ARENA_ARRAY(c->arena, str, r->n_did), r->did,
                        r->n_did * sizeof(*r->did));
        c->n_did = r->n_did;
    }
    return draft_write(d, f->path, r->text, DRAFT_EDIT, err);
}

/* The YAML of a note's properties, or its beginning. */
static str properties_of(struct arena *a, str text)
{
    struct note note;
    note_scan(a, text, &note);
    str yaml = span_of(text, note.frontmatter),
        cut = utf8_cut(yaml, CHANGED_PROPERTIES_MAX);
    return cut.n < yaml.n ? arena_printf(a, STR_FMT "\n...", STR_ARG(cut)) : yaml;
}

bool changed_properties(struct changed *c, struct draft *d, const struct draft_file *f,
                        const struct frontmatter_edited *r, struct err *err)
{
    struct edit_result edited = {
        .text = r->text, .line_first = r->line_start, .line_last = r->line_end};
    str *keys = ARENA_ARRAY(c->arena, str, r->n_changes);
    for (size_t i = 0; i < r->n_changes; i++)
        keys[i] = r->changes[i].key;
    c->parts |= CHANGED_KEYS;
    c->keys = keys;
    c->n_keys = r->n_changes;
    c->properties = properties_of(c->arena, r->text);
    return changed_rewrite(c, d, f, &edited, err);
}

bool changed_write(struct changed *c, struct draft *d, str path, str text,
                   enum draft_write how, struct err *err)
{
    c->parts |= CHANGED_TEXT;
    c->path = path;
    c->done = "created";
    c->is_done = !draft_exists(d, path);
    c->after = text;
    c->written = true;
    return draft_write(d, path, text, how, err);
}

bool changed_is_nothing(const struct changed *c)
{
    bool folder = c->parts == 0 && c->done != NULL && c->is_done; /* it has no files */
    return c->made.n == 0 && !folder;
}

bool changed_make_folder(struct changed *c, struct draft *d, str path, str text,
                         struct err *err)
{
    if (text.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "'" STR_FMT "' is a folder: leave out its '/' to write a note",
                         STR_ARG(path));
    if (!path_clean(c->arena, path, &c->path, err))
        return false;
    if (!draft_exists(d, c->path) && file_kind_of(c->path) != FILE_OTHER &&
        path_extension(c->path).n > 0)
        return err_named(err, E_PATH_INVALID,
                         "'" STR_FMT "' has the name of a file: leave out the last '/'",
                         STR_ARG(path));
    c->done = "created";
    c->is_done = !draft_exists(d, c->path);
    return draft_make_folder(d, c->path, err);
}

const struct edit_result *changed_all(struct edit_result *r)
{
    r->line_last = (uint32_t)changed_lines(r->text);
    r->line_first = r->line_last > 0;
    return r;
}

void changed_show_all(struct changed *c)
{
    c->written = false;
    c->line_last = (uint32_t)changed_lines(c->after);
    c->line_first = c->line_last > 0;
    c->new_lines = utf8_cut(c->after, CHANGED_NEW_MAX);
}

bool changed_links(struct changed *c, const struct ops_report *r)
{
    c->parts |= r->links > 0 ? CHANGED_REWRITTEN : 0;
    c->rewrites = r->rewrites;
    c->links = r->links;
    for (size_t i = 0; i < r->n_warnings; i++)
        changed_warn(c, r->warnings[i]);
    return true;
}

void changed_report(struct changed *c, const struct ops_report *r)
{
    c->path = r->path;
    c->to = r->to;
    c->files = r->files;
    (void)changed_links(c, r);
    c->action = r->action;
    c->link_format = r->link_format;
    c->format_reason = r->format_reason;
    c->broken = r->broken;
    c->broken_in = r->broken_in;
    c->n_broken_in = r->n_broken_in;
}

void changed_moved(struct changed *c, const struct ops_report *r, const char *inside,
                   str path)
{
    changed_report(c, r);
    c->parts |= CHANGED_MOVED | CHANGED_REWRITTEN;
    c->inside = inside;
    if (inside == NULL)
        return;
    c->name = str_skip(r->path, str_starts(r->path, STR("#")));
    c->path = path;
}

void changed_deleted(struct changed *c, const struct ops_report *r, bool rewritten)
{
    changed_report(c, r);
    c->parts |= (rewritten ? CHANGED_REWRITTEN : 0) | (r->folder ? CHANGED_DELETED : 0);
    c->done = "deleted";
    c->is_done = true;
}

void changed_restored(struct changed *c, const struct ops_report *r)
{
    changed_report(c, r);
    c->done = "restored";
    c->is_done = true;
    c->path = r->to;
    c->to = (str){0};
}

/* Others may be large, and are not edited by their lines. */
static bool settle_has_text(str path)
{
    enum file_kind kind = file_kind_of(path);
    return kind == FILE_NOTE || kind == FILE_CANVAS || kind == FILE_BASE ||
           kind == FILE_TEXT;
}

static void settle_text(struct changed *c, const struct draft_file *f, str before)
{
    struct edit_result all = {.text = f->text};
    c->parts |= CHANGED_TEXT;
    c->before = before;
    c->after = f->text;
    c->encoding = f->encoding;
    if (c->inside != NULL)
        find_new_lines(c, changed_all(&all));
}

/* The text of a file before the draft; NULL if the draft only moves it. */
static const struct draft_touched *settle_find(const struct draft_result *r, str path)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->files[i].outcome == DRAFT_CHANGED && str_eq(r->files[i].path, path))
            return &r->files[i];
    return NULL;
}

void changed_settle(struct changed *c, struct draft *d)
{
    bool moved = (c->parts & CHANGED_MOVED) && c->inside == NULL;
    str path = moved ? c->to : c->path;
    struct draft_result r;
    struct draft_file f;
    struct err ignored;
    if ((c->parts & CHANGED_TEXT) || path.n == 0 || c->n_steps > 0 || c->files > 1 ||
        !settle_has_text(path) || !draft_exists(d, path) ||
        !draft_read(d, path, &f, &ignored))
        return;
    draft_preview(d, &r);
    const struct draft_touched *was = settle_find(&r, c->path);
    settle_text(c, &f, was != NULL ? was->before : f.text);
}

/* --- as JSON --- */

const char *const changed_outcomes[] = {
    [DRAFT_CREATED] = "created",
    [DRAFT_CHANGED] = "changed",
    [DRAFT_DELETED] = "deleted",
    [DRAFT_MOVED] = "moved",
};

const struct changed_counted *changed_counted(const struct changed *c)
{
    static const struct changed_counted counted[] =
        {
            {"tag", "tag", "tags", "rewritten_tags"},
            {"property", "property", "properties", "rewritten_properties"},
        },
                                        links = {NULL, "link", "links",
                                                 "rewritten_links"};
    for (size_t i = 0; c->inside != NULL && i < COUNT_OF(counted); i++)
        if (strcmp(c->inside, counted[i].inside) == 0)
            return &counted[i];
    return &links;
}

size_t changed_lines(str text)
{
    return text_count_lines(text);
}

str changed_stored(const struct changed *c, str text)
{
    str bytes, missing;
    return encoding_write(c->arena, text, c->encoding, &bytes, &missing) ? bytes : text;
}

bool changed_has_lines(const struct changed *c)
{
    return media_of_bytes(c->after).n == 0 && encoding_of(c->after) != ENCODING_NONE;
}

static void changed_put_place(struct jsonw *w, const struct changed *c)
{
    jsonw_put_text(w, STR("path"), c->path);
    if (c->inside != NULL)
        jsonw_put_str(w, str_c(c->inside), c->name);
    if (c->done != NULL)
        jsonw_put_bool(w, str_c(c->done), c->is_done);
    jsonw_put_text(w, STR("to"), c->to);
    jsonw_put_text(w, STR("action"), str_c(c->action));
    if (c->parts & CHANGED_DELETED)
        jsonw_put_int(w, STR("deleted_files"), (int64_t)c->files);
    if (c->parts & CHANGED_MOVED)
        jsonw_put_int(w, STR("moved_files"), (int64_t)c->files);
    if (c->parts & CHANGED_REWRITTEN) {
        jsonw_put_int(w, STR("rewritten_notes"), (int64_t)c->rewrites);
        jsonw_put_int(w, str_c(changed_counted(c)->member), (int64_t)c->links);
    }
    jsonw_put_text(w, STR("link_format"), str_c(c->link_format));
    if (c->link_format != NULL)
        jsonw_put_text(w, STR("format_reason"), str_c(c->format_reason));
}

/* The links that lead nowhere now. */
static void put_broken(struct answer_out *out, const struct changed *c)
{
    enum { SHOWN = 10 };
    if (c->broken == 0)
        return;
    size_t shown = answer_some(out, c->n_broken_in, SHOWN);
    jsonw_put_int(out->w, STR("broken_links"), (int64_t)c->broken);
    jsonw_put_strs(out->w, STR("broken_in"), c->broken_in, shown);
    if (shown < c->n_broken_in)
        jsonw_put_int(out->w, STR("total_broken_in"), (int64_t)c->n_broken_in);
}

static void put_content(struct answer_out *out, const struct changed *c)
{
    jsonw_put_str(out->w, STR("content"), c->content);
    put_hidden(out->w, &c->hidden);
    if (c->next_line > 0)
        put_read_on(out, c->path, c->next_line);
}

static void put_sizes(struct jsonw *w, const struct changed *c)
{
    if (c->parts & CHANGED_BEFORE)
        jsonw_put_int(w, STR("size_before"), (int64_t)changed_stored(c, c->before).n);
    if (c->parts & CHANGED_TEXT)
        jsonw_put_int(w, STR("size"), (int64_t)changed_stored(c, c->after).n);
    if (c->line_first > 0) {
        jsonw_put_array(w, STR("changed_lines"));
        jsonw_int(w, c->line_first);
        jsonw_int(w, c->line_last);
        jsonw_end(w);
    }
    jsonw_put_text(w, STR("new_lines"), c->new_lines);
    if (c->parts & CHANGED_TEXT) {
        if (changed_has_lines(c))
            jsonw_put_int(w, STR("total_lines"), (int64_t)changed_lines(c->after));
        jsonw_put_str(
            w, STR("etag"),
            draft_etag(w->out->arena, hash_content(changed_stored(c, c->after))));
    }
}

static void put_warnings(struct answer_out *out, const struct changed *c)
{
    if (c->n_warnings > 0)
        jsonw_put_strs(out->w, STR("warnings"), c->warnings, c->n_warnings);
}

static void put_drafted(struct answer_out *out, const struct changed *c);

static void put_steps(struct answer_out *out, const struct changed *c)
{
    enum { SHOWN = 100 };
    bool batch = c->steps[0].tool != NULL;
    size_t shown = answer_some(out, c->n_steps, SHOWN);
    jsonw_put_array(out->w, batch ? STR("steps") : STR("notes"));
    for (size_t i = 0; i < shown; i++) {
        jsonw_object(out->w);
        if (batch)
            jsonw_put_str(out->w, STR("tool"), str_c(c->steps[i].tool));
        put_drafted(out, &c->steps[i].out);
        put_warnings(out, &c->steps[i].out);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
    if (shown < c->n_steps)
        jsonw_put_int(out->w, STR("total_notes"), (int64_t)c->n_steps);
}

static void put_drafted(struct answer_out *out, const struct changed *c)
{
    if (c->n_steps > 0)
        put_steps(out, c);
    changed_put_place(out->w, c);
    put_broken(out, c);
    if (c->parts & CHANGED_COUNTED)
        jsonw_put_int(out->w, STR("replacements"), (int64_t)c->replacements);
    if (c->lines > 0)
        jsonw_put_int(out->w, STR("lines"), (int64_t)c->lines);
    jsonw_put_text(out->w, STR("target"), c->target);
    if (c->parts & CHANGED_KEYS)
        jsonw_put_strs(out->w, STR("changed"), c->keys, c->n_keys);
    jsonw_put_text(out->w, STR("properties"), c->properties);
    if (c->n_did > 0)
        jsonw_put_strs(out->w, STR("did"), c->did, c->n_did);
    if (c->parts & CHANGED_CONTENT)
        put_content(out, c);
    put_sizes(out->w, c);
}

str changed_kept(struct arena *a, const struct changed *c)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    jsonw_object(&w);
    put_drafted(&(struct answer_out){&w, SIZE_MAX}, c);
    jsonw_end(&w);
    return sbuf_str(&text);
}

static void put_files(struct jsonw *w, const struct draft_result *r)
{
    enum { SHOWN = 100 };
    jsonw_put_array(w, STR("files"));
    for (size_t i = 0; i < r->n && i < SHOWN; i++) {
        const struct draft_touched *f = &r->files[i];
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), draft_touched_path(f));
        jsonw_put_str(w, STR("outcome"), str_c(changed_outcomes[f->outcome]));
        if (f->outcome == DRAFT_MOVED)
            jsonw_put_str(w, STR("to"), f->to);
        jsonw_end(w);
    }
    jsonw_end(w);
    if (r->n > SHOWN)
        jsonw_put_int(w, STR("total_files"), (int64_t)r->n);
}

static void put_proposal(struct jsonw *w, str id)
{
    jsonw_put_str(w, STR("proposal"), id);
    jsonw_put_str(w, STR("status"), STR("waiting for review: nothing was changed yet"));
}

static void put_made(struct answer_out *out, const struct changed *c)
{
    struct jsonw *w = out->w;
    const struct draft_result *r = &c->made;
    if (r->n > 1 || (c->parts & CHANGED_FILES))
        put_files(w, r);
    jsonw_put_true(w, STR("unchanged"), changed_is_nothing(c));
    jsonw_put_text(w, STR("vault"), c->vault);
    if (r->change > 0)
        jsonw_put_int(w, STR("change"), (int64_t)r->change);
    if (r->proposal.n > 0)
        put_proposal(w, r->proposal);
    if (c->dry_run || r->proposal.n > 0) {
        size_t max = out->max == SIZE_MAX ? 0 : CHANGED_DIFF_MAX;
        jsonw_put_true(w, STR("dry_run"), c->dry_run);
        jsonw_put_str(w, STR("diff"), draft_diff(w->out->arena, r, max));
    }
    put_warnings(out, c);
}

void changed_put_again(struct jsonw *w, str vault, const struct draft_result *made)
{
    const struct json *answer;
    struct err ignored;
    jsonw_object(w);
    if (json_parse(w->out->arena, made->answer, &answer, &ignored))
        for (const struct json *j = answer->child; j != NULL; j = j->next)
            jsonw_put_value(w, j->key, j);
    jsonw_put_text(w, STR("vault"), vault);
    if (made->proposal.n > 0)
        jsonw_put_str(w, STR("proposal"), made->proposal);
    else
        jsonw_put_int(w, STR("change"), (int64_t)made->change);
    jsonw_put_bool(w, STR("repeated"), true);
    jsonw_end(w);
}

static void changed_result_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    if (c->made.repeated) {
        changed_put_again(out->w, c->vault, &c->made);
        return;
    }
    jsonw_object(out->w);
    put_drafted(out, c);
    put_made(out, c);
    jsonw_end(out->w);
}

/* --- for a terminal --- */

static void show_files(struct term *t, const struct draft_result *r)
{
    enum { SHOWN = 20 };
    for (size_t i = 0; i < r->n && i < SHOWN; i++) {
        const struct draft_touched *f = &r->files[i];
        term_printf(t, TERM_PLAIN, "%s ", changed_outcomes[f->outcome]);
        term_put(t, TERM_PATH, draft_touched_path(f));
        if (f->outcome == DRAFT_MOVED)
            term_printf(t, TERM_PATH, " to " STR_FMT, STR_ARG(f->to));
        term_put(t, TERM_PLAIN, STR("\n"));
    }
    if (r->n > SHOWN)
        term_printf(t, TERM_FAINT, "and %zu more\n", r->n - SHOWN);
}

static void show_change(struct term *t, const struct draft_result *r)
{
    unsigned long long number = r->change;
    if (r->repeated)
        term_printf(t, TERM_FAINT, "already made, as change %llu\n", number);
    else if (number > 0)
        term_printf(t, TERM_FAINT, "change %llu; undo it with vaultd undo %llu\n", number,
                    number);
    else
        term_put(t, TERM_FAINT, STR("nothing to change\n"));
}

static void show_broken(struct term *t, const struct changed *c)
{
    enum { SHOWN = 10 };
    term_printf(t, TERM_WARN, "note: " STR_FMT " to it in ",
                STR_ARG(term_count(t, c->broken, "link", "links")));
    for (size_t i = 0; i < c->n_broken_in && i < SHOWN; i++)
        term_printf(t, TERM_WARN, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(c->broken_in[i]));
    if (c->n_broken_in > SHOWN)
        term_printf(t, TERM_WARN, " and %zu more", c->n_broken_in - SHOWN);
    term_put(t, TERM_WARN, STR("\n"));
}

static void changed_term(struct term *t, const void *result)
{
    const struct changed *c = result;
    if (c->dry_run) {
        term_diff(t, draft_diff(c->arena, &c->made, 0));
        if (t->width > 0) /* in a pipe, a diff is all there is */
            term_printf(t, TERM_FAINT, STR_FMT " would change; nothing was changed\n",
                        STR_ARG(term_count(t, c->made.n, "file", "files")));
    } else {
        show_files(t, &c->made);
        for (size_t i = 0; i < c->n_did; i++) {
            term_put(t, TERM_PLAIN, c->did[i]);
            term_put(t, TERM_PLAIN, STR("\n"));
        }
        show_change(t, &c->made);
    }
    if (c->broken > 0)
        show_broken(t, c);
    for (size_t i = 0; i < c->n_warnings; i++)
        term_printf(t, TERM_WARN, "note: " STR_FMT "\n", STR_ARG(c->warnings[i]));
}

const struct answer_shape changed_shape = {.name = "changed",
                                           .json = changed_result_json,
                                           .text = changed_text,
                                           .term = changed_term};
