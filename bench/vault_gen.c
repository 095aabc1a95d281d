/*
 * vault_gen FOLDER NOTES [SEED]
 *
 * Writes a made-up Obsidian vault into FOLDER, which must not exist: notes of 4 KB on
 * average, canvases, attachments. The same arguments give the same bytes everywhere.
 * Prints one JSON object: what there is, and where a search for what was planted leads.
 * "notes" and "backlinks" of what was planted count notes; it stands once in each, but
 * for the common word, whose "occurrences" are more.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "child.h"
#include "vault_text.h"

enum {
    NOTES_MIN = 100,
    NOTES_MAX = 1000000,
    NOTE_MEDIAN = 2200, /* bytes; the mean is nearly twice that */
    NOTE_BYTES_MAX = 200 << 10,
    ATTACHMENT_MEDIAN = 4000,
    NOTES_PER_CANVAS = 200,
};

/* --- what is planted --- */

enum plant_id {
    RARE,
    COMMON,
    PHRASE,
    WORD_CYRILLIC,
    WORD_HAN,
    REGEX,
    TAG,
    PROPERTY,
    MISSING,
    HUB,
    PLANTS,
};

/* In at least `least` notes, and in one of `one_of`. Lines are taken in turns. */
static const struct plant {
    const char *key, *what, *ask;
    uint32_t least, one_of, salt;
    const char *lines[2];
} plants[PLANTS] = {
    [RARE] = {"rare",
              "word",
              "zorbalith",
              7,
              NOTES_MAX,
              11,
              {"Somebody asked for the zorbalith again.", "Zorbalith, says the label."}},
    [COMMON] = {"common",
                "word",
                "zinnia",
                0,
                2,
                0,
                {"Where the zinnia grows, a Zinnia is no news.",
                 "There is a zinnia, and a zinnia, in the garden."}},
    [PHRASE] = {"phrase",
                "text",
                "zigging over meadows",
                10,
                400,
                23,
                {"Birds were zigging over meadows all day.",
                 "Seen: zigging over meadows, twice."}},
    [WORD_CYRILLIC] = {"cyrillic",
                       "word",
                       "звездочёт",
                       5,
                       1000,
                       37,
                       {"Редкий звездочёт найден.", "Звездочёт пишет ответ."}},
    [WORD_HAN] = {"han",
                  "word",
                  "蜃気楼",
                  5,
                  1000,
                  41,
                  {"昨日は蜃気楼を見ました。", "蜃気楼的照片"}},
    [REGEX] = {"regex",
               "pattern",
               "ZK-[0-9]{4}-[a-f]{2}\\b",
               20,
               250,
               53,
               {"Follow up on ZK-1024-ab this week.", "Closed: ZK-4096-fe."}},
    [TAG] = {"tag",
             "name",
             "project/zenith",
             10,
             50,
             67,
             {NULL, "This belongs to #project/zenith as well."}},
    [PROPERTY] = {"property", "line", "stage: zeroed", 10, 80, 71, {NULL, NULL}},
    [MISSING] = {"missing",
                 "target",
                 "Zone Without Note",
                 10,
                 200,
                 83,
                 {"As [[Zone Without Note]] will explain.",
                  "Compare [[Zone Without Note|the plan]]."}},
    [HUB] = {"hub", "path", "Maps/Central Index.md", 20, 20, 97, {NULL, NULL}},
};

static uint32_t plant_count(const struct plant *p, uint32_t notes)
{
    uint32_t share = notes / p->one_of;
    return share > p->least ? share : p->least;
}

/* Whether the note is one of the chosen, which are spread evenly, and the how-manieth.
 * The hub never is. */
static bool is_planted(enum plant_id id, uint32_t note, uint32_t notes, uint32_t *nth)
{
    uint64_t count = plant_count(&plants[id], notes), others = notes - 1;
    uint64_t place = (note + plants[id].salt) % others;
    *nth = (uint32_t)(place * count / others);
    return note != PLAN_HUB && (place + 1) * count / others > *nth;
}

static void add_planted(struct text *t, uint32_t note)
{
    uint32_t nth;
    for (enum plant_id id = 0; id < PLANTS; id++) {
        if (!is_planted(id, note, t->plan->n_notes, &nth))
            continue;
        const char *line = plants[id].lines[nth % 2];
        if (id == HUB) {
            sbuf_add(t->out, STR("Part of "));
            text_link(t, PLAN_HUB, nth % LINK_FORMS);
            sbuf_add(t->out, STR(", for context.\n\n"));
        } else if (line != NULL) {
            sbuf_printf(t->out, "%s\n\n", line);
        }
    }
}

/* --- files --- */

static int root;
static uint64_t n_files, n_bytes, n_folders;

static void make_folders(char *path)
{
    for (char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        n_folders += mkdirat(root, path, 0755) == 0;
        *slash = '/';
    }
}

static void put_file(str path, str data)
{
    enum { FIRST_TIME = 1500000000, TIMES = 250000000 };
    char name[PATH_MAX];
    snprintf(name, sizeof(name), STR_FMT, STR_ARG(path));
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = openat(root, name, flags, 0644);
    if (fd < 0) {
        make_folders(name);
        fd = openat(root, name, flags, 0644);
    }
    if (fd < 0)
        die("cannot write %s: %m", name);
    write_all(fd, data.p, data.n);
    struct timespec at = {FIRST_TIME + (time_t)(n_files * 2654435761 % TIMES), 0};
    futimens(fd, (struct timespec[]){at, at});
    close(fd);
    n_files++;
    n_bytes += data.n;
}

static void write_hub(struct text *t)
{
    sbuf_add(t->out, STR("---\ntags: [map]\n---\n# Central Index\n\n"
                         "Where everything begins. ^intro\n\n## Summary\n\n"));
    text_sentence(t);
    sbuf_char(t->out, '\n');
}

static void write_body(struct text *t, uint32_t note)
{
    size_t size = rng_size(&t->rng, NOTE_MEDIAN);
    if (size > NOTE_BYTES_MAX)
        size = NOTE_BYTES_MAX;
    size_t planted_at = rng_below(&t->rng, (uint32_t)size);
    sbuf_printf(t->out, "# " STR_FMT "\n\n", STR_ARG(t->note->title));
    text_sentence(t);
    sbuf_add(t->out, rng_percent(&t->rng, 50) ? STR(" ^intro\n\n") : STR("\n\n"));
    while (t->out->n < planted_at)
        text_block(t);
    add_planted(t, note);
    while (t->out->n < size)
        text_block(t);
    t->out->n--; /* one line break is enough */
}

static void write_note(struct text *t, uint32_t i)
{
    uint32_t nth, notes = t->plan->n_notes;
    if (i == PLAN_HUB) {
        write_hub(t);
        return;
    }
    str tag = {0}, property = {0};
    if (is_planted(TAG, i, notes, &nth) && nth % 2 == 0)
        tag = str_c(plants[TAG].ask);
    if (is_planted(PROPERTY, i, notes, &nth))
        property = str_c(plants[PROPERTY].ask);
    bool wanted = rng_percent(&t->rng, 85);
    if (wanted || tag.n > 0 || property.n > 0)
        text_properties(t, tag, property);
    write_body(t, i);
}

static void write_notes(const struct plan *plan, uint64_t seed, struct tally *tally)
{
    struct arena a = {0};
    for (uint32_t i = 0; i < plan->n_notes; i++) {
        arena_reset(&a);
        struct sbuf b = SBUF_ON(&a);
        struct text t = text_begin(&b, plan, i, seed, tally);
        write_note(&t, i);
        put_file(plan->notes[i].path, sbuf_str(&b));
    }
    arena_release(&a);
}

static void write_attachments(const struct plan *plan, struct rng *r)
{
    struct arena a = {0};
    for (uint32_t i = 0; i < plan->n_attachments; i++) {
        arena_reset(&a);
        struct sbuf path = SBUF_ON(&a), data = SBUF_ON(&a);
        sbuf_add(&path, STR("Attachments/"));
        add_attachment(&path, i);
        for (size_t size = rng_size(r, ATTACHMENT_MEDIAN); data.n < size;) {
            for (uint64_t x = rng_next(r), k = 0; k < 8; k++, x >>= 8)
                sbuf_char(&data, (char)x);
        }
        put_file(sbuf_str(&path), sbuf_str(&data));
    }
    arena_release(&a);
}

/* A few cards around notes, joined by arrows; never the hub. */
static void add_canvas(struct sbuf *b, const struct plan *plan, struct rng *r)
{
    struct jsonw w = JSONW_ON(b);
    uint32_t cards = rng_between(r, 2, 12);
    jsonw_object(&w);
    jsonw_put_array(&w, STR("nodes"));
    for (uint32_t i = 0; i < cards; i++) {
        jsonw_object(&w);
        jsonw_key(&w, STR("id"));
        jsonw_printf(&w, "card%u", i);
        jsonw_put_str(&w, STR("type"), STR("file"));
        jsonw_put_str(&w, STR("file"),
                      plan->notes[rng_between(r, PLAN_HUB + 1, plan->n_notes - 1)].path);
        jsonw_put_int(&w, STR("x"), i * 450);
        jsonw_put_int(&w, STR("y"), 0);
        jsonw_put_int(&w, STR("width"), 400);
        jsonw_put_int(&w, STR("height"), 300);
        jsonw_end(&w);
    }
    jsonw_end(&w);
    jsonw_put_array(&w, STR("edges"));
    jsonw_end(&w);
    jsonw_end(&w);
}

static uint32_t write_canvases(const struct plan *plan, struct rng *r)
{
    struct arena a = {0};
    uint32_t n = plan->n_notes / NOTES_PER_CANVAS + 1;
    for (uint32_t i = 0; i < n; i++) {
        arena_reset(&a);
        struct sbuf b = SBUF_ON(&a);
        add_canvas(&b, plan, r);
        put_file(arena_printf(&a, "Boards/Board %u.canvas", i), sbuf_str(&b));
    }
    arena_release(&a);
    return n;
}

/* --- the manifest --- */

static void put_plants(struct jsonw *w, uint32_t notes)
{
    for (enum plant_id id = 0; id < PLANTS; id++) {
        const struct plant *p = &plants[id];
        uint32_t count = plant_count(p, notes);
        jsonw_put_object(w, str_c(p->key));
        jsonw_put_str(w, str_c(p->what), str_c(p->ask));
        jsonw_put_int(w, id == MISSING || id == HUB ? STR("backlinks") : STR("notes"),
                      count);
        if (id == COMMON)
            jsonw_put_int(w, STR("occurrences"), 2 * (int64_t)count);
        jsonw_end(w);
    }
}

static void print_manifest(struct arena *a, const struct plan *plan, uint64_t seed,
                           uint64_t note_bytes, uint32_t canvases,
                           const struct tally *tally)
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    jsonw_object(&w);
    jsonw_put_int(&w, STR("seed"), (int64_t)seed);
    jsonw_put_int(&w, STR("notes"), plan->n_notes);
    jsonw_put_int(&w, STR("note_bytes"), (int64_t)note_bytes);
    jsonw_put_int(&w, STR("attachments"), plan->n_attachments);
    jsonw_put_int(&w, STR("canvases"), canvases);
    jsonw_put_int(&w, STR("files"), (int64_t)n_files);
    jsonw_put_int(&w, STR("folders"), (int64_t)n_folders);
    jsonw_put_int(&w, STR("bytes"), (int64_t)n_bytes);
    jsonw_put_int(&w, STR("note_links"), (int64_t)tally->links);
    jsonw_put_int(&w, STR("tasks_open"), (int64_t)tally->tasks_open);
    jsonw_put_int(&w, STR("tasks_done"), (int64_t)tally->tasks_done);
    put_plants(&w, plan->n_notes);
    jsonw_end(&w);
    printf(STR_FMT "\n", STR_ARG(sbuf_str(&b)));
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        die("usage: vault_gen FOLDER NOTES [SEED]");
    uint32_t notes = (uint32_t)count_of(argv[2], NOTES_MAX);
    uint64_t seed = argc == 4 ? (uint64_t)count_of(argv[3], INT32_MAX) : 1;
    if (notes < NOTES_MIN)
        die("at least %d notes", NOTES_MIN);
    if (mkdir(argv[1], 0755) != 0)
        die("cannot make %s: %m", argv[1]);
    root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        die("cannot open %s: %m", argv[1]);

    struct arena a = {0};
    struct tally tally = {0};
    struct plan plan = plan_make(&a, notes, seed, str_c(plants[HUB].ask));
    write_notes(&plan, seed, &tally);
    uint64_t note_bytes = n_bytes;
    struct rng r = {~seed};
    write_attachments(&plan, &r);
    uint32_t canvases = write_canvases(&plan, &r);
    put_file(STR(".obsidian/app.json"), STR("{\"newLinkFormat\":\"shortest\"}\n"));
    print_manifest(&a, &plan, seed, note_bytes, canvases, &tally);
    arena_release(&a);
    return 0;
}
