#include "vault/text/word_diff.h"

#include "base/array.h"
#include "base/map.h"
#include "base/utf8.h"
#include "vault/text/diff_core.h"

/* The length of the word or character at the start of a text that is not empty. */
static size_t next_word(str text)
{
    size_t n, at = 0;
    uint32_t c = utf8_decode(text, &n);
    if (!utf8_is_word(c) || utf8_is_cjk(c))
        return n;
    while (at < text.n) {
        c = utf8_decode(str_skip(text, at), &n);
        if (!utf8_is_word(c) || utf8_is_cjk(c))
            break;
        at += n;
    }
    return at;
}

static str *split_words(struct arena *a, str text, uint32_t *n)
{
    str *out = NULL;
    size_t count = 0;
    for (size_t at = 0, len; at < text.n; at += len) {
        str rest = str_skip(text, at);
        len = next_word(rest);
        *ARRAY_ADD(a, out, count) = str_slice(rest, 0, len);
    }
    *n = (uint32_t)count;
    return out;
}

static struct diff_row number_words(struct arena *a, struct map *t, const str *words,
                                    uint32_t n)
{
    uint32_t *out = ARENA_ARRAY(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = map_add(t, words[i]);
    return (struct diff_row){out, n};
}

struct word_row {
    const str *words;
    const bool *changed;
    uint32_t n, at;
};

/* Parts of the same kind that are next to each other are one. */
static void word_diff_add(struct word_part *out, size_t *n, str text, enum word_kind kind)
{
    struct word_part *last = *n > 0 ? &out[*n - 1] : NULL;
    if (last != NULL && last->kind == kind && last->text.p + last->text.n == text.p)
        last->text.n += text.n;
    else
        out[(*n)++] = (struct word_part){text, kind};
}

/* The words at which a row is that are changed. */
static void add_changed(struct word_row *r, enum word_kind kind, struct word_part *out,
                        size_t *n)
{
    for (; r->at < r->n && r->changed[r->at]; r->at++)
        word_diff_add(out, n, r->words[r->at], kind);
}

static size_t word_diff_join(struct word_row *old, struct word_row *now,
                             struct word_part *out, size_t *same)
{
    size_t n = 0;
    *same = 0;
    for (;;) {
        add_changed(old, WORD_GONE, out, &n);
        add_changed(now, WORD_NEW, out, &n);
        if (now->at == now->n || old->at == old->n)
            return n;
        *same += now->words[now->at].n;
        word_diff_add(out, &n, now->words[now->at++], WORD_SAME);
        old->at++;
    }
}

static size_t whole_texts(struct arena *a, str old_text, str new_text,
                          struct word_part **out)
{
    size_t n = 0;
    *out = ARENA_ARRAY(a, struct word_part, 2);
    if (old_text.n > 0)
        (*out)[n++] = (struct word_part){old_text, WORD_GONE};
    if (new_text.n > 0)
        (*out)[n++] = (struct word_part){new_text, WORD_NEW};
    return n;
}

size_t word_diff(struct arena *a, str old_text, str new_text, struct word_part **out)
{
    struct arena scratch = {0};
    uint64_t work = WORD_DIFF_WORK_MAX;
    size_t same;
    if (old_text.n > WORD_DIFF_MAX || new_text.n > WORD_DIFF_MAX)
        return whole_texts(a, old_text, new_text, out);
    struct word_row old = {0}, now = {0};
    old.words = split_words(&scratch, old_text, &old.n);
    now.words = split_words(&scratch, new_text, &now.n);
    struct map names = {.arena = &scratch};
    struct diff_row x = number_words(&scratch, &names, old.words, old.n);
    struct diff_row y = number_words(&scratch, &names, now.words, now.n);
    bool *dropped = arena_zero(&scratch, old.n + 1);
    bool *added = arena_zero(&scratch, now.n + 1);
    (void)diff_rows(&scratch, x, y, names.n, &work, dropped, added);
    old.changed = dropped;
    now.changed = added;
    *out = ARENA_ARRAY(a, struct word_part, (size_t)old.n + now.n + 1);
    size_t n = word_diff_join(&old, &now, *out, &same);
    size_t least = old_text.n < new_text.n ? old_text.n : new_text.n;
    arena_release(&scratch);
    return same * 5 >= least * 2 && least > 0 ? n
                                              : whole_texts(a, old_text, new_text, out);
}
