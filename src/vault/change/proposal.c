/*
 *     {"v":1,"tool":"edit",...,"ops":[{"op":"write","path":"a.md","text":5,...}]}\n
 *     hello
 *
 * Every operation names the length of its text and of its base; these follow the line in
 * the same order, the text first.
 */
#include "vault/change/proposal.h"

#include "base/json_write.h"
#include "vault/change/journal_record.h"

enum { PROPOSAL_VERSION = 1 };

/* --- printing --- */

static void put_op(struct arena *a, struct jsonw *w, const struct proposal_op *p)
{
    const struct change_op *op = &p->op;
    jsonw_object(w);
    jsonw_put_str(w, STR("op"), journal_print_kind(op->kind));
    jsonw_put_str(w, STR("path"), op->path);
    jsonw_put_text(w, STR("to"), op->to);
    jsonw_put_int(w, STR("expects"), op->expects);
    if (op->expects == CHANGE_SAME)
        jsonw_put_str(w, STR("was"), journal_print_hash(a, op->was));
    if (op->mode > 0)
        jsonw_put_int(w, STR("mode"), op->mode);
    jsonw_put_text(w, STR("found"), p->found);
    jsonw_put_int(w, STR("text"), (int64_t)op->text.n);
    jsonw_put_int(w, STR("base"), (int64_t)p->base.n);
    jsonw_end(w);
}

str proposal_print(struct arena *a, const struct proposal *p)
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    jsonw_object(&w);
    jsonw_put_int(&w, STR("v"), PROPOSAL_VERSION);
    jsonw_put_text(&w, STR("tool"), p->by.tool);
    jsonw_put_text(&w, STR("who"), p->by.who);
    jsonw_put_text(&w, STR("client"), p->by.client);
    jsonw_put_text(&w, STR("grant"), p->by.grant);
    jsonw_put_text(&w, STR("summary"), p->summary);
    jsonw_put_int(&w, STR("files"), (int64_t)p->files);
    jsonw_put_array(&w, STR("ops"));
    for (size_t i = 0; i < p->n; i++)
        put_op(a, &w, &p->ops[i]);
    jsonw_end(&w);
    jsonw_end(&w);
    sbuf_char(&b, '\n');
    for (size_t i = 0; i < p->n; i++) {
        sbuf_add(&b, p->ops[i].op.text);
        sbuf_add(&b, p->ops[i].base);
    }
    return sbuf_str(&b);
}

/* --- parsing --- */

/* Takes the next bytes of *rest, as many as the member says. */
static bool take_bytes(const struct json *j, str member, str *rest, str *out)
{
    int64_t n;
    if (!json_int(json_get(j, member), &n) || n < 0 || (uint64_t)n > rest->n)
        return false;
    *out = str_slice(*rest, 0, (size_t)n);
    *rest = str_skip(*rest, (size_t)n);
    return true;
}

static bool parse_op(const struct json *j, str *rest, struct proposal_op *out)
{
    struct change_op *op = &out->op;
    int64_t expects, mode = 0;
    if (!journal_parse_kind(json_get_str(j, STR("op")), &op->kind) ||
        !json_int(json_get(j, STR("expects")), &expects) || expects < CHANGE_ANY ||
        expects > CHANGE_SAME ||
        (expects == CHANGE_SAME && !journal_parse_hash(j, STR("was"), &op->was)))
        return false;
    (void)json_int(json_get(j, STR("mode")), &mode);
    op->expects = (enum change_expects)expects;
    op->mode = (unsigned)mode;
    op->path = json_get_str(j, STR("path"));
    op->to = json_get_str(j, STR("to"));
    out->found = json_get_str(j, STR("found"));
    return op->path.n > 0 && take_bytes(j, STR("text"), rest, &op->text) &&
           take_bytes(j, STR("base"), rest, &out->base);
}

static bool parse_all(struct arena *a, const struct json *j, str rest,
                      struct proposal *out)
{
    const struct json *ops = json_get(j, STR("ops"));
    int64_t version, files;
    if (!json_int(json_get(j, STR("v")), &version) || version != PROPOSAL_VERSION ||
        !json_int(json_get(j, STR("files")), &files) || files < 0 ||
        !json_is(ops, JSON_ARRAY) || ops->n > PROPOSAL_OPS_MAX)
        return false;
    *out = (struct proposal){.by = {.tool = json_get_str(j, STR("tool")),
                                    .who = json_get_str(j, STR("who")),
                                    .client = json_get_str(j, STR("client")),
                                    .grant = json_get_str(j, STR("grant"))},
                             .summary = json_get_str(j, STR("summary")),
                             .files = (uint64_t)files,
                             .ops = ARENA_ARRAY(a, struct proposal_op, ops->n)};
    for (const struct json *op = ops->child; op != NULL; op = op->next) {
        out->ops[out->n] = (struct proposal_op){0};
        if (!parse_op(op, &rest, &out->ops[out->n++]))
            return false;
    }
    return rest.n == 0;
}

bool proposal_parse(struct arena *a, str text, struct proposal *out, struct err *err)
{
    const struct json *j;
    str line;
    struct err ignored;
    bool ok = str_next(&text, '\n', &line) && json_parse(a, line, &j, &ignored) &&
              parse_all(a, j, text, out);
    return ok ||
           err_set(err, ERR_INVALID, "the proposal is damaged or from a newer vaultd");
}

bool proposal_is_by_file(const struct proposal *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->ops[i].op.kind != JOURNAL_WRITE && p->ops[i].op.kind != JOURNAL_DELETE)
            return false;
    return true;
}
