#include "vault/note/policy.h"

#include "base/arena.h"
#include "base/chars.h"
#include "base/near.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/note/frontmatter.h"
#include "vault/note/prop.h"

static const char *const names[POLICY_KINDS] = {[POLICY_NONE] = "",
                                                [POLICY_PROPOSE] = "propose",
                                                [POLICY_READ_ONLY] = "read-only",
                                                [POLICY_HIDDEN] = "hidden"};

bool policy_is_rule(str path)
{
    return str_eq_nocase(path_name(path), STR(POLICY_FILE));
}

const char *policy_name(enum policy policy)
{
    return names[policy];
}

/* --- properties that were read --- */

static enum policy policy_of_word(str word)
{
    for (enum policy p = POLICY_PROPOSE; p < POLICY_KINDS; p++)
        if (str_eq_nocase(str_trim_line(word), str_c(names[p])))
            return p;
    return POLICY_NONE;
}

static enum policy policy_of_value(const struct prop *value)
{
    enum policy p = policy_of_word(value->type == PROP_TEXT ? value->text : STR(""));
    for (const struct prop *i = value->child; value->type == PROP_LIST && i != NULL;
         i = i->next)
        p = policy_stricter(p, policy_of_word(i->text));
    return p;
}

/* Two spellings of one name are two properties in YAML. */
enum policy policy_of_props(str property, const struct prop *props)
{
    enum policy p = POLICY_NONE;
    if (property.n == 0 || props == NULL)
        return p;
    for (const struct prop *m = props->child; m != NULL; m = m->next)
        if (prop_same_name(m->key, property))
            p = policy_stricter(p, policy_of_value(m));
    return p;
}

/* --- a block that cannot be read --- */

/* Whether text has the word at at, and no letter or digit next to it. */
static bool has_word_at(str text, size_t at, str word)
{
    return str_eq_nocase(str_slice(text, at, at + word.n), word) &&
           (at == 0 || !is_alnum(text.p[at - 1])) &&
           (at + word.n >= text.n || !is_alnum(text.p[at + word.n]));
}

static bool has_word(str text, str word)
{
    for (size_t at = 0; at + word.n <= text.n; at++)
        if (has_word_at(text, at, word))
            return true;
    return false;
}

/* After the name of a property comes a colon, maybe after a quote and spaces; or the name
 * follows a question mark. */
static bool policy_is_key(str line, size_t at, str property)
{
    size_t end = at + property.n;
    if (end < line.n && (line.p[end] == '"' || line.p[end] == '\''))
        end++;
    end = text_skip_blanks(line, end);
    return (end < line.n && line.p[end] == ':') || str_starts(str_trim(line), STR("?"));
}

static bool has_key(str line, str property)
{
    for (size_t at = 0; at + property.n <= line.n; at++)
        if (has_word_at(line, at, property) && policy_is_key(line, at, property))
            return true;
    return false;
}

/* A value that is written in another way than it reads may be any. */
static enum policy policy_of_broken_value(str value)
{
    bool other =
        str_find_char(value, '\\') != STR_NONE || str_find_char(value, '*') != STR_NONE;
    for (enum policy p = POLICY_HIDDEN; p > POLICY_NONE; p--)
        if ((other && p == POLICY_HIDDEN) || has_word(value, str_c(names[p])))
            return p;
    return POLICY_NONE;
}

/* Whether a line goes on with the value of the line before. */
static bool goes_on(str line)
{
    return line.n > 0 && (is_white(line.p[0]) || strchr("-:?]}", line.p[0]) != NULL);
}

static enum policy policy_of_broken(str property, str block)
{
    enum policy p = POLICY_NONE;
    str line;
    bool inside = false;
    while (text_take_line(&block, &line)) {
        inside = has_key(line, property) || (inside && goes_on(line));
        if (inside)
            p = policy_stricter(p, policy_of_broken_value(line));
    }
    return p;
}

/* --- texts --- */

/* Whether the line is --- alone; spaces may follow if it closes. */
static bool policy_is_fence(str line, bool closes)
{
    line = text_drop_return(line);
    while (closes && line.n > 3 && is_blank(line.p[line.n - 1]))
        line.n--;
    return str_eq(line, STR("---"));
}

/* As note.c reads them: only a feed ends a line of the block. */
static str take_feed_line(str *rest)
{
    str line = STR("");
    (void)!str_next(rest, '\n', &line);
    return line;
}

/* The text between the --- lines; *ends: there is a second one. False without a first one. */
static bool policy_block(str text, str *block, bool *ends)
{
    str rest = str_skip(text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
    *ends = false;
    if (!policy_is_fence(take_feed_line(&rest), false))
        return false;
    *block = rest;
    while (rest.n > 0 && !*ends) {
        size_t at = block->n - rest.n;
        *ends = policy_is_fence(take_feed_line(&rest), true);
        if (*ends)
            *block = str_slice(*block, 0, at);
    }
    return true;
}

enum policy policy_of_text(str property, str text, bool cut, enum policy before)
{
    struct arena a = {0};
    struct frontmatter fm;
    str block;
    bool ends;
    if (property.n == 0)
        return POLICY_NONE;
    if (text.n == 0)
        return before;
    if (!policy_block(text, &block, &ends))
        return POLICY_NONE;
    if (!ends)
        return cut ? POLICY_HIDDEN
                   : policy_stricter(before, policy_of_broken(property, block));
    frontmatter_read(&a, block, 2, &fm);
    enum policy p = fm.broken ? policy_of_broken(property, block)
                              : policy_of_props(property, fm.props);
    arena_release(&a);
    return p;
}

/* --- slips --- */

static enum policy policy_slip_of(str word)
{
    enum { MOST = 2 };
    struct arena a = {0};
    struct near_search s;
    struct sbuf lower = SBUF_ON(&a);
    enum policy meant = POLICY_NONE;
    for (size_t i = 0; i < word.n && i < NEAR_MAX; i++)
        sbuf_char(&lower,
                  word.p[i] == '_' || word.p[i] == ' ' ? '-' : to_lower(word.p[i]));
    near_search(&s, sbuf_str(&lower), MOST);
    for (enum policy p = POLICY_PROPOSE; p < POLICY_KINDS; p++)
        if (near_offer(&s, str_c(names[p])))
            meant = p;
    arena_release(&a);
    return meant;
}

const struct prop *policy_slip(str property, const struct prop *props, enum policy *meant)
{
    for (const struct prop *m = props != NULL ? props->child : NULL; m != NULL;
         m = m->next)
        if (property.n > 0 && prop_same_name(m->key, property) && m->type == PROP_TEXT &&
            policy_of_value(m) == POLICY_NONE &&
            (*meant = policy_slip_of(str_trim_line(m->text))) != POLICY_NONE)
            return m;
    return NULL;
}
