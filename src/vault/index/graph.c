#include "base/chars.h"
#include "base/err.h"
#include "base/utf8.h"
#include "vault/index/graph_table.h"
#include "vault/index/names.h"
#include "vault/index/order.h"

struct graph *graph_create(const struct names *names)
{
    struct graph *g = mem_zero(sizeof(*g));
    g->names = names;
    g->key = hash_new_key();
    g->free_link = g->free_text = GRAPH_NONE;
    g->missing = order_create(&graph_by_missing, g);
    return g;
}

static void free_written(const struct graph *g, char *written)
{
    if ((uintptr_t)written - (uintptr_t)g->says.p >= g->says.n)
        free(written);
}

void graph_free(struct graph *g)
{
    if (g == NULL)
        return;
    for (size_t i = g->borrowed_chunks; i < g->n_chunks; i++)
        free(g->chunks[i]);
    for (uint32_t i = 0; i < g->n_texts; i++)
        free_written(g, g->texts[i].written);
    free(g->chunks);
    free(g->texts);
    free(g->by_text);
    free(g->by_key);
    free(g->guesses);
    free(g->files);
    order_free(g->missing);
    free(g);
}

void graph_count(const struct graph *g, struct graph_counts *out)
{
    *out = g->counts;
}

bool graph_has(const struct graph *g, file_id file)
{
    return graph_file(g, file) != NULL;
}

size_t graph_memory(const struct graph *g)
{
    size_t buckets = g->by_text != NULL ? 3 * ((size_t)g->mask + 1) : 0;
    return sizeof(*g) +
           g->n_chunks * (sizeof(*g->chunks) + sizeof(**g->chunks) * GRAPH_CHUNK) +
           g->n_texts * sizeof(*g->texts) + g->text_bytes + buckets * sizeof(uint32_t) +
           g->n_files * sizeof(*g->files) + order_memory(g->missing);
}

static struct graph_file *file_slot(struct graph *g, file_id file)
{
    if (file >= g->n_files) {
        size_t size = size_add(g->n_files, g->n_files / 2 + 64);
        if (size <= file)
            size = size_add(file, 1);
        g->files = mem_grow(g->files, size_mul(size, sizeof(*g->files)));
        for (size_t i = g->n_files; i < size; i++)
            g->files[i] = (struct graph_file){.out = GRAPH_NONE, .in = GRAPH_NONE};
        g->n_files = size;
    }
    return &g->files[file];
}

static uint32_t take_link(struct graph *g)
{
    if (g->free_link == GRAPH_NONE) {
        g->chunks = mem_grow(g->chunks, size_mul(g->n_chunks + 1, sizeof(*g->chunks)));
        g->chunks[g->n_chunks] = mem_alloc(GRAPH_CHUNK * sizeof(**g->chunks));
        uint32_t first = (uint32_t)(g->n_chunks++ * GRAPH_CHUNK);
        for (uint32_t i = GRAPH_CHUNK; i-- > 0; g->free_link = first + i)
            graph_link(g, first + i)->next = g->free_link;
    }
    uint32_t link = g->free_link;
    g->free_link = graph_link(g, link)->next;
    return link;
}

static void push_text(struct graph *g, uint32_t text)
{
    struct graph_text *t = &g->texts[text];
    uint32_t *comparable = &g->by_text[t->hash & g->mask],
             *key = &g->by_key[t->key & g->mask];
    t->next = *comparable;
    t->key_next = *key;
    *comparable = *key = text;
}

void graph_find_texts(struct graph *g)
{
    size_t buckets = g->by_text != NULL ? (size_t)g->mask + 1 : 64;
    while (buckets < g->n_texts)
        buckets *= 2;
    size_t bytes = buckets * sizeof(uint32_t);
    g->by_text = mem_grow(g->by_text, bytes);
    g->by_key = mem_grow(g->by_key, bytes);
    memset(g->by_text, 0xFF, bytes); /* GRAPH_NONE */
    memset(g->by_key, 0xFF, bytes);
    g->guesses = mem_grow(g->guesses, bytes);
    memset(g->guesses, 0xFF, bytes);
    g->mask = (uint32_t)(buckets - 1);
    g->free_text = GRAPH_NONE;
    for (uint32_t i = g->n_texts; i-- > 0;) {
        if (g->texts[i].written != NULL) {
            push_text(g, i);
        } else {
            g->texts[i].next = g->free_text;
            g->free_text = i;
        }
    }
}

static void grow_texts(struct graph *g)
{
    uint32_t size = g->n_texts + g->n_texts / 2 + 64;
    g->texts = mem_grow(g->texts, size_mul(size, sizeof(*g->texts)));
    for (uint32_t i = size; i-- > g->n_texts; g->free_text = i)
        g->texts[i] = (struct graph_text){.next = g->free_text};
    g->n_texts = size;
    if (g->by_text == NULL || size > g->mask)
        graph_find_texts(g);
}

/* The form in which paths are compared. */
static str graph_comparable(struct arena *a, str path)
{
    return str_trim_line(utf8_fold(a, path));
}

/* How much at the start of both is ASCII and, ignoring case, the same. */
static size_t same_start(str a, str b)
{
    size_t n = 0;
    while (n < a.n && n < b.n && (a.p[n] & 0x80) == 0 &&
           to_lower(a.p[n]) == to_lower(b.p[n]))
        n++;
    return n;
}

/*
 * Whether a letter or digit of ASCII differs from a character that begins with this byte,
 * however both are folded, and composed with what follows. Latin letters with marks and
 * a few signs may be the same as something that begins with ASCII.
 */
static bool differs_from_ascii(char c)
{
    unsigned char byte = (unsigned char)c;
    return is_alnum(c) || (byte >= 0xCE && byte < 0xE0) || byte >= 0xE3;
}

/* Whether s is ASCII at at, or has ended there, and nothing after it is composed with it. */
static bool is_plain_at(str s, size_t at)
{
    return (at >= s.n || (s.p[at] & 0x80) == 0) &&
           (at + 1 >= s.n || (s.p[at + 1] & 0x80) == 0);
}

/* White space may be followed by no more than other white space, and then be trimmed. */
static bool is_white_at(str s, size_t at)
{
    return at >= s.n || is_white(s.p[at]);
}

/* Nearly all paths are found to be different by their first letters. */
bool graph_is_same(struct arena *scratch, str path, str other)
{
    path = str_trim_line(path);
    other = str_trim_line(other);
    size_t n = same_start(path, other);
    if (n == path.n && n == other.n)
        return true;
    if (is_plain_at(path, n) && is_plain_at(other, n) &&
        !(is_white_at(path, n) && is_white_at(other, n)))
        return false;
    char a = n < path.n ? path.p[n] : '0', b = n < other.n ? other.p[n] : '0';
    if ((is_alnum(a) && differs_from_ascii(b)) || (is_alnum(b) && differs_from_ascii(a)))
        return false;
    return str_eq(graph_comparable(scratch, path), graph_comparable(scratch, other));
}

/* A cache: the text that was found last for a path spelled exactly like this. */
static uint32_t *guess_of(const struct graph *g, str path)
{
    return &g->guesses[hash_keyed(&g->key, path) & g->mask];
}

static bool graph_is_right(const struct graph *g, uint32_t guess, str path)
{
    return guess != GRAPH_NONE && g->texts[guess].written != NULL &&
           str_eq(graph_says(&g->texts[guess]), path);
}

/* The text for path, case ignored; created if there is none. */
static uint32_t find_text(struct graph *g, struct arena *scratch, str path)
{
    str folded = graph_comparable(scratch, path);
    uint32_t hash = (uint32_t)hash_keyed(&g->key, folded);
    uint32_t i = g->by_text != NULL ? g->by_text[hash & g->mask] : GRAPH_NONE;
    for (; i != GRAPH_NONE; i = g->texts[i].next)
        if (g->texts[i].hash == hash &&
            (str_eq(graph_says(&g->texts[i]), path) ||
             str_eq(graph_comparable(scratch, graph_says(&g->texts[i])), folded)))
            return i;
    if (g->free_text == GRAPH_NONE)
        grow_texts(g);
    i = g->free_text;
    struct graph_text *t = &g->texts[i];
    g->free_text = t->next;
    path = str_trim_line(path);
    *t = (struct graph_text){
        .written = mem_str(path),
        .n = (uint32_t)path.n,
        .hash = hash,
        .key = (uint32_t)names_key(g->names, path),
        .first = GRAPH_NONE,
        .only = NO_FILE,
    };
    g->text_bytes += t->n + 1;
    push_text(g, i);
    return i;
}

/* The same, with the cache: most links are spelled as before. */
static uint32_t take_text(struct graph *g, struct arena *scratch, str path)
{
    uint32_t guess = g->guesses != NULL ? *guess_of(g, path) : GRAPH_NONE;
    if (graph_is_right(g, guess, path))
        return guess;
    uint32_t text = find_text(g, scratch, path);
    *guess_of(g, path) = text;
    return text;
}

static void drop_text(struct graph *g, uint32_t text)
{
    struct graph_text *t = &g->texts[text];
    uint32_t *p = &g->by_text[t->hash & g->mask];
    while (*p != text)
        p = &g->texts[*p].next;
    *p = t->next;
    p = &g->by_key[t->key & g->mask];
    while (*p != text)
        p = &g->texts[*p].key_next;
    *p = t->key_next;
    g->text_bytes -= t->n + 1;
    free_written(g, t->written);
    *t = (struct graph_text){.next = g->free_text};
    g->free_text = text;
}

/* Around every change of a text's unresolved links. */
static void unlist_missing(struct graph *g, uint32_t text)
{
    if (g->texts[text].missing == 0)
        return;
    g->counts.missing--;
    (void)order_remove(g->missing, text);
}

static void list_missing(struct graph *g, uint32_t text)
{
    if (g->texts[text].missing == 0)
        return;
    g->counts.missing++;
    (void)order_add(g->missing, text);
}

static void count_missing(struct graph *g, uint32_t text, uint32_t links)
{
    g->texts[text].missing += links;
    g->counts.unresolved += links;
}

static void discount_missing(struct graph *g, uint32_t text, uint32_t links)
{
    g->texts[text].missing -= links;
    g->counts.unresolved -= links;
}

/* The text of the link must not be listed as missing (unlist_missing). */
static void attach(struct graph *g, uint32_t link, file_id target)
{
    struct graph_link *l = graph_link(g, link);
    l->target = target;
    l->target_before = l->target_next = GRAPH_NONE;
    if (target == NO_FILE) {
        count_missing(g, l->text, l->count);
        return;
    }
    uint32_t *head = &file_slot(g, target)->in;
    l->target_next = *head;
    if (*head != GRAPH_NONE)
        graph_link(g, *head)->target_before = link;
    *head = link;
}

/* The same. */
static void detach(struct graph *g, uint32_t link)
{
    struct graph_link *l = graph_link(g, link);
    if (l->target == NO_FILE) {
        discount_missing(g, l->text, l->count);
        return;
    }
    if (l->target_before == GRAPH_NONE)
        g->files[l->target].in = l->target_next;
    else
        graph_link(g, l->target_before)->target_next = l->target_next;
    if (l->target_next != GRAPH_NONE)
        graph_link(g, l->target_next)->target_before = l->target_before;
}

static void drop_link(struct graph *g, uint32_t link)
{
    struct graph_link *l = graph_link(g, link);
    unlist_missing(g, l->text);
    detach(g, link);
    list_missing(g, l->text);
    if (l->text_before == GRAPH_NONE)
        g->texts[l->text].first = l->text_next;
    else
        graph_link(g, l->text_before)->text_next = l->text_next;
    if (l->text_next != GRAPH_NONE)
        graph_link(g, l->text_next)->text_before = l->text_before;
    if (g->texts[l->text].first == GRAPH_NONE)
        drop_text(g, l->text);
    g->counts.links -= l->count;
    l->next = g->free_link;
    g->free_link = link;
}

static void drop_links(struct graph *g, file_id source)
{
    uint32_t link = g->files[source].out;
    g->files[source].out = GRAPH_NONE;
    while (link != GRAPH_NONE) {
        uint32_t next = graph_link(g, link)->next;
        drop_link(g, link);
        link = next;
    }
}

/*
 * The target of text in source. If only one file has the name, that is the target
 * everywhere.
 */
static file_id graph_resolve(struct graph *g, uint32_t text, file_id source)
{
    struct graph_text *t = &g->texts[text];
    struct names_answer answer;
    if (t->only != NO_FILE)
        return t->only;
    names_resolve(g->names, NULL, graph_says(t), names_path(g->names, source), source,
                  &answer);
    if (answer.rule == NAMES_ONLY_ONE)
        t->only = answer.file;
    return answer.file;
}

/* A new link, the first of its source, its text and its target. */
static void push_link(struct graph *g, file_id source, uint32_t text, file_id target)
{
    uint32_t first = g->texts[text].first;
    uint32_t link = take_link(g);
    *graph_link(g, link) = (struct graph_link){
        .source = source,
        .text = text,
        .count = 1,
        .next = g->files[source].out,
        .text_before = GRAPH_NONE,
        .text_next = first,
    };
    if (first != GRAPH_NONE)
        graph_link(g, first)->text_before = link;
    g->texts[text].first = link;
    g->files[source].out = link;
    attach(g, link, target);
}

static void graph_add_link(struct graph *g, struct arena *scratch, file_id source,
                           str path)
{
    if (names_is_external(str_trim_line(path)))
        return;
    uint32_t text = take_text(g, scratch, path), first = g->texts[text].first;
    bool again = first != GRAPH_NONE && graph_link(g, first)->source == source;
    file_id target =
        again ? graph_link(g, first)->target : graph_resolve(g, text, source);
    g->counts.links++;
    unlist_missing(g, text);
    if (again) {
        graph_link(g, first)->count++;
        count_missing(g, text, target == NO_FILE);
    } else {
        push_link(g, source, text, target);
    }
    list_missing(g, text);
}

void graph_set(struct graph *g, file_id source, const str *paths, size_t n)
{
    if (graph_file(g, source) == NULL)
        BUG("file %u was not added", source);
    drop_links(g, source);
    struct arena scratch = {0};
    for (size_t i = 0; i < n; i++) {
        graph_add_link(g, &scratch, source, paths[i]);
        arena_reset(&scratch);
    }
    arena_release(&scratch);
}

/*
 * The target of the link now; added, if not NO_FILE, is the new file that may have
 * changed it.
 */
static file_id resolve_link(struct graph *g, const struct graph_link *l, file_id added)
{
    const struct graph_text *t = &g->texts[l->text];
    if (added == NO_FILE || l->target == NO_FILE)
        return graph_resolve(g, l->text, l->source);
    return names_resolve_added(g->names, graph_says(t), names_path(g->names, l->source),
                               l->source, l->target, added);
}

static void resolve_text(struct graph *g, uint32_t text, file_id added)
{
    g->texts[text].only = NO_FILE;
    unlist_missing(g, text);
    for (uint32_t i = g->texts[text].first; i != GRAPH_NONE;
         i = graph_link(g, i)->text_next) {
        file_id target = resolve_link(g, graph_link(g, i), added);
        if (target == graph_link(g, i)->target)
            continue;
        detach(g, i);
        attach(g, i, target);
    }
    list_missing(g, text);
}

/*
 * Resolve again the links that may mean a file with that path, which was added or
 * removed. If others have its name, a link has the same candidates as before but for this
 * one, so a new file changes only the links that may mean it.
 */
static void resolve_again(struct graph *g, str path, file_id added)
{
    if (g->by_key == NULL)
        return;
    bool shared = added != NO_FILE && names_sharing(g->names, path) > 1;
    uint32_t key = (uint32_t)names_key(g->names, path);
    uint32_t text = g->by_key[key & g->mask];
    for (; text != GRAPH_NONE; text = g->texts[text].key_next)
        if (g->texts[text].key == key &&
            (!shared || names_may_mean(g->names, graph_says(&g->texts[text]), added)))
            resolve_text(g, text, added);
}

void graph_add(struct graph *g, file_id file)
{
    struct graph_file *f = file_slot(g, file);
    if (f->there)
        BUG("file %u was added already", file);
    f->there = true;
    g->counts.files++;
    resolve_again(g, names_path(g->names, file), file);
}

/* Links to the file get another target. */
static void release_target(struct graph *g, file_id file)
{
    for (uint32_t i; (i = g->files[file].in) != GRAPH_NONE;) {
        const struct graph_link *l = graph_link(g, i);
        g->texts[l->text].only = NO_FILE;
        file_id target = graph_resolve(g, l->text, l->source);
        if (target == file)
            BUG("file %u is still a target: is it still in names?", file);
        unlist_missing(g, l->text);
        detach(g, i);
        attach(g, i, target);
        list_missing(g, l->text);
    }
}

void graph_remove(struct graph *g, file_id file, str path)
{
    if (graph_file(g, file) == NULL)
        return;
    drop_links(g, file);
    g->files[file].there = false;
    g->counts.files--;
    if (names_sharing(g->names, path) == 0) /* otherwise, only links to it change */
        resolve_again(g, path, NO_FILE);
    release_target(g, file);
}
