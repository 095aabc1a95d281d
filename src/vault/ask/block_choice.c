#include "vault/ask/block_choice.h"

#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/note/note.h"

bool block_choose(const struct file *f, struct arena *a, str sub,
                  struct block_choice *out, struct err *err)
{
    enum { SHOWN = 80 };
    *out = (struct block_choice){.section = {0, (uint32_t)f->text.n}};
    if (sub.n == 0)
        return true;
    const struct note_heading *h =
        note_find_heading(&f->note, arena_printf(a, "#" STR_FMT, STR_ARG(sub)));
    if (h != NULL)
        out->section = h->section;
    else if (!str_to_int(sub, &out->number) || out->number < 1)
        return err_named(
            err, E_HEADING_NOT_FOUND, "no heading '" STR_FMT "' in '" STR_FMT "'",
            STR_ARG(utf8_cut(sub, SHOWN)), STR_ARG(utf8_cut(f->path, SHOWN)));
    return true;
}

bool block_is_chosen(const struct block_choice *c, struct span block, size_t n)
{
    return block.start >= c->section.start && block.start < c->section.end &&
           (c->number == 0 || (size_t)c->number == n);
}
