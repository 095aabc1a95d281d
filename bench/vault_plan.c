#include "vault_plan.h"

enum { NOTES_PER_FOLDER = 50, NOTES_PER_ATTACHMENT = 25 };

/* "Garden boulain", unlike that of any other k. */
static void add_title(struct sbuf *b, enum language l, uint32_t k)
{
    uint32_t common = words_common(l), made = words_count(l) - common;
    add_capitalized(b, l, (k * 7 + 40) % common);
    sbuf_char(b, ' ');
    add_word(b, l, common + (uint32_t)((uint64_t)k * 7919 % made));
    if (k % 8 == 3)
        sbuf_add(b, STR(" (v2.1) & more"));
    if (k >= made || l == HAN)
        sbuf_printf(b, " %u", k);
}

/* Two or three levels deep. */
static void add_folder(struct sbuf *b, uint32_t k)
{
    static const char *const tops[] = {"Areas",   "Projects", "Resources", "Archive 2023",
                                       "Заметки", "読書",     "🌱 Garden"};
    sbuf_add(b, str_c(tops[k % COUNT_OF(tops)]));
    sbuf_char(b, '/');
    add_capitalized(b, LATIN, 100 + k / COUNT_OF(tops) % 20);
    sbuf_char(b, '/');
    if (k % 5 != 0) {
        add_title(b, LATIN, k);
        sbuf_char(b, '/');
    }
}

/* The month's folder, then the day. */
static void add_day(struct sbuf *b, uint32_t day)
{
    struct sbuf date = SBUF_ON(b->arena);
    add_date(&date, day);
    sbuf_printf(b, "Daily/%.4s/%.7s/" STR_FMT, date.p, date.p, STR_ARG(sbuf_str(&date)));
}

struct counters {
    uint32_t folders, days;
};

/* Folder and title of a note; chance decides what it is for. */
static void add_place(struct sbuf *b, uint32_t i, struct counters *c, struct rng *r,
                      struct plan_note *note)
{
    uint32_t kind = rng_below(r, 100);
    note->language = kind < 5 ? CYRILLIC : kind < 9 ? HAN : LATIN;
    if (kind >= 90) {
        add_day(b, c->days++);
    } else if (kind >= 82) {
        sbuf_add(b, STR("People/"));
        add_name(b, i % NAMES);
        if (i >= NAMES)
            sbuf_printf(b, " %u", i / NAMES);
    } else {
        add_folder(b, rng_below(r, 1 + rng_below(r, c->folders)));
        add_title(b, note->language, i);
        note->ambiguous = kind == 81;
        if (note->ambiguous)
            sbuf_add(b, STR("/Index"));
    }
}

struct plan plan_make(struct arena *a, uint32_t notes, uint64_t seed, str hub)
{
    struct plan_note *list = ARENA_ARRAY(a, struct plan_note, notes);
    struct counters counters = {.folders = notes / NOTES_PER_FOLDER + 1};
    struct rng r = {seed};
    list[0].path = hub;
    for (uint32_t i = 1; i < notes; i++) {
        struct sbuf b = SBUF_ON(a);
        add_place(&b, i, &counters, &r, &list[i]);
        sbuf_add(&b, STR(".md"));
        list[i].path = sbuf_str(&b);
    }
    for (uint32_t i = 0; i < notes; i++) {
        str path = list[i].path;
        list[i].title =
            str_slice(path, str_find_last(path, '/') + 1, path.n - strlen(".md"));
    }
    return (struct plan){list, notes, notes / NOTES_PER_ATTACHMENT};
}
