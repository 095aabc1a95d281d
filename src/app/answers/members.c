/* Answers that are short: what their JSON has, one line for each member. */
#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "base/json.h"

static void members_value(struct model_text *s, const struct json *j)
{
    struct jsonw w = JSONW_ON(s->out);
    if (j->type == JSON_STRING)
        mt_line(s, j->text);
    else
        jsonw_value(&w, j);
}

static bool is_short_list(const struct json *j)
{
    for (const struct json *c = j->child; c != NULL; c = c->next)
        if (c->type == JSON_OBJECT || c->type == JSON_ARRAY)
            return false;
    return true;
}

static void members_one(struct model_text *s, const struct json *j, int depth);

/* What follows "name:". */
static void members_children(struct model_text *s, const struct json *j, int depth)
{
    if (j->type == JSON_ARRAY && is_short_list(j)) {
        sbuf_char(s->out, ' ');
        for (const struct json *c = j->child; c != NULL; c = c->next) {
            members_value(s, c);
            sbuf_add(s->out, c->next != NULL ? STR(", ") : STR(""));
        }
        sbuf_char(s->out, '\n');
        return;
    }
    sbuf_char(s->out, '\n');
    for (const struct json *c = j->child; c != NULL; c = c->next)
        members_one(s, c, depth + 1);
}

static void members_one(struct model_text *s, const struct json *j, int depth)
{
    sbuf_printf(s->out, "%*s", 2 * depth, "");
    sbuf_printf(s->out, STR_FMT, STR_ARG(j->key.n > 0 ? j->key : STR("-")));
    sbuf_add(s->out, j->key.n > 0 ? STR(":") : STR(""));
    if (j->type == JSON_OBJECT || j->type == JSON_ARRAY) {
        members_children(s, j, depth);
        return;
    }
    sbuf_char(s->out, ' ');
    members_value(s, j);
    sbuf_char(s->out, '\n');
}

void answer_members(struct model_text *s, answer_printer *json, const void *result)
{
    struct sbuf text = SBUF_ON(s->out->arena);
    struct jsonw w = JSONW_ON(&text);
    struct answer_out out = {.w = &w, .max = s->max};
    const struct json *j;
    struct err ignored;
    json(&out, result);
    if (!json_parse(s->out->arena, sbuf_str(&text), &j, &ignored))
        BUG("an answer is not JSON");
    for (const struct json *c = j->child; c != NULL; c = c->next)
        members_one(s, c, 0);
}
