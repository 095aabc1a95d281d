/*
 *     {"n":12,"time":...,"ops":[{"op":"write","path":"a.md","old":5,...}]}\n
 *     hello\n
 *     #<SHA-256 of the chain before and of all of the above>\n
 *
 * Members that older versions may ignore can be added. Whatever they would misread, such
 * as another kind of operation, needs a record with "v" above JOURNAL_VERSION.
 */
#include "vault/change/journal_record.h"

#include "base/encode.h"
#include "base/json_write.h"

static const char *const kinds[] = {
    [JOURNAL_WRITE] = "write",
    [JOURNAL_MOVE] = "move",
    [JOURNAL_DELETE] = "delete",
    [JOURNAL_MAKE_FOLDER] = "make_folder",
    [JOURNAL_REMOVE_FOLDER] = "remove_folder",
};

/* --- printing --- */

str journal_print_kind(enum journal_kind kind)
{
    return str_c(kinds[kind]);
}

str journal_print_hash(struct arena *a, struct hash_content h)
{
    return arena_printf(a, "%016llx%016llx", (unsigned long long)h.high,
                        (unsigned long long)h.low);
}

static void put_identity(struct jsonw *w, const struct journal_identity *is)
{
    if (is->inode == 0)
        return;
    jsonw_put_int(w, STR("inode"), (int64_t)is->inode);
    jsonw_put_int(w, STR("born"), is->born_ns);
    jsonw_put_int(w, STR("size"), is->size);
}

static void put_op(struct arena *a, struct jsonw *w, const struct journal_op *op)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("op"), str_c(kinds[op->kind]));
    jsonw_put_str(w, STR("path"), op->path);
    if (op->kind == JOURNAL_MOVE)
        jsonw_put_str(w, STR("to"), op->to);
    if (op->existed || op->kind == JOURNAL_DELETE) {
        jsonw_put_str(w, STR("before"), journal_print_hash(a, op->before));
        jsonw_put_int(w, STR("old"), (int64_t)op->old.n);
    }
    put_identity(w, &op->is);
    if (op->folder)
        jsonw_put_bool(w, STR("folder"), true);
    if (op->mode > 0)
        jsonw_put_int(w, STR("mode"), op->mode);
    if (op->kind == JOURNAL_WRITE || op->after.low != 0 || op->after.high != 0)
        jsonw_put_str(w, STR("after"), journal_print_hash(a, op->after));
    jsonw_end(w);
}

static void journal_record_put_text(struct jsonw *w, str key, str text)
{
    if (text.n > 0)
        jsonw_put_str(w, key, text);
}

size_t journal_file_ops(const struct journal_change *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += journal_is_of_file(&c->ops[i]);
    return n;
}

static void put_change(struct arena *a, struct jsonw *w, const struct journal_change *c)
{
    jsonw_object(w);
    jsonw_put_int(w, STR("n"), (int64_t)c->number);
    jsonw_put_int(w, STR("time"), c->time);
    if (c->dated > 0 && c->dated != c->time)
        jsonw_put_int(w, STR("dated"), c->dated);
    if (c->confirmed)
        jsonw_put_bool(w, STR("confirmed"), true);
    if (c->concealed)
        jsonw_put_bool(w, STR("concealed"), true);
    journal_record_put_text(w, STR("tool"), c->tool);
    journal_record_put_text(w, STR("who"), c->who);
    journal_record_put_text(w, STR("client"), c->client);
    journal_record_put_text(w, STR("grant"), c->grant);
    journal_record_put_text(w, STR("accepted_by"), c->accepted_by);
    journal_record_put_text(w, STR("key"), c->key);
    journal_record_put_text(w, STR("request"), c->request);
    journal_record_put_text(w, STR("answer"), c->answer);
    if (c->files > 0 && c->files != journal_file_ops(c))
        jsonw_put_int(w, STR("files"), (int64_t)c->files);
    if (c->undoes > 0)
        jsonw_put_int(w, STR("undoes"), (int64_t)c->undoes);
    jsonw_put_array(w, STR("ops"));
    for (size_t i = 0; i < c->n; i++)
        put_op(a, w, &c->ops[i]);
    jsonw_end(w);
    jsonw_end(w);
}

/* Append the link of the chain to the record in b. */
static void put_chain(struct arena *a, struct sbuf *b, char chain[JOURNAL_CHAIN])
{
    struct sbuf all = SBUF_ON(a);
    uint8_t sum[HASH_SIZE];
    sbuf_add(&all, (str){chain, JOURNAL_CHAIN});
    sbuf_add(&all, sbuf_str(b));
    hash_sha256(sbuf_str(&all), sum);
    str text = encode_hex(a, (str){(const char *)sum, sizeof(sum)});
    memcpy(chain, text.p, JOURNAL_CHAIN);
    sbuf_printf(b, "#" STR_FMT "\n", STR_ARG(text));
}

str journal_print_change(struct arena *a, const struct journal_change *c,
                         char chain[JOURNAL_CHAIN])
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    put_change(a, &w, c);
    sbuf_char(&b, '\n');
    for (size_t i = 0; i < c->n; i++)
        sbuf_add(&b, c->ops[i].old);
    sbuf_char(&b, '\n');
    put_chain(a, &b, chain);
    return sbuf_str(&b);
}

str journal_print_end(struct arena *a, uint64_t number, bool ok,
                      char chain[JOURNAL_CHAIN])
{
    struct sbuf b = SBUF_ON(a);
    sbuf_printf(&b, "{\"end\":%llu,\"ok\":%s}\n\n", (unsigned long long)number,
                ok ? "true" : "false");
    put_chain(a, &b, chain);
    return sbuf_str(&b);
}

/* --- parsing --- */

bool journal_parse_hash(const struct json *j, str key, struct hash_content *out)
{
    str text = json_get_str(j, key);
    uint64_t half[2] = {0};
    for (size_t i = 0; i < text.n && i < 32; i++) {
        size_t digit = str_find_char(STR("0123456789abcdef"), text.p[i]);
        if (digit == STR_NONE)
            return false;
        half[i / 16] = half[i / 16] << 4 | digit;
    }
    *out = (struct hash_content){half[0], half[1]};
    return text.n == 32;
}

static bool parse_size(const struct json *j, str key, uint64_t *out)
{
    int64_t n;
    if (!json_int(json_get(j, key), &n) || n < 0)
        return false;
    *out = (uint64_t)n;
    return true;
}

/* Inodes of 64 bits are written as signed numbers. Records of older versions have none. */
static struct journal_identity parse_identity(const struct json *j)
{
    struct journal_identity is = {0};
    int64_t inode = 0;
    if (json_int(json_get(j, STR("inode")), &inode) &&
        json_int(json_get(j, STR("born")), &is.born_ns) &&
        json_int(json_get(j, STR("size")), &is.size))
        is.inode = (uint64_t)inode;
    return is;
}

bool journal_parse_kind(str name, enum journal_kind *out)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_eq(name, str_c(kinds[i]))) {
            *out = (enum journal_kind)i;
            return true;
        }
    return false;
}

static bool parse_op(const struct json *j, struct journal_op *op, size_t *old_bytes)
{
    bool known = journal_parse_kind(json_get_str(j, STR("op")), &op->kind);
    op->path = json_get_str(j, STR("path"));
    op->to = json_get_str(j, STR("to"));
    uint64_t old = 0, mode = 0;
    (void)parse_size(j, STR("mode"), &mode);
    op->mode = mode & 07777;
    op->is = parse_identity(j);
    op->folder = json_get_true(j, STR("folder"));
    op->existed = parse_size(j, STR("old"), &old);
    if (old > SIZE_MAX / 4 || *old_bytes > SIZE_MAX / 4)
        return false;
    op->old.n = old;
    *old_bytes += old;
    return known && op->path.n > 0 &&
           (!op->existed || journal_parse_hash(j, STR("before"), &op->before)) &&
           (journal_parse_hash(j, STR("after"), &op->after) || op->kind != JOURNAL_WRITE);
}

static bool parse_change(struct arena *a, const struct json *j, struct journal_line *out)
{
    struct journal_change *c = &out->change;
    const struct json *ops = json_get(j, STR("ops"));
    if (!parse_size(j, STR("n"), &c->number) || c->number == 0 ||
        !json_int(json_get(j, STR("time")), &c->time) || !json_is(ops, JSON_ARRAY) ||
        ops->n > JOURNAL_OPS_MAX)
        return false;
    c->tool = json_get_str(j, STR("tool"));
    c->who = json_get_str(j, STR("who"));
    c->client = json_get_str(j, STR("client"));
    c->grant = json_get_str(j, STR("grant"));
    c->accepted_by = json_get_str(j, STR("accepted_by"));
    c->confirmed = json_get_true(j, STR("confirmed"));
    c->concealed = json_get_true(j, STR("concealed"));
    if (!json_int(json_get(j, STR("dated")), &c->dated))
        c->dated = c->time;
    c->key = json_get_str(j, STR("key"));
    c->request = json_get_str(j, STR("request"));
    c->answer = json_get_str(j, STR("answer"));
    (void)parse_size(j, STR("undoes"), &c->undoes);
    (void)parse_size(j, STR("files"), &c->files);
    c->ops = ARENA_ARRAY(a, struct journal_op, ops->n);
    for (const struct json *op = ops->child; op != NULL; op = op->next)
        if (!parse_op(op, &c->ops[c->n++], &out->old_bytes))
            return false;
    return true;
}

bool journal_parse(struct arena *a, str line, struct journal_line *out, struct err *err)
{
    const struct json *j;
    *out = (struct journal_line){0};
    uint64_t version = JOURNAL_VERSION;
    if (!json_parse(a, line, &j, err))
        return false;
    (void)parse_size(j, STR("v"), &version);
    out->newer = version > JOURNAL_VERSION;
    if (out->newer)
        return err_set(err, ERR_INVALID, "a record is from a newer version of vaultd");
    out->is_end = parse_size(j, STR("end"), &out->of);
    out->ok = json_get_true(j, STR("ok"));
    if (out->is_end || parse_change(a, j, out))
        return true;
    return err_set(err, ERR_INVALID, "a line of the journal is not a record");
}

bool journal_measure(struct arena *a, str text, const char *follows,
                     char chain[JOURNAL_CHAIN], struct journal_line *line, size_t *length,
                     struct err *err)
{
    *length = 0;
    size_t end = str_find_char(text, '\n');
    if (end == STR_NONE)
        return true;
    if (!journal_parse(a, str_slice(text, 0, end), line, err))
        return false;
    size_t body = end + 1 + line->old_bytes + 1;
    if (body + 1 + JOURNAL_CHAIN + 1 > text.n)
        return true;
    str trailer = str_slice(text, body, body + JOURNAL_CHAIN + 2);
    if (trailer.p[0] != '#' || trailer.p[JOURNAL_CHAIN + 1] != '\n')
        return err_set(err, ERR_INVALID, "a record of the journal has no end line");
    if (follows != NULL) {
        struct sbuf again = SBUF_ON(a);
        sbuf_add(&again, str_slice(text, 0, body));
        memcpy(chain, follows, JOURNAL_CHAIN);
        put_chain(a, &again, chain);
        if (memcmp(chain, trailer.p + 1, JOURNAL_CHAIN) != 0)
            return err_set(err, ERR_INVALID, "a record of the journal was altered");
    }
    memcpy(chain, trailer.p + 1, JOURNAL_CHAIN);
    *length = body + trailer.n;
    return true;
}
