/*
 * A file is a head, the title and the text. The head has a checksum of everything after
 * it, so a file that another program or a full disk has cut short is noticed.
 */
#include "pdf/pdf_cache.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os/folder.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/utf8.h"

struct cache_head {
    char magic[8];
    struct hash_content sum; /* of the bytes from pages on */
    uint32_t pages, cut, title, text;
};

static const char MAGIC[8] = "vdpdf 1\n";

struct pdf_cache {
    char *folder;
    struct lock lock;
    bool counted;
    size_t files, bytes; /* about: other processes may use the folder */
};

struct pdf_cache *pdf_cache_open(const char *folder)
{
    struct pdf_cache *c = mem_zero(sizeof(*c));
    c->folder = mem_str(str_c(folder));
    lock_init(&c->lock, LOCK_PDF_CACHE);
    return c;
}

void pdf_cache_close(struct pdf_cache *c)
{
    if (c == NULL)
        return;
    lock_release(&c->lock);
    free(c->folder);
    free(c);
}

static const char *cache_path(const struct pdf_cache *c, struct arena *a, str bytes)
{
    uint8_t sum[HASH_SIZE];
    hash_sha256(bytes, sum);
    str name = encode_hex(a, (str){(const char *)sum, sizeof(sum)});
    return arena_printf(a, "%s/" STR_FMT, c->folder, STR_ARG(name)).p;
}

/* --- one file --- */

static struct hash_content cache_sum(str stored)
{
    return hash_content(str_skip(stored, offsetof(struct cache_head, pages)));
}

static str cache_pack(struct arena *a, const struct pdf *p)
{
    struct cache_head head = {.pages = p->pages,
                              .cut = p->cut,
                              .title = (uint32_t)p->title.n,
                              .text = (uint32_t)p->text.n};
    struct sbuf out = SBUF_ON(a);
    memcpy(head.magic, MAGIC, sizeof(MAGIC));
    sbuf_add(&out, (str){(const char *)&head, sizeof(head)});
    sbuf_add(&out, p->title);
    sbuf_add(&out, p->text);
    head.sum = cache_sum(sbuf_str(&out));
    memcpy(out.p, &head, sizeof(head));
    return sbuf_str(&out);
}

static bool cache_unpack(str stored, struct pdf *out)
{
    struct cache_head head;
    if (stored.n < sizeof(head))
        return false;
    memcpy(&head, stored.p, sizeof(head));
    str rest = str_skip(stored, sizeof(head));
    if (memcmp(head.magic, MAGIC, sizeof(MAGIC)) != 0 ||
        !hash_same(head.sum, cache_sum(stored)) || head.cut > 1 ||
        head.title > PDF_TITLE_MAX || head.text > PDF_TEXT_MAX ||
        rest.n != (size_t)head.title + head.text || !utf8_valid(rest))
        return false;
    *out = (struct pdf){.pages = head.pages,
                        .title = str_slice(rest, 0, head.title),
                        .cut = head.cut == 1,
                        .text = str_skip(rest, head.title)};
    return true;
}

static bool cache_get(struct arena *a, const char *path, struct pdf *out)
{
    enum { STORED_MAX = sizeof(struct cache_head) + PDF_TITLE_MAX + PDF_TEXT_MAX };
    struct err err;
    str stored;
    if (!fs_read_file(a, str_c(path), STORED_MAX, &stored, &err)) {
        if (err.code == ERR_LIMIT)
            file_remove(FILE_CWD, path);
        return false;
    }
    if (cache_unpack(stored, out))
        return true;
    file_remove(FILE_CWD, path);
    return false;
}

/* --- the folder --- */

struct cache_entry {
    str path;
    size_t bytes;
    int64_t made_ns;
};

static int cache_older(const void *x, const void *y)
{
    int64_t a = ((const struct cache_entry *)x)->made_ns;
    int64_t b = ((const struct cache_entry *)y)->made_ns;
    return (a > b) - (a < b);
}

static size_t cache_list(const struct pdf_cache *c, struct arena *a,
                         struct cache_entry **out)
{
    struct cache_entry *all = NULL;
    size_t n = 0;
    struct folder_names names = folder_names(FILE_CWD, c->folder);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        struct file_stat st;
        str path = arena_printf(a, "%s/%s", c->folder, name);
        if (file_stat_at(names.fd, name, FILE_FOLLOW, &st) && st.type == FILE_REGULAR)
            *ARRAY_ADD(a, all, n) =
                (struct cache_entry){path, (size_t)st.size, st.modified_ns};
    }
    folder_end(&names);
    *out = all;
    return n;
}

static bool cache_is_full(const struct pdf_cache *c, size_t share)
{
    return c->files > PDF_CACHE_FILES / 8 * share ||
           c->bytes > (size_t)PDF_CACHE_BYTES / 8 * share;
}

/* Count what is there. If it is too much, remove the oldest, and some more, so that this
 * is rarely needed. */
static void cache_count(struct pdf_cache *c)
{
    struct arena a = {0};
    struct cache_entry *all;
    size_t n = cache_list(c, &a, &all);
    c->counted = true;
    c->files = n;
    c->bytes = 0;
    for (size_t i = 0; i < n; i++)
        c->bytes += all[i].bytes;
    if (cache_is_full(c, 8)) {
        sort_items(all, n, sizeof(*all), cache_older);
        for (size_t i = 0; i < n && cache_is_full(c, 7); i++) {
            file_remove(FILE_CWD, all[i].path.p);
            c->files--;
            c->bytes -= all[i].bytes;
        }
    }
    arena_release(&a);
}

static void cache_put(struct pdf_cache *c, struct arena *a, const char *path,
                      const struct pdf *p)
{
    struct err err = {0};
    str stored = cache_pack(a, p);
    if (!fs_make_folder(c->folder, &err) || !fs_replace_file(path, stored, &err)) {
        log_event(LOG_WARN, "pdf_cache", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
        return;
    }
    lock_take(&c->lock);
    c->files++;
    c->bytes += stored.n;
    if (!c->counted || cache_is_full(c, 8))
        cache_count(c);
    lock_drop(&c->lock);
}

bool pdf_cache_read(struct pdf_cache *c, struct arena *a, str bytes,
                    const struct pdf_how *how, struct pdf *out, struct err *err)
{
    const char *path = c != NULL ? cache_path(c, a, bytes) : NULL;
    if (path != NULL && cache_get(a, path, out))
        return true;
    if (!pdf_read(a, bytes, 1, 0, how, out, err))
        return false;
    if (path != NULL)
        cache_put(c, a, path, out);
    return true;
}
