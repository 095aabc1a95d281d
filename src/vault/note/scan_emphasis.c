/*
 * Finds out which runs of * _ == ~~ and which brackets have a partner. That is needed
 * only in paragraphs in which a tag directly follows one, as in **#tag**, or ends with
 * one, as in _a #tag_. The rules for opening and closing are CommonMark's, except that _
 * may also open inside a word, so that snake_case_#tag has a tag, but not inside a tag.
 * There is one stack per character: when a run closes, openers of other characters after
 * its partner are given up.
 */
#include "base/utf8.h"
#include "vault/note/scan.h"

enum { STACKS = 5, STACK_MAX = 64 };
#define NO_DOUBT UINT32_MAX

struct opener {
    uint32_t length;
    uint32_t order;
    uint32_t doubt; /* in scan->doubts */
};

/* The newest STACK_MAX openers of one character. */
struct stack {
    struct opener openers[STACK_MAX];
    uint32_t top, bottom;
};

struct scan_emphasis_pairs {
    struct scan *scan;
    struct stack stacks[STACKS];
    uint32_t order;
    uint32_t next_doubt; /* in scan->doubts */
    uint32_t next_tag;   /* in note->tags */
};

static int stack_of(char c)
{
    static const char chars[] = "*_=~[";
    const char *at = c != '\0' ? strchr(chars, c) : NULL;
    return at != NULL ? (int)(at - chars) : -1;
}

static struct opener *top(struct stack *k)
{
    return k->top > k->bottom ? &k->openers[(k->top - 1) % STACK_MAX] : NULL;
}

static void scan_emphasis_confirm(struct scan_emphasis_pairs *p, uint32_t doubt)
{
    for (; doubt < p->scan->n_doubts; doubt++) {
        struct doubt *d = &p->scan->doubts[doubt];
        if (d->paired)
            break;
        d->paired = true;
        if (doubt + 1 < p->scan->n_doubts && d[1].at != d->at)
            break; /* the next one does not belong to this chain of tags */
    }
}

/* The doubt about the markup that ends at at, or NO_DOUBT. */
static uint32_t doubt_at(struct scan_emphasis_pairs *p, uint32_t at)
{
    const struct scan *s = p->scan;
    while (p->next_doubt < s->n_doubts && s->doubts[p->next_doubt].at < at)
        p->next_doubt++;
    bool here = p->next_doubt < s->n_doubts && s->doubts[p->next_doubt].at == at;
    return here ? p->next_doubt : NO_DOUBT;
}

static void give_up_after(struct scan_emphasis_pairs *p, uint32_t order)
{
    for (int i = 0; i < STACKS; i++)
        for (struct opener *o; (o = top(&p->stacks[i])) != NULL && o->order > order;)
            p->stacks[i].top--;
}

/* Pair a run of that length with open ones; returns how much of it is left. */
static uint32_t close_run(struct scan_emphasis_pairs *p, int which, uint32_t length)
{
    struct stack *k = &p->stacks[which];
    for (struct opener *o; length > 0 && (o = top(k)) != NULL;) {
        uint32_t n = o->length < length ? o->length : length;
        scan_emphasis_confirm(p, o->doubt);
        give_up_after(p, o->order);
        length -= n;
        o->length -= n;
        if (o->length == 0)
            k->top--;
    }
    return length;
}

static void open_run(struct scan_emphasis_pairs *p, int which, uint32_t length,
                     uint32_t doubt)
{
    struct stack *k = &p->stacks[which];
    k->openers[k->top++ % STACK_MAX] = (struct opener){length, p->order++, doubt};
    if (k->top - k->bottom > STACK_MAX)
        k->bottom++;
}

/* --- what opens, what closes --- */

enum scan_emphasis_kind { SPACE, PUNCTUATION, OTHER };

static bool is_wide_punct(uint32_t c)
{
    return c == 0xA1 || c == 0xA7 || c == 0xAB || c == 0xB6 || c == 0xB7 || c == 0xBB ||
           c == 0xBF || (c >= 0x2010 && c <= 0x2027) || (c >= 0x2030 && c <= 0x205E) ||
           (c >= 0x2E00 && c <= 0x2E7F) || (c >= 0x3001 && c <= 0x3003) ||
           (c >= 0x3008 && c <= 0x301F) || (c >= 0xFF01 && c <= 0xFF0F) ||
           (c >= 0xFF1A && c <= 0xFF20) || (c >= 0xFF3B && c <= 0xFF65);
}

static enum scan_emphasis_kind scan_emphasis_kind_of(uint32_t c)
{
    if (c < 0x80)
        return c <= ' ' ? SPACE : is_punct((char)c) ? PUNCTUATION : OTHER;
    if (c == 0xA0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F)
        return SPACE;
    return is_wide_punct(c) ? PUNCTUATION : OTHER;
}

static enum scan_emphasis_kind kind_before(const struct scan *s, uint32_t at)
{
    if (at == s->run.start)
        return SPACE;
    uint32_t from = at - 1;
    while (from > s->run.start && at - from < 4 && (s->p[from] & 0xC0) == 0x80)
        from--;
    size_t n;
    return scan_emphasis_kind_of(utf8_decode((str){s->p + from, at - from}, &n));
}

static enum scan_emphasis_kind kind_after(const struct scan *s, uint32_t at)
{
    size_t n;
    if (at == s->run.end)
        return SPACE;
    return scan_emphasis_kind_of(utf8_decode((str){s->p + at, s->run.end - at}, &n));
}

/* The name of the tag that has the bytes [at, end), or NULL. */
static struct span *tag_around(struct scan_emphasis_pairs *p, uint32_t at, uint32_t end)
{
    struct note *note = p->scan->note;
    while (p->next_tag < note->n_tags && note->tags[p->next_tag].name.end < end)
        p->next_tag++;
    if (p->next_tag == note->n_tags)
        return NULL;
    struct span *name = &note->tags[p->next_tag].name;
    return name->start < at ? name : NULL;
}

/* Underscores that close emphasis are not part of the tag before them. */
static void cut_tag(struct scan_emphasis_pairs *p, uint32_t at, uint32_t end)
{
    struct span *name = tag_around(p, at, end);
    if (name != NULL && name->end == end)
        name->end = at;
}

/* In #a_b_ the first underscore is part of the tag, so it opens nothing. */
static bool is_in_tag(struct scan_emphasis_pairs *p, uint32_t at, uint32_t end)
{
    const struct span *name = tag_around(p, at, end);
    return name != NULL && name->end > end;
}

/* Handle the run of one character in [at, end). */
static void take_run(struct scan_emphasis_pairs *p, int which, uint32_t at, uint32_t end)
{
    const struct scan *s = p->scan;
    char c = s->p[at];
    enum scan_emphasis_kind left = kind_before(s, at), right = kind_after(s, end);
    bool opens = right != SPACE && (right == OTHER || left != OTHER);
    bool closes = left != SPACE && (left == OTHER || right != OTHER);
    if (c == '_' && opens && closes)
        closes = right == PUNCTUATION;
    opens = opens && !(c == '_' && is_in_tag(p, at, end));
    uint32_t length = end - at;
    if ((c == '=' || c == '~') && length != 2)
        return;
    uint32_t doubt = doubt_at(p, end);
    if (closes)
        length = close_run(p, which, length);
    if (length == 0) {
        scan_emphasis_confirm(p, doubt);
        cut_tag(p, at, end);
    } else if (opens)
        open_run(p, which, length, doubt);
}

/* Handle the character at at; returns where to continue. */
static uint32_t scan_emphasis_take(struct scan_emphasis_pairs *p, uint32_t at)
{
    const struct scan *s = p->scan;
    char c = s->p[at];
    int which = stack_of(c);
    uint32_t end = at + 1;
    if (c == ']')
        (void)close_run(p, stack_of('['), 1);
    else if (c == '[')
        open_run(p, which, 1, doubt_at(p, end));
    else if (which >= 0) {
        while (end < s->run.end && s->p[end] == c)
            end++;
        take_run(p, which, at, end);
    }
    return end;
}

static void keep_paired(struct scan *s)
{
    uint32_t d = 0, kept = s->run.first_tag;
    for (uint32_t i = kept; i < s->note->n_tags; i++) {
        bool doubted = d < s->n_doubts && s->doubts[d].tag == i;
        if (!doubted || s->doubts[d].paired)
            s->note->tags[kept++] = s->note->tags[i];
        d += doubted;
    }
    s->note->n_tags = kept;
}

void scan_settle_doubts(struct scan *s)
{
    struct scan_emphasis_pairs pairs, *p = &pairs;
    p->scan = s;
    p->order = p->next_doubt = 0;
    p->next_tag = s->run.first_tag;
    for (int i = 0; i < STACKS; i++)
        p->stacks[i].top = p->stacks[i].bottom = 0;
    uint32_t node = 0;
    for (uint32_t at = s->run.start; at < s->run.end;) {
        while (node < s->n_nodes && s->nodes[node].start < at)
            node++;
        if (node < s->n_nodes && s->nodes[node].start == at)
            at = s->nodes[node].end;
        else
            at = scan_emphasis_take(p, at);
    }
    keep_paired(s);
}
