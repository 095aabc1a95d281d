/* Whether a note in which names were replaced is otherwise the note that it was. */
#include "base/array.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/note/readback.h"

/* The same members of the same types; of their names, one may be another. */
static bool is_same_shape(const struct prop *was, const struct prop *is, size_t *renamed)
{
    if (was->type != is->type || was->n != is->n)
        return false;
    const struct prop *y = is->child;
    for (const struct prop *x = was->child; x != NULL; x = x->next, y = y->next) {
        if (y == NULL || !is_same_shape(x, y, renamed))
            return false;
        *renamed += !str_eq(x->key, y->key);
    }
    return y == NULL && *renamed <= 1;
}

/* Properties that cannot be read were not looked at. */
static bool has_same_properties(struct arena *a, const struct file *f,
                                const struct note *is)
{
    struct frontmatter props;
    size_t renamed = 0;
    if (f->props == NULL || f->props->child == NULL)
        return true;
    frontmatter_read(a, span_of(is->text, is->frontmatter), 1, &props);
    return !props.broken && is_same_shape(f->props, props.props, &renamed);
}

static void list_ranges(const struct splices *s, struct edit_range *cut,
                        struct edit_range *put)
{
    size_t at = 0, end = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct rename_splice *x = &s->items[i];
        at += x->start - end;
        end = x->end;
        cut[i] = (struct edit_range){x->start, x->end};
        put[i] = (struct edit_range){at, at + x->text.n};
        at = put[i].end;
    }
}

str rename_readback(const struct rename_visit *v, str text)
{
    if (v->file->kind != FILE_NOTE)
        return (str){0};
    struct arena scratch = {0};
    const struct splices *s = &v->splices;
    struct edit_range *cut = ARENA_ARRAY(&scratch, struct edit_range, s->n),
                      *put = ARENA_ARRAY(&scratch, struct edit_range, s->n);
    struct note was = v->file->note, is;
    if (v->file->searched < v->file->text.n) /* a drawing, whose data has headings */
        note_scan(&scratch, v->file->text, &was);
    list_ranges(s, cut, put);
    note_scan(&scratch, text, &is);
    struct readback r = {.was = &was,
                         .is = &is,
                         .cut = cut,
                         .put = put,
                         .n = s->n,
                         .inside = v->retitles  ? READBACK_ANY
                                   : v->unlinks ? READBACK_NO_LINKS
                                                : READBACK_SAME};
    str problem = readback_problem(v->arena, &r, "would no longer be", "would become");
    if (problem.n == 0 && !has_same_properties(&scratch, v->file, &is))
        problem = STR("other properties would change, too");
    arena_release(&scratch);
    return problem;
}
