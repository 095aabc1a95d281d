#include "vault_text.h"

enum { DAYS = 3600 }; /* about eleven years of notes */

static const char *const headings[] = {"Summary", "Details",    "Next steps",
                                       "Sources", "Background", "Open questions"};
static const char *const tags[] = {
    "idea",  "reading",   "work",   "work/meeting", "person",        "work/project/beta",
    "book",  "area/home", "health", "project/beta", "project/gamma", "to-do",
    "y2024", "дело",      "会议",   "daily"};

/* Chance is asked once in an expression: C does not say which of two goes first. */
#define PICK(t, list) str_c((list)[rng_below(&(t)->rng, COUNT_OF(list))])

struct text text_begin(struct sbuf *out, const struct plan *plan, uint32_t note,
                       uint64_t seed, struct tally *tally)
{
    struct text t = {
        .out = out,
        .plan = plan,
        .note = &plan->notes[note],
        .tally = tally,
        .rng = {seed ^ (uint64_t)note << 32},
    };
    enum language l = t.note->language;
    for (int i = 0; i < TOPICS; i++)
        t.topics[i] =
            words_common(l) + rng_zipf(&t.rng, words_count(l) - words_common(l));
    return t;
}

/* --- words and sentences --- */

/* Half of the words that are not common are topics of the note. */
static uint32_t some_rank(struct text *t)
{
    enum language l = t->note->language;
    uint32_t rank = rng_zipf(&t->rng, words_count(l));
    if (rank >= words_common(l) && rng_percent(&t->rng, 50))
        return t->topics[rng_zipf(&t->rng, TOPICS)];
    return rank;
}

static void some_word(struct text *t)
{
    add_word(t->out, t->note->language, some_rank(t));
}

static void more_words(struct text *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (t->note->language != HAN)
            sbuf_char(t->out, ' ');
        some_word(t);
    }
}

static void some_words(struct text *t, uint32_t n)
{
    add_capitalized(t->out, t->note->language, some_rank(t));
    more_words(t, n - 1);
}

static void wrapped_word(struct text *t, str before, str after)
{
    sbuf_add(t->out, before);
    some_word(t);
    sbuf_add(t->out, after);
}

static void some_tag(struct text *t)
{
    sbuf_char(t->out, '#');
    sbuf_add(t->out, PICK(t, tags));
}

/* Any note but the hub: some are linked to from everywhere, most from a few. */
static uint32_t some_note(struct text *t)
{
    uint32_t others = t->plan->n_notes - 1;
    uint32_t i =
        rng_percent(&t->rng, 25) ? rng_zipf(&t->rng, others) : rng_below(&t->rng, others);
    return PLAN_HUB + 1 + i;
}

static void some_link(struct text *t)
{
    static const enum link_form usual[] = {
        LINK_PLAIN, LINK_PLAIN,    LINK_PLAIN,    LINK_PLAIN,   LINK_ALIAS,   LINK_ALIAS,
        LINK_ALIAS, LINK_PATH,     LINK_PATH,     LINK_HEADING, LINK_HEADING, LINK_BLOCK,
        LINK_EMBED, LINK_MARKDOWN, LINK_MARKDOWN, LINK_RELATIVE};
    enum link_form form = usual[rng_below(&t->rng, COUNT_OF(usual))];
    text_link(t, some_note(t), form);
}

static void some_number(struct text *t)
{
    switch (rng_below(&t->rng, 4)) {
    case 0:
        add_date(t->out, rng_below(&t->rng, DAYS));
        break;
    case 1:
        sbuf_printf(t->out, "%07x", (unsigned)(rng_next(&t->rng) & 0xFFFFFFF));
        break;
    case 2:
        sbuf_printf(t->out, "%u.5", rng_below(&t->rng, 1000));
        break;
    default:
        sbuf_printf(t->out, "%u", rng_zipf(&t->rng, 10000) + 2);
    }
}

/* What stands at the end of a sentence now and then. */
static void some_markup(struct text *t)
{
    static const char *const emoji[] = {"🚀", "📚",           "🧠",  "✅",
                                        "🌱", "👩‍💻", "❤️"};
    static const char *const math[] = {"$x^2 + y$", "$\\alpha_i \\le \\beta$", "$O(n)$"};
    sbuf_char(t->out, ' ');
    switch (rng_below(&t->rng, 18)) {
    case 0:
        wrapped_word(t, STR("**"), STR("**"));
        break;
    case 1:
        wrapped_word(t, STR("*"), STR("*"));
        break;
    case 2:
        wrapped_word(t, STR("`"), STR("()`"));
        break;
    case 3:
        wrapped_word(t, STR("=="), STR("=="));
        break;
    case 4:
        sbuf_add(t->out, PICK(t, emoji));
        break;
    case 5:
        sbuf_add(t->out, PICK(t, math));
        break;
    case 6:
        some_number(t);
        break;
    case 7:
        some_tag(t);
        break;
    case 8:
        add_name(t->out, rng_zipf(&t->rng, NAMES));
        break;
    case 9:
        wrapped_word(t, STR("[page](https://example.org/"), STR("?a=1&b=2#part)"));
        break;
    default:
        some_link(t);
    }
}

void text_sentence(struct text *t)
{
    bool is_han = t->note->language == HAN;
    some_words(t, rng_between(&t->rng, 5, 16));
    if (rng_percent(&t->rng, 30)) {
        sbuf_add(t->out, is_han ? STR("\uFF0C") : STR(","));
        more_words(t, rng_between(&t->rng, 3, 8));
    }
    if (rng_percent(&t->rng, 35))
        some_markup(t);
    sbuf_add(t->out, is_han ? STR("。") : STR("."));
}

/* --- links --- */

/* The path as Markdown wants it: blanks escaped. */
static void add_destination(struct sbuf *b, str path)
{
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] == ' ')
            sbuf_add(b, STR("%20"));
        else
            sbuf_char(b, path.p[i]);
    }
}

static void markdown_link(struct text *t, str path, bool relative)
{
    sbuf_add(t->out, STR("[see there]("));
    for (size_t i = 0; relative && i < t->note->path.n; i++)
        if (t->note->path.p[i] == '/')
            sbuf_add(t->out, STR("../"));
    add_destination(t->out, path);
    sbuf_char(t->out, ')');
}

void text_link(struct text *t, uint32_t note, enum link_form form)
{
    const struct plan_note *to = &t->plan->notes[note];
    t->tally->links++;
    if (form == LINK_MARKDOWN || form == LINK_RELATIVE) {
        markdown_link(t, to->path, form == LINK_RELATIVE);
        return;
    }
    sbuf_add(t->out, form == LINK_EMBED ? STR("![[") : STR("[["));
    sbuf_add(t->out, to->ambiguous || form == LINK_PATH
                         ? str_slice(to->path, 0, to->path.n - strlen(".md"))
                         : to->title);
    if (form == LINK_HEADING) {
        sbuf_char(t->out, '#');
        sbuf_add(t->out, PICK(t, headings));
    } else if (form == LINK_BLOCK) {
        sbuf_add(t->out, STR("#^intro"));
    } else if (form == LINK_ALIAS) {
        wrapped_word(t, STR("|"), STR(" there"));
    }
    sbuf_add(t->out, STR("]]"));
}

void add_attachment(struct sbuf *b, uint32_t i)
{
    static const char *const endings[] = {"png", "jpg", "pdf"};
    sbuf_printf(b, "Attachment %u.%s", i, endings[i % COUNT_OF(endings)]);
}

/* --- blocks --- */

static void paragraph(struct text *t)
{
    text_sentence(t);
    for (uint32_t i = rng_below(&t->rng, 6); i > 0; i--) {
        if (t->note->language != HAN)
            sbuf_char(t->out, ' ');
        text_sentence(t);
    }
    if (rng_percent(&t->rng, 5))
        sbuf_printf(t->out, " ^%06x", (unsigned)(rng_next(&t->rng) & 0xFFFFFF));
}

static void heading(struct text *t)
{
    sbuf_add(t->out, str_skip(STR("####"), rng_below(&t->rng, 3)));
    sbuf_char(t->out, ' ');
    if (rng_percent(&t->rng, 50))
        sbuf_add(t->out, PICK(t, headings));
    else
        some_words(t, rng_between(&t->rng, 1, 4));
}

static void task(struct text *t)
{
    bool is_done = rng_percent(&t->rng, 50);
    *(is_done ? &t->tally->tasks_done : &t->tally->tasks_open) += 1;
    sbuf_add(t->out, is_done ? STR("- [x] ") : STR("- [ ] "));
    text_sentence(t);
    if (rng_percent(&t->rng, 30)) {
        sbuf_add(t->out, STR(" 📅 "));
        add_date(t->out, rng_below(&t->rng, DAYS));
    }
    sbuf_char(t->out, '\n');
}

static void list(struct text *t, bool tasks)
{
    for (uint32_t i = rng_between(&t->rng, 2, 7); i > 0; i--) {
        if (tasks) {
            task(t);
            continue;
        }
        sbuf_add(t->out, rng_percent(&t->rng, 20) ? STR("  - ") : STR("- "));
        text_sentence(t);
        sbuf_char(t->out, '\n');
    }
}

static void code(struct text *t)
{
    static const char *const kinds[] = {"js", "python", "c", "sql", "bash", ""};
    sbuf_add(t->out, STR("```"));
    sbuf_add(t->out, PICK(t, kinds));
    wrapped_word(t, STR("\nfunction "), STR("(x) { // #no-tag [[no link]]\n"));
    wrapped_word(t, STR("    return x + "), STR("[0];\n}\n```"));
}

static void formula(struct text *t)
{
    sbuf_printf(t->out, "$$\n\\sum_{i=0}^{%u} \\frac{x_i}{2} \\ge \\lambda\n$$",
                rng_below(&t->rng, 50));
}

static void table(struct text *t)
{
    sbuf_add(t->out, STR("| Name | Value | Note |\n| :--- | ---: | --- |\n"));
    for (uint32_t i = rng_between(&t->rng, 2, 6); i > 0; i--) {
        wrapped_word(t, STR("| "), STR(" | "));
        some_number(t);
        wrapped_word(t, STR(" | "), STR(" |\n"));
    }
}

static void callout(struct text *t)
{
    static const char *const kinds[] = {"note", "tip", "warning", "quote", "info"};
    sbuf_add(t->out, STR("> [!"));
    sbuf_add(t->out, PICK(t, kinds));
    wrapped_word(t, STR("] "), STR("\n> "));
    text_sentence(t);
    sbuf_add(t->out, STR("\n> "));
    text_sentence(t);
}

static void attachment(struct text *t)
{
    sbuf_add(t->out, STR("![["));
    add_attachment(t->out, rng_below(&t->rng, t->plan->n_attachments));
    sbuf_add(t->out, rng_percent(&t->rng, 30) ? STR("|300]]") : STR("]]"));
}

void text_block(struct text *t)
{
    uint32_t kind = rng_below(&t->rng, 100);
    if (kind < 58)
        paragraph(t);
    else if (kind < 72)
        heading(t);
    else if (kind < 84)
        list(t, kind < 78);
    else if (kind < 88)
        code(t);
    else if (kind < 90)
        formula(t);
    else if (kind < 94)
        table(t);
    else if (kind < 97)
        callout(t);
    else
        attachment(t);
    sbuf_add(t->out, STR("\n\n"));
}

/* --- properties --- */

static void tag_property(struct text *t, str tag)
{
    uint32_t n = rng_below(&t->rng, 4);
    if (n == 0 && tag.n == 0)
        return;
    bool in_line = rng_percent(&t->rng, 50);
    str before = in_line ? STR("") : STR("\n  - "), after = in_line ? STR(", ") : STR("");
    sbuf_add(t->out, in_line ? STR("tags: [") : STR("tags:"));
    for (uint32_t i = 0; i < n; i++) {
        sbuf_add(t->out, before);
        sbuf_add(t->out, PICK(t, tags));
        if (i + 1 < n || tag.n > 0)
            sbuf_add(t->out, after);
    }
    if (tag.n > 0) {
        sbuf_add(t->out, before);
        sbuf_add(t->out, tag);
    }
    sbuf_add(t->out, in_line ? STR("]\n") : STR("\n"));
}

static void alias_property(struct text *t)
{
    sbuf_add(t->out, STR("aliases:\n  - "));
    some_words(t, 3);
    sbuf_printf(t->out, " %u\n", rng_below(&t->rng, 1000));
}

static void link_property(struct text *t)
{
    sbuf_add(t->out, STR("related:\n  - \""));
    text_link(t, some_note(t), LINK_PLAIN);
    sbuf_add(t->out, STR("\"\n  - \""));
    text_link(t, some_note(t), LINK_PLAIN);
    sbuf_add(t->out, STR("\"\n"));
}

void text_properties(struct text *t, str tag, str property)
{
    static const char *const states[] = {"active", "done", "someday", "archived"};
    sbuf_printf(t->out, "---\ntitle: \"" STR_FMT "\"\n", STR_ARG(t->note->title));
    tag_property(t, tag);
    if (rng_percent(&t->rng, 30))
        alias_property(t);
    sbuf_add(t->out, STR("created: "));
    add_date(t->out, rng_below(&t->rng, DAYS));
    sbuf_add(t->out, STR("\nstatus: "));
    sbuf_add(t->out, PICK(t, states));
    sbuf_char(t->out, '\n');
    if (rng_percent(&t->rng, 25))
        sbuf_printf(t->out, "rating: %u\nprogress: 0.25\npublish: false\n",
                    rng_between(&t->rng, 1, 5));
    if (rng_percent(&t->rng, 20))
        link_property(t);
    if (property.n > 0)
        sbuf_printf(t->out, STR_FMT "\n", STR_ARG(property));
    sbuf_add(t->out, STR("---\n"));
}
