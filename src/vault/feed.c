/*
 * The file has a line of JSON for each entry, after a first one that says which log this is
 * and from when on it is complete. Who appends has locked FILE.lock. It is only appended to;
 * when it is too large, it is replaced by one with the latest entries, which readers notice
 * because it is another file. What is not a line of an entry, such as one that a crash has
 * cut off, is skipped.
 */
#include "vault/feed.h"

#include <errno.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/os/rand.h"
#include "base/timed_lock.h"

const char *const feed_kind_names[FEED_KINDS] = {"created", "changed", "moved",
                                                 "deleted"};

/* --- the log in memory --- */

static void log_release(struct feed_log *l)
{
    arena_release(&l->arena);
    free(l->latest);
    map_release(&l->paths);
    *l = (struct feed_log){0};
}

static bool is_gone(const struct feed_entry *e, str path)
{
    return e->kind == FEED_DELETED || (e->kind == FEED_MOVED && str_eq(e->from, path));
}

static struct hash_content left_of(const struct feed_entry *e, str path)
{
    return is_gone(e, path) ? (struct hash_content){0} : e->left;
}

/* The latest entry about a path; NULL if there is none. */
static struct feed_entry *log_latest(const struct feed_log *l, str path)
{
    uint32_t i = map_find(&l->paths, path);
    return i == MAP_NONE ? NULL : &l->items[l->latest[i]];
}

bool feed_has_change(const struct feed_log *l, uint64_t change, str path)
{
    for (size_t i = l->n; i-- > 0;)
        if (l->items[i].change == change &&
            (str_eq(l->items[i].path, path) || str_eq(l->items[i].from, path)))
            return true;
    return false;
}

static bool same_hand(const struct feed_entry *x, const struct feed_entry *y)
{
    return str_eq(x->who, y->who) && str_eq(x->client, y->client) &&
           str_eq(x->tool, y->tool);
}

static bool takes_place(const struct feed_entry *e, const struct feed_entry *before)
{
    return e->kind == FEED_CHANGED && before->kind == FEED_CHANGED &&
           e->concealed == before->concealed && same_hand(e, before) &&
           e->at - before->at <= FEED_MERGE_MS;
}

static void set_latest(struct feed_log *l, str path, uint32_t item)
{
    if (path.n == 0)
        return;
    uint32_t known = l->paths.n, i = map_add(&l->paths, path);
    if (i == known && array_is_full(i))
        l->latest = array_grow(NULL, l->latest, i, sizeof(*l->latest));
    l->latest[i] = item;
}

static void log_put(struct feed_log *l, const struct feed_entry *e)
{
    struct feed_entry *before = log_latest(l, e->path);
    if (before != NULL && !before->over && takes_place(e, before)) {
        before->over = true;
        l->over++;
    }
    uint32_t at = (uint32_t)l->n;
    struct feed_entry *item = ARRAY_ADD(&l->arena, l->items, l->n);
    *item = *e;
    item->path = arena_str(&l->arena, e->path);
    item->from = arena_str(&l->arena, e->from);
    item->who = arena_str(&l->arena, e->who);
    item->client = arena_str(&l->arena, e->client);
    item->tool = arena_str(&l->arena, e->tool);
    set_latest(l, item->path, at);
    set_latest(l, item->from, at);
}

/* Whether another process has added it already. What is concealed is added again if it was not
 * known to be that. */
static bool is_in_log(const struct feed_log *l, const struct feed_entry *e)
{
    const struct feed_entry *at = log_latest(l, e->path);
    const struct feed_entry *from = e->from.n > 0 ? log_latest(l, e->from) : at;
    return at != NULL && from != NULL && hash_same(left_of(at, e->path), e->left) &&
           (e->from.n == 0 || is_gone(from, e->from)) && (at->concealed || !e->concealed);
}

static int64_t latest_time(const struct feed_log *l)
{
    return l->n > 0 && l->items[l->n - 1].at > l->since ? l->items[l->n - 1].at
                                                        : l->since;
}

/* --- lines --- */

static void put_head(struct sbuf *b, const struct feed_log *l)
{
    struct jsonw w = JSONW_ON(b);
    jsonw_object(&w);
    jsonw_put_int(&w, STR("feed"), l->tag);
    jsonw_put_int(&w, STR("since"), l->since);
    jsonw_end(&w);
    sbuf_add(b, STR("\n"));
}

static void put_entry(struct sbuf *b, const struct feed_entry *e)
{
    struct jsonw w = JSONW_ON(b);
    jsonw_object(&w);
    jsonw_put_int(&w, STR("at"), e->at);
    jsonw_put_str(&w, STR("kind"), str_c(feed_kind_names[e->kind]));
    jsonw_put_str(&w, STR("path"), e->path);
    jsonw_put_text(&w, STR("from"), e->from);
    jsonw_put_true(&w, STR("concealed"), e->concealed);
    jsonw_put_text(&w, STR("who"), str_slice(e->who, 0, FEED_NAME_MAX));
    jsonw_put_text(&w, STR("client"), str_slice(e->client, 0, FEED_NAME_MAX));
    jsonw_put_text(&w, STR("tool"), str_slice(e->tool, 0, FEED_NAME_MAX));
    if (e->change > 0)
        jsonw_put_int(&w, STR("change"), (int64_t)e->change);
    jsonw_key(&w, STR("left"));
    jsonw_printf(&w, "%016llx%016llx", (unsigned long long)e->left.high,
                 (unsigned long long)e->left.low);
    jsonw_end(&w);
    sbuf_add(b, STR("\n"));
}

static bool kind_of(str name, enum feed_kind *out)
{
    for (int i = 0; i < FEED_KINDS; i++)
        if (str_eq(name, str_c(feed_kind_names[i]))) {
            *out = (enum feed_kind)i;
            return true;
        }
    return false;
}

static bool left_parse(struct arena *a, str text, struct hash_content *out)
{
    str bytes;
    if (text.n != 32 || !decode_hex(a, text, &bytes))
        return false;
    *out = (struct hash_content){0};
    for (size_t i = 0; i < 8; i++) {
        out->high = out->high << 8 | (uint8_t)bytes.p[i];
        out->low = out->low << 8 | (uint8_t)bytes.p[8 + i];
    }
    return true;
}

static bool parse_entry(struct arena *a, const struct json *j, struct feed_entry *e)
{
    int64_t change = 0;
    *e = (struct feed_entry){.path = json_get_str(j, STR("path")),
                             .from = json_get_str(j, STR("from")),
                             .concealed = json_get_true(j, STR("concealed")),
                             .who = json_get_str(j, STR("who")),
                             .client = json_get_str(j, STR("client")),
                             .tool = json_get_str(j, STR("tool"))};
    (void)json_int(json_get(j, STR("change")), &change);
    e->change = change > 0 ? (uint64_t)change : 0;
    return e->path.n > 0 && json_int(json_get(j, STR("at")), &e->at) &&
           kind_of(json_get_str(j, STR("kind")), &e->kind) &&
           (e->kind == FEED_MOVED) == (e->from.n > 0) &&
           left_parse(a, json_get_str(j, STR("left")), &e->left);
}

static void feed_read_line(struct feed_log *l, struct arena *a, str line)
{
    const struct json *j;
    struct feed_entry e;
    struct err ignored;
    int64_t tag, since;
    if (!json_parse(a, line, &j, &ignored))
        return;
    if (json_int(json_get(j, STR("feed")), &tag) &&
        json_int(json_get(j, STR("since")), &since)) {
        l->tag = (unsigned)tag & ((1U << FEED_TAG_BITS) - 1);
        l->since = since > l->since ? since : l->since;
    } else if (parse_entry(a, j, &e) && e.at > latest_time(l))
        log_put(l, &e);
}

static void feed_read_lines(struct feed_log *l, str text)
{
    struct arena a = {0};
    for (str line; str_next(&text, '\n', &line); arena_reset(&a))
        if (line.n > 0)
            feed_read_line(l, &a, line);
    arena_release(&a);
}

/* --- the file --- */

static bool feed_try_lock(void *arg)
{
    return file_lock(*(const int *)arg);
}

/* -1 if it cannot be locked. */
static int lock_log(const struct feed *f, const struct stop *stop, struct err *err)
{
    struct arena a = {0};
    const char *name = arena_printf(&a, "%s.lock", f->path).p;
    int fd = file_open_own(FILE_CWD, name, FILE_KEPT);
    struct stop soon = stop_within(stop, FEED_LOCK_MS);
    if (fd < 0)
        err_sys(err, "the list of changes cannot be opened");
    else if (!timed_lock_poll(feed_try_lock, &fd, &soon) && errno == EWOULDBLOCK) {
        err_named(err, E_BUSY, "another program has locked the list of changes");
        file_close(fd);
        fd = -1;
    }
    arena_release(&a);
    return fd;
}

/* Begin a log that is complete from now on. */
static void log_begin(struct feed_log *l, int64_t now)
{
    uint32_t random;
    rand_bytes(&random, sizeof(random));
    l->tag = 1 + random % ((1U << FEED_TAG_BITS) - 1);
    l->since = now;
}

static void swap_log(struct feed *f, struct feed_log *fresh)
{
    lock_take(&f->lock);
    struct feed_log old = f->log;
    f->log = *fresh;
    lock_drop(&f->lock);
    log_release(&old);
}

/* All of the file; one that is missing or cannot be understood begins anew. */
static bool feed_reload(struct feed *f, int64_t now, struct err *err)
{
    struct arena a = {0};
    struct feed_log log = {0};
    str text;
    bool missing = !file_exists(f->path);
    bool ok = missing || fs_read_file(&a, str_c(f->path), 4 * FEED_BYTES_MAX, &text, err);
    if (ok && !missing)
        feed_read_lines(&log, text);
    if (ok && log.tag == 0) {
        struct sbuf b = SBUF_ON(&a);
        log_release(&log);
        log_begin(&log, now);
        put_head(&b, &log);
        ok = fs_replace_file(f->path, sbuf_str(&b), err);
    }
    arena_release(&a);
    if (!ok) {
        log_release(&log);
        return false;
    }
    swap_log(f, &log);
    if (!file_stat_at(FILE_CWD, f->path, FILE_NO_LINK, &f->file))
        return err_sys(err, "the list of changes cannot be read");
    f->size = (uint64_t)f->file.size;
    return true;
}

/* What was added to it. */
static bool read_more(struct feed *f, const struct file_stat *now, struct err *err)
{
    struct arena a = {0};
    AUTO_CLOSE int fd = file_open(FILE_CWD, f->path, FILE_NO_LINK);
    size_t size = (size_t)((uint64_t)now->size - f->size);
    char *bytes = arena_alloc(&a, size + 1);
    bool ok = fd >= 0 && file_read_at(fd, bytes, size, f->size) == size;
    if (ok) {
        lock_take(&f->lock);
        feed_read_lines(&f->log, (str){bytes, size});
        lock_drop(&f->lock);
        f->size = (uint64_t)now->size;
    }
    arena_release(&a);
    return ok || err_sys(err, "the list of changes cannot be read");
}

static bool catch_up(struct feed *f, int64_t now, struct err *err)
{
    struct file_stat st;
    bool there = file_stat_at(FILE_CWD, f->path, FILE_NO_LINK, &st);
    if (!there || f->log.tag == 0 || !file_is_same(&st, &f->file) ||
        (uint64_t)st.size < f->size || st.size > 4 * FEED_BYTES_MAX)
        return feed_reload(f, now, err);
    return (uint64_t)st.size == f->size || read_more(f, &st, err);
}

static bool append(struct feed *f, str lines, struct err *err)
{
    struct arena a = {0};
    char last = '\n';
    AUTO_CLOSE int seen = file_open(FILE_CWD, f->path, FILE_NO_LINK);
    AUTO_CLOSE int fd = file_open_end(f->path);
    if (f->size > 0 && seen >= 0)
        (void)file_read_at(seen, &last, 1, f->size - 1);
    str bytes = last == '\n' ? lines : arena_printf(&a, "\n" STR_FMT, STR_ARG(lines));
    bool ok = fd >= 0 && file_write(fd, bytes);
    if (ok)
        f->size += bytes.n;
    arena_release(&a);
    return ok || err_sys(err, "the list of changes cannot be written");
}

/* --- the bound --- */

/* The latest entries, as lines; the newest one that is left out says from when on they are
 * complete. */
static void latest_lines(const struct feed_log *l, struct feed_log *head,
                         struct sbuf *out)
{
    struct arena a = {0};
    size_t first = l->n, live = 0, bytes = 0;
    while (first > 0 && live < FEED_MAX && bytes < FEED_BYTES_MAX / 2) {
        struct sbuf b = SBUF_ON(&a);
        const struct feed_entry *e = &l->items[--first];
        live += !e->over;
        if (!e->over)
            put_entry(&b, e);
        bytes += sbuf_str(&b).n;
        arena_reset(&a);
    }
    *head = (struct feed_log){.tag = l->tag, .since = l->since};
    for (size_t i = 0; i < first; i++)
        head->since = l->items[i].at;
    put_head(out, head);
    for (size_t i = first; i < l->n; i++)
        if (!l->items[i].over)
            put_entry(out, &l->items[i]);
    arena_release(&a);
}

static bool feed_shorten(struct feed *f, struct err *err)
{
    struct arena a = {0};
    struct sbuf b = SBUF_ON(&a);
    struct feed_log head;
    bool ok = true;
    latest_lines(&f->log, &head, &b);
    if (f->path != NULL)
        ok = fs_replace_file(f->path, sbuf_str(&b), err) &&
             feed_reload(f, f->log.since, err);
    else {
        struct feed_log fresh = {0};
        feed_read_lines(&fresh, sbuf_str(&b));
        f->size = sbuf_str(&b).n;
        swap_log(f, &fresh);
    }
    arena_release(&a);
    return ok;
}

/* --- adding --- */

/* What is not known yet, with its time. */
static size_t stamp(struct feed *f, struct arena *a, const struct feed_entry *fresh,
                    size_t n, int64_t now, struct feed_entry *out)
{
    size_t kept = 0;
    int64_t last = latest_time(&f->log);
    struct map given = {.arena = a}; /* twice in fresh: the first one is not known */
    last = last > f->seen ? last : f->seen;
    for (size_t i = 0; i < n; i++) {
        bool again = !map_add_new(&given, fresh[i].path);
        if (!again && is_in_log(&f->log, &fresh[i]))
            continue;
        out[kept] = fresh[i];
        last = last + 1 > now ? last + 1 : now;
        out[kept++].at = last;
    }
    return kept;
}

static bool add_locked(struct feed *f, const struct feed_entry *fresh, size_t n, bool gap,
                       struct err *err)
{
    struct arena a = {0};
    struct sbuf b = SBUF_ON(&a);
    int64_t now = clock_wall_ns() / 1000000;
    bool ok = f->path == NULL || catch_up(f, now, err);
    if (ok && f->log.tag == 0)
        log_begin(&f->log, now);
    struct feed_entry *out = ARENA_ARRAY(&a, struct feed_entry, n + 1);
    size_t kept = ok ? stamp(f, &a, fresh, n, now, out) : 0;
    struct feed_log head = {.tag = f->log.tag, .since = latest_time(&f->log)};
    head.since = head.since > now - 1 ? head.since : now - 1;
    if (ok && gap)
        put_head(&b, &head);
    for (size_t i = 0; i < kept; i++)
        put_entry(&b, &out[i]);
    str lines = sbuf_str(&b);
    if (ok && f->path != NULL && lines.n > 0)
        ok = append(f, lines, err);
    else if (ok)
        f->size += lines.n;
    if (ok) {
        lock_take(&f->lock);
        if (lines.n > 0)
            feed_read_lines(&f->log, lines); /* as others read them */
        f->seen = now > latest_time(&f->log) ? now - 1 : latest_time(&f->log);
        lock_drop(&f->lock);
    }
    arena_release(&a);
    if (ok && (f->size > FEED_BYTES_MAX || f->log.n - f->log.over > 2 * FEED_MAX))
        ok = feed_shorten(f, err);
    return ok;
}

bool feed_add(struct feed *f, const struct feed_entry *fresh, size_t n, bool gap,
              const struct stop *stop, struct err *err)
{
    if (f->path == NULL)
        return add_locked(f, fresh, n, gap, err);
    AUTO_CLOSE int lock = lock_log(f, stop, err);
    return lock >= 0 && add_locked(f, fresh, n, gap, err);
}

bool feed_sync(struct feed *f, struct err *err)
{
    if (f->path == NULL || !file_exists(f->path))
        return true;
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, f->path, FILE_OLD);
    return (fd >= 0 && file_sync(fd, FILE_SYNC_BYTES)) ||
           err_sys(err, "the list of changes cannot be written");
}

void feed_init(struct feed *f, const char *path)
{
    *f = (struct feed){.path = path != NULL ? mem_str(str_c(path)) : NULL};
    lock_init(&f->lock, LOCK_LEAF);
}

void feed_release(struct feed *f)
{
    log_release(&f->log);
    lock_release(&f->lock);
    free(f->path);
}

/* --- reading --- */

static struct feed_entry copy_entry(struct arena *a, const struct feed_entry *e)
{
    struct feed_entry out = *e;
    out.path = arena_str(a, e->path);
    out.from = arena_str(a, e->from);
    out.who = arena_str(a, e->who);
    out.client = arena_str(a, e->client);
    out.tool = arena_str(a, e->tool);
    return out;
}

void feed_read(struct feed *f, struct arena *a, struct feed_copy *out)
{
    lock_take(&f->lock);
    const struct feed_log *l = &f->log;
    *out = (struct feed_copy){.since = l->since, .seen = f->seen, .tag = l->tag};
    out->items = ARENA_ARRAY(a, struct feed_entry, l->n - l->over);
    for (size_t i = 0; i < l->n; i++)
        if (!l->items[i].over)
            out->items[out->n++] = copy_entry(a, &l->items[i]);
    lock_drop(&f->lock);
}

int64_t feed_cursor(int64_t at, unsigned tag)
{
    return (int64_t)((uint64_t)at << FEED_TAG_BITS | tag);
}

void feed_cursor_parts(int64_t cursor, int64_t *at, unsigned *tag)
{
    *at = cursor >> FEED_TAG_BITS;
    *tag = (unsigned)(cursor & ((1 << FEED_TAG_BITS) - 1));
}
