/* New notes: their paths, and their texts from templates. */
#include "base/chars.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/forms/daily.h"
#include "vault/forms/templater.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"
#include "vault/note/obsidian.h"
#include "vault/note/readback.h"
#include "vault/ops.h"
#include "vault/ops_parts.h"
#include "vault/text/encoding.h"
#include "vault/text/moment.h"
#include "vault/vault.h"

/* --- paths --- */

/* "v1.2" and "Dr. Who" have no extension: it consists of letters and digits, and not only
 * of digits. */
static bool has_extension(str path)
{
    enum { EXTENSION_MAX = 10 };
    str extension = path_extension(path);
    bool letters = false;
    for (size_t i = 0; i < extension.n; i++) {
        if (!is_alnum(extension.p[i]))
            return false;
        letters = letters || is_letter(extension.p[i]);
    }
    return letters && extension.n <= EXTENSION_MAX;
}

static str with_md(struct arena *a, str path)
{
    return arena_printf(a, STR_FMT ".md", STR_ARG(path));
}

/* A new note with the name of another one would take over the links to it. */
static bool ops_new_check_name(struct draft *d, str path, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct draft_file other;
    if (!vault_wait(draft_vault(d), NULL, NULL, err))
        return false;
    ops_catch_up(d);
    str there = ops_namesake(draft_lock(d), a, path, STR(""));
    draft_unlock(d);
    if (there.n == 0)
        return true;
    return draft_read(d, there, &other, err) &&
           err_named(
               err, E_AMBIGUOUS,
               "'" STR_FMT "' has that name (etag " STR_FMT
               "), nothing was written: to replace it, give its path and overwrite; "
               "to create another note, '/" STR_FMT "' or a path with a folder",
               STR_ARG(there), STR_ARG(draft_etag(a, other.hash)), STR_ARG(path));
}

bool ops_write_path(struct draft *d, str word, str *out, bool *added, struct err *err)
{
    str there;
    if (!path_clean_file(draft_arena(d), word, out, err))
        return false;
    if (out->n == 0)
        return err_named(err, E_PATH_INVALID, "a file needs a name");
    bool exists = draft_find(d, *out, &there) && !draft_is_folder(d, there);
    *added = !exists && !has_extension(*out);
    if (*added)
        *out = with_md(draft_arena(d), *out);
    bool bare = str_find_char(word, '/') == STR_NONE;
    return !bare || draft_exists(d, *out) || ops_new_check_name(d, *out, err);
}

bool ops_open_or_create(struct draft *d, str word, struct draft_file *out, bool *created,
                        struct err *err)
{
    bool added;
    *created = false;
    if (str_find_char(word, '/') == STR_NONE) {
        if (ops_open(d, word, out, err))
            return true;
        if (err->code != ERR_NOT_FOUND)
            return false;
    }
    *out = (struct draft_file){0};
    if (!ops_write_path(d, word, &out->path, &added, err))
        return false;
    *created = !draft_exists(d, out->path);
    return *created || draft_read(d, out->path, out, err);
}

/* --- settings --- */

/* The settings for new notes, copied: they may change when the index is released. */
struct new_settings {
    struct obsidian_dated dated, templates;
    str templater;
    bool has_period;
};

static struct obsidian_dated copy_dated(struct arena *a, struct obsidian_dated d)
{
    return (struct obsidian_dated){.folder = arena_str(a, d.folder),
                                   .format = arena_str(a, d.format),
                                   .template_name = arena_str(a, d.template_name)};
}

static bool ops_new_read_settings(struct draft *d, enum obsidian_period period,
                                  struct new_settings *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    if (!vault_wait(v, NULL, NULL, err))
        return false;
    vault_lock(v);
    const struct obsidian *o = vault_obsidian(v);
    *out = (struct new_settings){.dated = copy_dated(a, obsidian_periodic(o, period)),
                                 .templates = copy_dated(a, obsidian_templates(o)),
                                 .templater = arena_str(a, obsidian_templater_folder(o)),
                                 .has_period = obsidian_has_period(o, period)};
    vault_unlock(v);
    return true;
}

/* --- texts --- */

static str fill_in(struct draft *d, const struct new_settings *s,
                   const struct moment *when, str path, str text, str *warning)
{
    struct templater_left left = {.n = 0};
    struct template_values values = {.now = *when,
                                     .date_format = s->templates.format,
                                     .time_format = s->templates.template_name};
    str filled = templater_note(draft_arena(d), path, text, &values, &left);
    *warning = templater_warning(draft_arena(d), &left);
    return filled;
}

/* The templates in the folders of the settings, for an error message. */
static str name_templates(struct draft *d, const struct new_settings *s)
{
    enum { NAMED = 8 };
    struct sbuf out = SBUF_ON(draft_arena(d));
    size_t n = 0;
    const struct index *x = vault_lock(draft_vault(d));
    for (file_id i = 0; i < x->n && n < NAMED; i++) {
        const struct file *f = x->files[i];
        if (f == NULL || f->kind != FILE_NOTE)
            continue;
        bool core =
            s->templates.folder.n > 0 && path_is_below(s->templates.folder, f->path);
        if (core || (s->templater.n > 0 && path_is_below(s->templater, f->path)))
            sbuf_printf(&out, "%s'" STR_FMT "'", n++ > 0 ? ", " : "",
                        STR_ARG(file_title(f->path)));
    }
    vault_unlock(draft_vault(d));
    return sbuf_str(&out);
}

static bool no_such_template(struct draft *d, const struct new_settings *s, str name,
                             struct err *err)
{
    str names = name_templates(d, s);
    if (names.n > 0)
        return err_named(err, E_TEMPLATE_NOT_FOUND,
                         "no such template '" STR_FMT "': there are " STR_FMT,
                         STR_ARG(name), STR_ARG(names));
    return err_named(err, E_TEMPLATE_NOT_FOUND,
                     "no such template '" STR_FMT "', and the vault has no folder with "
                     "templates: give the path of a note",
                     STR_ARG(name));
}

/* Looks in the folders of the settings first, then takes the name as a path. */
static bool find_template(struct draft *d, const struct new_settings *s, str name,
                          struct draft_file *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    str folders[] = {s->templates.folder, s->templater, STR("")};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        str path, real;
        struct err hidden;
        if (!path_clean_file(a, path_join(a, folders[i], name), &path, err))
            return false;
        if (file_kind_of(path) != FILE_NOTE)
            path = with_md(a, path);
        if (vault_may_use_set(draft_vault(d), path, &hidden) &&
            draft_find(d, path, &real))
            return draft_read(d, real, out, err);
    }
    return no_such_template(d, s, name, err);
}

static bool has_properties(struct arena *a, str text, struct note *note)
{
    note_scan(a, text, note);
    return note->has_frontmatter;
}

/* A line break, unless there is nothing to separate. */
static str separator(str before)
{
    return before.n == 0 || str_ends(before, STR("\n")) ? STR("") : STR("\n");
}

/* A blank line, so that the content is not a part of the last paragraph or item. */
static str blank_line(str before)
{
    bool ends = str_ends(before, STR("\n\n")) || str_ends(before, STR("\n\r\n"));
    return before.n == 0 || ends         ? STR("")
           : str_ends(before, STR("\n")) ? STR("\n")
                                         : STR("\n\n");
}

static bool is_part_of_template(str model, str whole, size_t at, struct err *err)
{
    enum { SHOWN = 60 };
    str line = str_trim_line(str_slice(whole, at, text_find_break(whole, at)));
    return err_named(err, E_INVALID_CONTENT,
                     "the content would be a part of what the template opens: line %u, "
                     "'" STR_FMT "', is not closed; close it in '" STR_FMT
                     "', or write the note without a template",
                     text_line_number(whole, at), STR_ARG(utf8_cut(line, SHOWN)),
                     STR_ARG(model));
}

/* Whether the template, the first bytes of a note, means what it does alone, and nothing in
 * it goes on in what follows. */
static bool check_after_template(struct draft *d, str model, str filled, str whole,
                                 struct err *err)
{
    struct arena *a = draft_arena(d);
    struct note alone, note;
    note_scan(a, filled, &alone);
    note_scan(a, whole, &note);
    const struct note_region *open = readback_open_block(&note, filled.n);
    if (open != NULL)
        return is_part_of_template(model, whole, open->span.start, err);
    if (note.has_frontmatter && note.body > filled.n)
        return is_part_of_template(model, whole, note.bom, err);
    const struct edit_range cut = {filled.n, filled.n}, put = {filled.n, whole.n};
    struct readback r = {.was = &alone, .is = &note, .cut = &cut, .put = &put, .n = 1};
    str problem = readback_problem(a, &r, "would no longer be", "would become");
    return problem.n == 0 ||
           err_named(err, E_INVALID_CONTENT,
                     "the template would mean something else above this content: " STR_FMT
                     "; write the note without a template",
                     STR_ARG(problem));
}

static bool after_template(struct draft *d, const struct ops_text *request, str path,
                           str *out, str *warning, struct err *err)
{
    struct new_settings s;
    struct draft_file model;
    struct moment now = moment_local(clock_now() * 1000);
    struct arena *a = draft_arena(d);
    if (!ops_new_read_settings(d, PERIOD_DAY, &s, err) ||
        !find_template(d, &s, request->model, &model, err))
        return false;
    str text = fill_in(d, &s, &now, path, model.text, warning);
    str gap = request->content.n > 0 ? blank_line(text) : STR("");
    str below = arena_printf(a, STR_FMT STR_FMT, STR_ARG(gap), STR_ARG(request->content));
    *out = arena_printf(a, STR_FMT STR_FMT, STR_ARG(text),
                        STR_ARG(edit_with_breaks_of(a, below, text)));
    return request->content.n == 0 ||
           check_after_template(d, model.path, text, *out, err);
}

/* Empty lines between the properties and the body stay, too. */
static str after_properties(struct arena *a, str old, str content)
{
    struct note note;
    size_t body = has_properties(a, old, &note) ? note.body : 0;
    str head = str_slice(old, 0, body), gap = {0}, rest = str_skip(old, body), line;
    while (body > 0 && text_take_line(&rest, &line) && str_trim_line(line).n == 0)
        gap = str_slice(old, body, old.n - rest.n);
    bool has_gap = content.n == 0 || content.p[0] == '\n' || content.p[0] == '\r';
    return arena_printf(
        a, STR_FMT STR_FMT STR_FMT STR_FMT, STR_ARG(head), STR_ARG(separator(head)),
        STR_ARG(has_gap ? STR("") : gap),
        STR_ARG(body > 0 ? edit_with_breaks_of(a, content, old) : content));
}

bool ops_text(struct draft *d, const struct ops_text *request, str path, str *out,
              str *warning, struct err *err)
{
    struct note note;
    struct draft_file old = {0};
    struct err why = {0};
    *warning = STR("");
    *out = request->content;
    if (request->model.n == 0 && !request->keep_properties)
        return true;
    if (request->model.n > 0 && request->keep_properties)
        return err_named(err, E_INVALID_ARGUMENT,
                         "give a template, or keep the properties that are there");
    if (has_properties(draft_arena(d), request->content, &note))
        return err_named(
            err, E_INVALID_ARGUMENT,
            "the content comes after the properties of the %s, so it cannot "
            "begin with properties: leave them out, or write all of the note",
            request->model.n > 0 ? "template" : "note");
    if (request->model.n > 0)
        return after_template(d, request, path, out, warning, err);
    if (!draft_read(d, path, &old, &why) && why.code != ERR_NOT_FOUND) {
        *err = why;
        return false;
    }
    *out = after_properties(draft_arena(d), old.text, request->content);
    return true;
}

/* --- what is there already --- */

bool ops_replaces(struct draft *d, str path, str text, enum ops_replaces *what,
                  struct draft_file *old, struct err *err)
{
    struct err why = {0};
    *what = OPS_NOTHING;
    bool exists = draft_read(d, path, old, &why);
    if (!exists && why.code != ERR_NOT_FOUND) {
        *err = why;
        return false;
    }
    enum encoding e = exists ? old->encoding : ENCODING_UTF8;
    if (!exists || (!encoding_is_other(e) && str_eq(old->text, text)))
        return true;
    *what = e == ENCODING_UTF8 || e == ENCODING_NONE ? OPS_TEXT : OPS_ENCODING;
    return true;
}

/* --- dated notes --- */

static bool dated_text(struct draft *d, const struct new_settings *s,
                       const struct moment *when, str path, str *out, str *warning,
                       struct err *err)
{
    str template_path;
    struct draft_file model = {0};
    struct err why = {0};
    if (!daily_template(draft_arena(d), &s->dated, &template_path, err) ||
        !vault_may_use_set(draft_vault(d), template_path, err))
        return false;
    if (template_path.n > 0 && !draft_read(d, template_path, &model, &why))
        return err_caused(err, &why, E_TEMPLATE_NOT_READ,
                          "the vault's settings name a template for dated notes that "
                          "cannot be read: %s",
                          why.msg);
    *out = fill_in(d, s, when, path, model.text, warning);
    return true;
}

static bool not_set_up(enum obsidian_period period, str path, struct err *err)
{
    static const char *const names[] = {[PERIOD_DAY] = "daily",
                                        [PERIOD_WEEK] = "weekly",
                                        [PERIOD_MONTH] = "monthly",
                                        [PERIOD_QUARTER] = "quarterly",
                                        [PERIOD_YEAR] = "yearly"};
    return err_named(err, E_NOT_SET_UP,
                     "this vault has no %s notes: '" STR_FMT
                     "' does not exist, and they are not enabled in the Periodic Notes "
                     "plugin; to make it anyway, set create",
                     names[period], STR_ARG(path));
}

static void add_warning(struct draft *d, struct ops_report *out, str warning)
{
    str *one = ARENA_NEW(draft_arena(d), str);
    *one = warning;
    out->warnings = one;
    out->n_warnings = warning.n > 0;
}

bool ops_daily(struct draft *d, const struct ops_dated *which, struct ops_report *out,
               bool *created, struct err *err)
{
    struct vault *v = draft_vault(d);
    struct new_settings s;
    struct draft_file file;
    str text, warning;
    *out = (struct ops_report){.files = 1};
    if (!ops_new_read_settings(d, which->period, &s, err) ||
        !daily_path(draft_arena(d), &s.dated, &which->when, &out->path, err) ||
        !vault_may_use_set(v, out->path, err))
        return false;
    *created = !draft_find(d, out->path, &out->path);
    if (!*created)
        return draft_read(d, out->path, &file, err);
    if (!s.has_period && !which->anyway)
        return not_set_up(which->period, out->path, err);
    if (!dated_text(d, &s, &which->when, out->path, &text, &warning, err))
        return false;
    add_warning(d, out, warning);
    return draft_write(d, out->path, text, DRAFT_CREATE, err);
}
