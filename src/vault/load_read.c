/*
 * Reading files in parallel: for the index, and for an early index, which keeps only
 * those that may contain a text.
 */

#include "base/os/file.h"
#include "base/os/thread.h"
#include "base/parallel.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/words.h"
#include "vault/load_parts.h"
#include "vault/note/obsidian.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/text/encoding.h"
#include "vault/text/textscan.h"

enum {
    BATCH = 32,         /* files that a thread takes at a time */
    GIVE_WAY_US = 1000, /* between two looks whether an early index is over */
    EARLY_INDEX_MAX =
        64 << 20, /* bytes of texts; beyond that, the index is worth waiting for */
    POLICY_HEAD = 1 << 20, /* bytes of a note that are read for its properties */
};

/* --- what an early index keeps --- */

/* Whether tags can be spelled in another way than they are written: with escapes. Other
 * tags are pieces of the text. */
static bool has_escapes(str text)
{
    str head = str_starts(text, STR("\xEF\xBB\xBF")) ? str_skip(text, 3) : text;
    if (!str_starts(head, STR("---")))
        return false;
    size_t end = str_find(str_skip(head, 3), STR("\n---"));
    str block = end != STR_NONE ? str_slice(head, 0, end + 3) : head;
    return str_find_char(block, '\\') != STR_NONE ||
           str_find(block, STR("''")) != STR_NONE;
}

/* Whether a search for the text can have a hit in the file. */
static bool may_have(struct load_worker *w, str path, str bytes)
{
    enum encoding ignored;
    str text = encoding_read(&w->scratch, bytes, &ignored);
    return textscan_in(w->scan, text) || textscan_in(w->scan, path) || has_escapes(text);
}

/* PDF files are counted, because their texts cannot be searched yet. */
static bool load_read_is_wanted(struct load_worker *w, str path, str bytes)
{
    return w->scan == NULL || may_have(w, path, bytes) || file_kind_of(path) == FILE_PDF;
}

/* --- one file --- */

static struct file *read_one(struct reading *r, struct load_worker *w,
                             const struct walk_file *from)
{
    enum file_kind kind = file_kind_of(from->path);
    size_t max = file_read_max(kind);
    struct fs_info info = from->info;
    struct err err = {0};
    str text = {0};
    if (info.in_cloud && file_stays_in_cloud(kind))
        return file_make_unread(&w->scratch, from->path, &info,
                                "not searched: it is only in the cloud, and not "
                                "downloaded to this machine");
    if (max == 0)
        return load_read_is_wanted(w, from->path, text)
                   ? file_make_unread(&w->scratch, from->path, &info, NULL)
                   : NULL;
    if (atomic_load(&r->memory) + (size_t)info.size > r->load->memory_max)
        return file_make_unread(&w->scratch, from->path, &info,
                                "skipped: the vault's notes exceed the memory limit");
    arena_reset(&w->text);
    if (!fs_load(r->load->root, &w->text, from->path, max, &info, &text, &err)) {
        if (err.code == ERR_NOT_FOUND)
            return NULL; /* it was deleted in the meantime */
        return file_make_unread(&w->scratch, from->path, &info, err.msg);
    }
    if (!load_read_is_wanted(w, from->path, text))
        return NULL;
    info.linked = from->info.linked;
    atomic_fetch_add(&r->memory, text.n);
    return file_make(&w->scratch, from->path, &info, text);
}

static void load_read_add_words(struct load_worker *w, const struct file *f)
{
    struct words_doc doc;
    arena_reset(&w->scratch);
    file_words(&w->scratch, f, &doc);
    doc.language = file_language(f);
    words_bulk_add(w->words, &doc);
}

/* The beginning of a file. */
static bool read_head(const struct fs_root *root, struct arena *a, str path, str *out,
                      bool *cut, struct err *err)
{
    struct fs_info info;
    int opened;
    if (!fs_open_file(root, path, &opened, &info, err))
        return false;
    AUTO_CLOSE int fd = opened;
    size_t room = info.size < POLICY_HEAD ? (size_t)info.size + 1 : POLICY_HEAD;
    char *head = arena_alloc(a, room);
    *out = (str){head, file_read_at(fd, head, room, 0)};
    *cut = out->n == room; /* or it has grown meanwhile */
    return true;
}

enum policy load_policy(const struct fs_root *root, str property, str path,
                        enum policy said)
{
    struct arena a = {0};
    struct err err = {0};
    enum encoding ignored;
    str text;
    bool cut;
    enum policy says = said;
    if (property.n == 0 || file_kind_of(path) != FILE_NOTE)
        return POLICY_NONE;
    if (read_head(root, &a, path, &text, &cut, &err))
        says = policy_of_text(property, encoding_read(&a, text, &ignored), cut, said);
    else if (err.code == ERR_NOT_FOUND)
        says = POLICY_NONE;
    arena_release(&a);
    return says;
}

/* What a note says about clients; of one that was not read, what its beginning says. */
static enum policy load_read_policy(const struct load *l, const struct file *f)
{
    str property = policies_property(l->policies);
    if (property.n == 0 || f->kind != FILE_NOTE)
        return POLICY_NONE;
    enum policy before = policies_said(l->policies, f->path);
    if (f->unread)
        return load_policy(l->root, property, f->path, before);
    bool whole = f->problem.n == 0 && f->note.has_frontmatter;
    return whole ? policy_of_props(property, f->props)
                 : policy_of_text(property, f->text, false, before);
}

static void read_file(struct reading *r, struct load_worker *w, size_t i)
{
    struct file *f = r->to[i] = read_one(r, w, r->from[i]);
    if (f == NULL)
        return;
    f->policy = load_read_policy(r->load, f);
    if (r->excluded == NULL)
        return;
    f->id = (file_id)i;
    f->excluded = r->excluded[i];
    if (!f->excluded && w->words != NULL)
        load_read_add_words(w, f);
}

/* --- all of them --- */

static bool must_stop(const struct reading *r)
{
    return (r->load->stop != NULL && atomic_load(r->load->stop)) || stop_now(r->stop) ||
           (r->wanted.n > 0 && atomic_load(&r->memory) > EARLY_INDEX_MAX);
}

/* A search that someone waits for comes first. */
static void give_way(const struct reading *r)
{
    while (r->load->wait != NULL && atomic_load(r->load->wait) && !must_stop(r))
        thread_pause(GIVE_WAY_US);
}

static void read_batch(void *arg, size_t batch, size_t worker)
{
    struct reading *r = arg;
    size_t end = (batch + 1) * BATCH < r->n ? (batch + 1) * BATCH : r->n;
    give_way(r);
    if (must_stop(r)) {
        atomic_store(&r->is_stopped, true);
        return;
    }
    for (size_t i = batch * BATCH; i < end; i++)
        read_file(r, &r->workers[worker], i);
    if (r->load->done != NULL)
        atomic_fetch_add(r->load->done, end - batch * BATCH);
}

static void load_read_prepare(struct reading *r, struct load_worker *w)
{
    struct err ignored; /* the same text was fine before */
    if (r->wanted.n > 0 && !textscan_create(r->wanted, &w->scan, &ignored))
        BUG("a text that was searched cannot be searched");
    if (r->wanted.n == 0 && r->excluded != NULL)
        w->words = words_bulk_create();
}

void load_reading_open(struct reading *r, const struct load *l, const struct walk *w)
{
    *r = (struct reading){.load = l, .n = w->n};
    r->from = mem_zero(size_mul(w->n + 1, sizeof(*r->from)));
    r->to = mem_zero(size_mul(w->n + 1, sizeof(*r->to)));
    r->excluded = mem_zero(w->n + 1);
    for (size_t i = 0; i < w->n; i++) {
        r->from[i] = &w->files[i];
        r->excluded[i] = obsidian_is_excluded(l->obsidian, w->files[i].path);
    }
}

void load_reading_close(struct reading *r)
{
    free(r->workers);
    free(r->excluded);
    free(r->to);
    free(r->from);
}

void load_read(struct reading *r)
{
    size_t n = r->n_workers = parallel_workers(r->load->pool);
    r->workers = mem_zero(size_mul(n, sizeof(*r->workers)));
    for (size_t i = 0; i < n; i++)
        load_read_prepare(r, &r->workers[i]);
    if (r->load->expected != NULL)
        atomic_fetch_add(r->load->expected, r->n);
    parallel_each(r->load->pool, (r->n + BATCH - 1) / BATCH, read_batch, r);
    for (size_t i = 0; i < n; i++) {
        arena_release(&r->workers[i].text);
        arena_release(&r->workers[i].scratch);
        textscan_free(r->workers[i].scan);
    }
}

/* --- an early index --- */

static size_t move_up(struct file **files, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (files[i] != NULL)
            files[kept++] = files[i];
    return kept;
}

struct index *load_early_index(const struct load *l, const struct walk *w, str text,
                               const struct stop *stop)
{
    struct reading r;
    load_reading_open(&r, l, w);
    r.wanted = text;
    r.stop = stop;
    load_read(&r);
    struct index *x = index_create();
    index_fill(x, r.to, move_up(r.to, r.n));
    x->wordless = true;
    load_reading_close(&r);
    if (!atomic_load(&r.is_stopped))
        return x;
    index_free(x);
    return NULL;
}
