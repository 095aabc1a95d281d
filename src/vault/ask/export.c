#include "vault/ask/export.h"

#include "base/encode.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "vault/index/names.h"

/* What a reader sees of a wikilink. */
static str export_shown(struct arena *a, str text, const struct note_link *l)
{
    str path = span_of(text, l->path), sub = span_of(text, l->subpath);
    if (l->display.end > l->display.start)
        return span_of(text, l->display);
    if (path.n == 0)
        return str_skip(sub, 1);
    return arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(path), sub.n > 0 ? " > " : "",
                        STR_ARG(str_skip(sub, 1)));
}

static void export_add_link(struct sbuf *out, str label, str path)
{
    sbuf_char(out, '[');
    sbuf_add(out, label);
    sbuf_add(out, STR("]("));
    for (size_t i = 0; i < path.n; i++) { /* encode_percent() leaves brackets */
        if (path.p[i] == '(' || path.p[i] == ')')
            sbuf_printf(out, "%%%02X", (unsigned)path.p[i]);
        else
            sbuf_char(out, path.p[i]);
    }
    sbuf_char(out, ')');
}

static void export_add_wikilink(struct sbuf *out, const struct index *x,
                                const struct file *f, const struct note_link *l)
{
    struct names_answer answer;
    str label = export_shown(out->arena, f->text, l);
    names_resolve(x->names, NULL, span_of(f->text, l->path), f->path, f->id, &answer);
    str target = answer.file != NO_FILE ? names_path(x->names, answer.file) : (str){0};
    bool beside = target.n > 0 && !l->embed && answer.file != f->id &&
                  str_eq(path_folder(target), path_folder(f->path));
    if (beside)
        export_add_link(out, label, encode_percent(out->arena, path_name(target)));
    else
        sbuf_add(out, label);
}

str export_note(struct arena *a, const struct index *x, const struct file *f)
{
    struct sbuf out = SBUF_ON(a);
    size_t at = 0;
    for (uint32_t i = 0; i < f->note.n_links; i++) {
        const struct note_link *l = &f->note.links[i];
        if (l->kind != NOTE_WIKILINK || l->whole.start < at)
            continue;
        sbuf_add(&out, str_slice(f->text, at, l->whole.start));
        export_add_wikilink(&out, x, f, l);
        at = l->whole.end;
    }
    sbuf_add(&out, str_skip(f->text, at));
    return sbuf_str(&out);
}
