#include "base/array.h"
#include "base/text.h"
#include "vault/note/merge_parts.h"

void merge_put(struct merge *m, str text, str blanks, str eol)
{
    if (m->out.n > m->body && !is_break(m->out.p[m->out.n - 1]))
        sbuf_add(&m->out, m->eol); /* this was the last line and had no line ending */
    sbuf_add(&m->out, text);
    sbuf_add(&m->out, blanks);
    sbuf_add(&m->out, eol);
}

void merge_put_new(struct merge *m, const struct merge_line *line)
{
    bool other = line->eol.n > 0 && str_eq(line->eol, m->eol_old);
    merge_put(m, line->text, line->blanks, other ? m->eol : line->eol);
}

void merge_collide(struct merge *m, size_t from, uint32_t start, uint32_t end)
{
    struct merge_result *r = m->result;
    *ARRAY_ADD(m->arena, r->collisions, r->n_collisions) = (struct merge_collision){
        .result = {(uint32_t)from, (uint32_t)m->out.n},
        .theirs = {start, end},
    };
}
