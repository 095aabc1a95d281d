#include "app/answers/answer.h"

#include <math.h>

size_t answer_room(const struct answer_out *out)
{
    size_t used = out->w->out->n + ANSWER_REST;
    return used < out->max ? out->max - used : 0;
}

struct answer_mark answer_mark(const struct answer_out *out)
{
    return (struct answer_mark){*out->w, out->w->out->n};
}

bool answer_keep(struct answer_out *out, const struct answer_mark *mark)
{
    if (answer_room(out) > 0)
        return true;
    *out->w = mark->w;
    out->w->out->n = mark->n;
    return false;
}

size_t answer_items(struct answer_out *out, str key, const void *result, size_t n,
                    answer_item *put)
{
    size_t i = 0;
    jsonw_put_array(out->w, key);
    for (; i < n; i++) {
        struct answer_mark mark = answer_mark(out);
        put(out, result, i);
        if (i > 0 && !answer_keep(out, &mark))
            break;
    }
    jsonw_end(out->w);
    return i;
}

size_t answer_some(const struct answer_out *out, size_t n, size_t few)
{
    return out->max == SIZE_MAX || n < few ? n : few;
}

void answer_cosine(struct answer_out *out, float cosine)
{
    jsonw_key(out->w, STR("meaning"));
    jsonw_num(out->w, round((double)cosine * 100) / 100);
}

void answer_more(struct answer_out *out)
{
    jsonw_put_bool(out->w, STR("truncated"), true);
    jsonw_put_object(out->w, STR("next"));
}

void answer_next(struct answer_out *out, size_t end, size_t total)
{
    if (end >= total)
        return;
    answer_more(out);
    jsonw_put_int(out->w, STR("offset"), (int64_t)end);
    jsonw_end(out->w);
}
