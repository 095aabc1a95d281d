/*
 * rename_verify - invariants of every move in any vault: links that meant a file still
 * mean it, and all other links and bytes are unchanged.
 */
#pragma once

#include "base/path.h"
#include "base/sbuf.h"
#include "rename_vault.h"
#include "vault/forms/canvas.h"

/* The texts of all properties that are not links, with their keys. */
static inline void verify_add_props(struct sbuf *out, const struct prop *p)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        sbuf_printf(out, "<%d %u ", c->type, c->n);
        sbuf_add(out, c->key);
        if (c->type != PROP_TEXT || !frontmatter_is_link(c->text))
            sbuf_add(out, c->text);
        verify_add_props(out, c);
        sbuf_char(out, '>');
    }
}

static inline bool verify_is_name(str display, str path)
{
    return str_eq(display, file_title(path)) || str_eq(display, path_name(path));
}

/* The part of a link in the body that may change. */
enum verify_cut { CUT_NOTHING, CUT_PATH, CUT_DISPLAY, CUT_WHOLE };

static inline void verify_add_body(struct sbuf *out, const struct file *f,
                                   const enum verify_cut *cuts)
{
    struct arena a = {0};
    char *keep = arena_alloc(&a, f->text.n + 1);
    memset(keep, 1, f->text.n + 1);
    for (uint32_t i = 0, n = 0; i < f->note.n_links; i++) {
        const struct note_link *l = &f->note.links[i];
        if (l->external || l->kind == NOTE_DEFINITION ||
            (l->kind == NOTE_WIKILINK && names_is_external(span_of(f->text, l->path))))
            continue;
        if (cuts[n] >= CUT_PATH)
            memset(keep + l->path.start, 0, l->path.end - l->path.start);
        if (cuts[n] >= CUT_DISPLAY)
            memset(keep + l->display.start, 0, l->display.end - l->display.start);
        if (cuts[n] >= CUT_WHOLE)
            memset(keep + l->whole.start, 0, l->whole.end - l->whole.start);
        n++;
    }
    for (size_t i = f->note.body; i < f->text.n; i++)
        if (keep[i])
            sbuf_char(out, f->text.p[i]);
    arena_release(&a);
}

/* A canvas without the strings that contain links. */
static inline void verify_add_canvas(struct sbuf *out, const struct file *f)
{
    struct canvas canvas;
    struct err err;
    size_t at = 0;
    if (!canvas_scan(out->arena, f->text, &canvas, &err))
        canvas.n_links = 0;
    for (size_t i = 0; i < canvas.n_links; i++) {
        size_t start = (size_t)(canvas.links[i].raw.p - f->text.p);
        if (start < at)
            continue;
        sbuf_add(out, str_slice(f->text, at, start));
        at = start + canvas.links[i].raw.n;
    }
    sbuf_add(out, str_skip(f->text, at));
}

static inline str verify_rest(struct arena *a, const struct file *f,
                              const enum verify_cut *cuts)
{
    struct sbuf out = SBUF_ON(a);
    if (f->kind == FILE_NOTE) {
        if (f->props != NULL)
            verify_add_props(&out, f->props);
        else
            sbuf_add(&out, str_slice(f->text, 0, f->note.body));
        verify_add_body(&out, f, cuts);
    } else if (f->kind == FILE_CANVAS) {
        verify_add_canvas(&out, f);
    } else {
        sbuf_add(&out, f->text);
    }
    return sbuf_str(&out);
}

static inline file_id verify_resolve(const struct index *x, const struct file *f,
                                     str path)
{
    struct names_answer answer;
    names_resolve(x->names, NULL, path, f->path, f->id, &answer);
    return answer.file;
}

static inline enum verify_cut verify_cut_of(const struct file_link *old,
                                            const struct file_link *now, str was)
{
    if (was.n == 0 || old->path.n == 0)
        return CUT_NOTHING;
    if (old->written->kind != now->written->kind)
        return CUT_WHOLE;
    return verify_is_name(old->display, was) ? CUT_DISPLAY : CUT_PATH;
}

/* Compare one file before and after; returns what is wrong, or NULL. */
static inline const char *verify_file(const struct index *x, const struct index *after,
                                      const struct rename_plan *plan,
                                      const struct file *f)
{
    struct arena a = {0};
    const struct file *g = index_find(after, vault_path_after(plan, f->path));
    struct file_link *old, *now;
    size_t n = file_links(&a, f, &old), body = 0;
    enum verify_cut *cuts = ARENA_ARRAY(&a, enum verify_cut, n);
    const char *wrong = g == NULL ? "a file is gone" : NULL;
    if (wrong == NULL && file_links(&a, g, &now) != n)
        wrong = "there are more or fewer links";
    for (size_t i = 0; wrong == NULL && i < n; i++) {
        file_id t = verify_resolve(x, f, old[i].path);
        file_id u = verify_resolve(after, g, now[i].path);
        str was = names_path(x->names, t), is = names_path(after->names, u);
        if (!str_eq(old[i].subpath, now[i].subpath))
            wrong = "a subpath changed";
        else if (old[i].place != now[i].place)
            wrong = "a link is elsewhere";
        else if (t != NO_FILE && !str_eq(is, vault_path_after(plan, was)))
            wrong = "a link means another file";
        else if (t == NO_FILE && !str_eq(old[i].path, now[i].path))
            wrong = "a link that led nowhere changed";
        else if (old[i].place == FILE_IN_BODY)
            cuts[body++] = verify_cut_of(&old[i], &now[i], was);
    }
    if (wrong == NULL && !str_eq(verify_rest(&a, f, cuts), verify_rest(&a, g, cuts)))
        wrong = "other bytes changed";
    arena_release(&a);
    return wrong;
}

/* Compare the whole vault; *where is the file with the error. */
static inline const char *verify_plan(const struct index *x,
                                      const struct rename_plan *plan, str *where)
{
    struct index *after = vault_apply(x, plan);
    const char *wrong = NULL;
    for (file_id id = 0; id < x->n && wrong == NULL; id++) {
        const struct file *f = index_file(x, id);
        if (f == NULL)
            continue;
        *where = f->path;
        wrong = verify_file(x, after, plan, f);
    }
    index_free(after);
    return wrong;
}
