#include "app/cli/editor.h"

#include "app/answers/changed.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "base/fs.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/os/self.h"
#include "base/os/terminal.h"
#include "base/path.h"
#include "base/process.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/note/merge.h"
#include "vault/ops.h"
#include "vault/vault.h"

bool editor_is_possible(const struct cli *c)
{
    return !c->json && terminal_is(FILE_STDIN) && c->out.width > 0;
}

/* A command line of the user's; NULL: there is none. */
static const char *editor_command(struct arena *a)
{
    static const char *const variables[] = {"VISUAL", "EDITOR"};
    static const char *const usual[] = {"editor", "nano", "vi"};
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        const char *given = self_variable(variables[i]);
        if (given != NULL && given[0] != '\0')
            return given;
    }
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        if (process_find(a, usual[i], process_path()) != NULL)
            return usual[i];
    return NULL;
}

/* A word of a shell. */
static str editor_quoted(struct arena *a, str word)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_char(&out, '\'');
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] == '\'')
            sbuf_add(&out, STR("'\\''"));
        else
            sbuf_char(&out, word.p[i]);
    sbuf_char(&out, '\'');
    return sbuf_str(&out);
}

/* A new file with the text, named as the note, so that the editor knows what it is; only its
 * owner can read it. */
static bool editor_write(struct cli *c, str state_dir, struct editor_text *e,
                         struct err *err)
{
    struct arena *a = c->arena;
    str folder = arena_printf(a, STR_FMT "/edit", STR_ARG(state_dir));
    str name = path_name(e->path);
    if (!fs_make_folder(folder.p, err))
        return false;
    for (unsigned i = 0; i < 1000; i++) {
        e->file = arena_printf(a, STR_FMT "/%d-%u-" STR_FMT, STR_ARG(folder), self_pid(),
                               i, STR_ARG(name))
                      .p;
        AUTO_CLOSE int fd = file_create(FILE_CWD, e->file, 0600);
        if (fd >= 0)
            return (file_write(fd, e->before) && file_sync(fd, FILE_SYNC_FILE)) ||
                   err_sys(err, "the text cannot be written for the editor");
    }
    return err_sys(err, "no file can be made for the editor");
}

static bool editor_load(struct cli *c, str word, struct editor_text *e, struct err *err)
{
    const struct file *f;
    struct vault_text text;
    cli_lock(c);
    bool found = cli_find(c, word, &f, err);
    if (found)
        e->path = arena_str(c->arena, f->path);
    cli_unlock(c);
    if (!found || !vault_read(c->vault, c->arena, e->path, 1, 0, &text, err))
        return false;
    e->before = text.content;
    return true;
}

/* Why the note was not changed, and where the text is now. */
static bool editor_keep(const struct editor_text *e, const char *why, struct err *err)
{
    err_set(err, ERR_CONFLICT, "%s; nothing was changed, and your text is kept in %s",
            why, e->file);
    return false;
}

bool editor_run(struct cli *c, str state_dir, str word, struct editor_text *out,
                bool *changed, struct err *err)
{
    struct arena *a = c->arena;
    const char *editor = editor_command(a);
    int code = 0;
    *out = (struct editor_text){0};
    if (editor == NULL)
        return err_set(err, ERR_NOT_FOUND,
                       "no editor was found: set EDITOR, for example EDITOR=nano");
    if (!editor_load(c, word, out, err) || !editor_write(c, state_dir, out, err))
        return false;
    str line = arena_printf(a, "%s " STR_FMT, editor,
                            STR_ARG(editor_quoted(a, str_c(out->file))));
    term_flush(&c->out);
    bool ran = terminal_run(line.p, self_environment(), (str){0}, &code);
    if (!ran)
        err_sys(err, "'%s' cannot be started", editor);
    if (!fs_read_file(a, str_c(out->file), DRAFT_NOTE_MAX, &out->now, err))
        return editor_keep(out, "the text cannot be read back", err);
    *changed = !str_eq(out->now, out->before);
    if (*changed && code != 0)
        return editor_keep(out, arena_printf(a, "the editor ended with %d", code).p, err);
    if (!*changed)
        editor_drop(out);
    return ran &&
           (code == 0 ||
            err_set(err, ERR_INTERNAL,
                    "the editor '%s' ended with %d; nothing was changed", editor, code));
}

bool editor_steps(const struct editor_text *e, struct draft *d, struct changed *out,
                  struct err *err)
{
    struct draft_file f;
    struct merge_result merged = {.text = e->now};
    if (!ops_open(d, e->path, &f, err))
        return false;
    struct merge_input in = {.kind = path_extension(e->path).n == 2 ? MERGE_NOTE
                                                                    : MERGE_OPAQUE,
                             .base = &e->before,
                             .ours = &e->now,
                             .theirs = &f.text};
    if (!str_eq(f.text, e->before) && !merge_texts(out->arena, &in, &merged))
        return editor_keep(e, "the note was changed meanwhile, at the same place", err);
    struct edit_result r = {.text = merged.text};
    (void)!edit_narrow(f.text, r.text, &r.line_first, &r.line_last);
    out->done = "edited";
    out->is_done = true;
    return changed_rewrite(out, d, &f, &r, err);
}

void editor_drop(const struct editor_text *e)
{
    file_remove(FILE_CWD, e->file);
}
