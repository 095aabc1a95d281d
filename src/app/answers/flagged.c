/*
 * Hidden text in any answer. The answer is printed, and only if it could hide something,
 * parsed again and searched text by text; then it is printed a second time with less room
 * so that the report fits.
 */
#include <stdio.h>

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "base/json.h"
#include "vault/text/hidden.h"
#include "vault/text/instructions.h"

enum {
    FLAGS_MAX = 10,    /* places that are listed */
    FLAG_PATH = 96,    /* bytes of the name of a place */
    FLAG_BYTES = 160,  /* of one place in JSON, at most */
    FLAGS_BYTES = 220, /* of everything around the places */
};

struct flagged_place {
    char in[FLAG_PATH];
    enum hidden_kind kind;
    uint64_t count;
};

struct answer_flags {
    struct flagged_place places[FLAGS_MAX];
    size_t n, total;
    struct hidden_list kinds; /* one item of each kind */
};

/* --- collecting --- */

static bool is_flagged(const struct answer_flags *f, const char *in)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->places[i].in, in) == 0)
            return true;
    return false;
}

static void flagged_note_kind(struct answer_flags *f, enum hidden_kind kind)
{
    struct hidden_list *l = &f->kinds;
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].kind == kind)
            return;
    l->items[l->n++].kind = kind;
}

static void add_flags(struct answer_flags *f, const char *in, const struct hidden_list *h)
{
    uint64_t counts[HIDDEN_KINDS] = {0};
    if (h->n == 0 || is_flagged(f, in))
        return;
    for (size_t i = 0; i < h->n; i++)
        counts[h->items[i].kind] += h->items[i].count;
    for (size_t kind = 0; kind < HIDDEN_KINDS; kind++) {
        if (counts[kind] == 0)
            continue;
        f->total++;
        flagged_note_kind(f, (enum hidden_kind)kind);
        if (f->n == FLAGS_MAX)
            continue;
        struct flagged_place *to = &f->places[f->n++];
        *to =
            (struct flagged_place){.kind = (enum hidden_kind)kind, .count = counts[kind]};
        snprintf(to->in, sizeof(to->in), "%s", in);
    }
}

void answer_flag(struct answer_out *out, const char *list, size_t i, const char *in,
                 const struct hidden_list *hidden)
{
    char place[FLAG_PATH];
    if (out->flags == NULL)
        return;
    snprintf(place, sizeof(place), "%s[%zu].%s", list, i, in);
    add_flags(out->flags, place, hidden);
}

/* at: "results[0].snippet"; empty for the answer itself. A long name is cut. */
static void search_value(struct answer_flags *f, const struct json *j, const char *at)
{
    char in[FLAG_PATH];
    struct hidden_list hidden;
    size_t i = 0;
    if (j->type == JSON_STRING) {
        hidden_find_read(j->text, 1, 0, &hidden);
        add_flags(f, at, &hidden);
    }
    for (const struct json *c = j->child; c != NULL; c = c->next, i++) {
        if (j->type == JSON_ARRAY)
            snprintf(in, sizeof(in), "%s[%zu]", at, i);
        else
            snprintf(in, sizeof(in), "%s%s" STR_FMT, at, at[0] != '\0' ? "." : "",
                     STR_ARG(c->key));
        search_value(f, c, in);
    }
}

static void flagged_found(void *arg, size_t line)
{
    *(bool *)arg = true;
}

/* Whether there can be anything: a character beyond ASCII, a comment, or instructions. */
static bool could_hide(str text)
{
    bool found = false;
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] >= 0x80)
            return true;
    instructions_find(text, flagged_found, &found);
    return found || str_find(text, STR("<!--")) != STR_NONE;
}

/* --- reporting --- */

static void put_flags(struct jsonw *w, const struct answer_flags *f)
{
    jsonw_put_object(w, STR("hidden_text"));
    jsonw_put_str(
        w, STR("note"),
        arena_printf(w->out->arena, "The answer contains %s", hidden_warning(&f->kinds)));
    jsonw_put_array(w, STR("places"));
    for (size_t i = 0; i < f->n; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("in"), str_c(f->places[i].in));
        jsonw_put_str(w, STR("kind"), str_c(hidden_names[f->places[i].kind]));
        jsonw_put_int(w, STR("count"), (int64_t)f->places[i].count);
        jsonw_end(w);
    }
    jsonw_end(w);
    if (f->total > f->n)
        jsonw_put_int(w, STR("total"), (int64_t)f->total);
    jsonw_end(w);
}

static void print_and_search(struct arena *a, struct answer_out *out,
                             const struct answer_shape *shape, const void *result,
                             struct answer_flags *f)
{
    size_t begin = out->w->out->n + out->w->comma;
    const struct json *j;
    struct err ignored;
    *f = (struct answer_flags){0};
    shape->json(out, result);
    str text = str_skip(sbuf_str(out->w->out), begin);
    if (could_hide(text) && json_parse(a, text, &j, &ignored))
        search_value(f, j, "");
}

void answer_print(struct arena *a, struct answer_out *out,
                  const struct answer_shape *shape, const void *result)
{
    if (shape->name == NULL || shape->flags_hidden) {
        shape->json(out, result);
        return;
    }
    struct answer_mark before = answer_mark(out);
    struct answer_flags flags;
    out->flags = &flags;
    print_and_search(a, out, shape, result, &flags);
    if (flags.n > 0) {
        size_t room = FLAGS_BYTES + flags.n * FLAG_BYTES;
        *out->w = before.w;
        out->w->out->n = before.n;
        if (out->max != SIZE_MAX)
            out->max = out->max > room ? out->max - room : 0;
        print_and_search(a, out, shape, result, &flags);
    }
    if (flags.n > 0) {
        jsonw_reopen(out->w);
        put_flags(out->w, &flags);
        jsonw_end(out->w);
    }
    out->flags = NULL;
}

void answer_text(struct model_text *s, const struct answer_shape *shape,
                 const void *result)
{
    enum { ROOM = 700 }; /* bytes of a report, at most */
    size_t begin = s->out->n;
    struct hidden_list hidden;
    shape->text(s, result);
    if (shape->name == NULL || shape->flags_hidden)
        return;
    hidden_find_read(str_skip(sbuf_str(s->out), begin), 1, 0, &hidden);
    if (hidden.n == 0)
        return;
    s->out->n = begin;
    if (s->max != SIZE_MAX)
        s->max = s->max > ROOM ? s->max - ROOM : 0;
    shape->text(s, result);
    hidden_find_read(str_skip(sbuf_str(s->out), begin), 1, 0, &hidden);
    mt_hidden(s, &hidden, " of this answer");
}
