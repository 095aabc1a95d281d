#include "sync/message.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "sync/mask.h"

enum { LISTED_MAX = 20, VALUE_MAX = 200 };

static str one_line(struct arena *a, str s)
{
    return str_trim(utf8_cut(mask_line(a, s), VALUE_MAX));
}

static void add_subject(struct sbuf *b, str subject)
{
    str cut = utf8_cut(subject, MESSAGE_SUBJECT);
    sbuf_add(b, cut);
    if (cut.n < subject.n)
        sbuf_add(b, STR("…"));
    sbuf_char(b, '\n');
}

static void add_trailer(struct sbuf *b, const char *name, str value)
{
    str line = one_line(b->arena, value);
    if (line.n > 0)
        sbuf_printf(b, "%s: " STR_FMT "\n", name, STR_ARG(line));
}

static void add_paths(struct sbuf *b, const str *paths, size_t n)
{
    if (n < 2)
        return;
    sbuf_char(b, '\n');
    for (size_t i = 0; i < n && i < LISTED_MAX; i++)
        sbuf_printf(b, "- " STR_FMT "\n", STR_ARG(one_line(b->arena, paths[i])));
    if (n > LISTED_MAX)
        sbuf_printf(b, "- and %zu more\n", n - LISTED_MAX);
}

str message_of(struct arena *a, const struct journal_change *c, str subject,
               const str *paths, size_t n)
{
    struct sbuf b = SBUF_ON(a);
    str tool = c->tool.n > 0 ? one_line(a, c->tool) : STR("vault");
    if (subject.n > 0)
        add_subject(&b, one_line(a, subject));
    else if (n == 1)
        add_subject(&b, arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(tool),
                                     STR_ARG(one_line(a, paths[0]))));
    else
        add_subject(&b, arena_printf(a, STR_FMT ": %zu files", STR_ARG(tool), n));
    add_paths(&b, paths, n);
    sbuf_char(&b, '\n');
    add_trailer(&b, "Tool", c->tool);
    add_trailer(&b, "Client", c->client);
    add_trailer(&b, "User", c->who);
    if (c->accepted_by.n > 0)
        add_trailer(&b, "Proposed-by", c->who.n > 0 ? c->who : c->client);
    add_trailer(&b, "Accepted-by", c->accepted_by);
    if (c->number > 0)
        sbuf_printf(&b, "Vaultd-Change: %llu\n", (unsigned long long)c->number);
    if (c->key.n > 0)
        add_trailer(&b, "Vaultd-Key", message_key(a, c->key));
    return sbuf_str(&b);
}

str message_key(struct arena *a, str key)
{
    enum { SHOWN = HASH_SIZE / 2 };
    uint8_t hash[HASH_SIZE];
    hash_sha256(key, hash);
    return encode_hex(a, (str){(const char *)hash, SHOWN});
}

void message_author(str user, str *name, str *email)
{
    size_t at = str_find_char(user, '<');
    *name = str_trim(at == STR_NONE ? user : str_slice(user, 0, at));
    *email = (str){0};
    if (at != STR_NONE && str_ends(user, STR(">")))
        *email = str_slice(user, at + 1, user.n - 1);
    else if (at == STR_NONE && str_find_char(user, '@') != STR_NONE)
        *email = user;
}
