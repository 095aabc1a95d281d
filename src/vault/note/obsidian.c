#include "vault/note/obsidian.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "vault/text/regex.h"

enum { SETTINGS_MAX = 4 << 20, PROBLEMS_MAX = 16, FILTERS_MAX = 1000 };

/*
 * An entry of userIgnoreFilters: a path prefix or, between slashes, a regular expression.
 */
struct obsidian_filter {
    str prefix;
    struct regex *regex;
    struct regex_scratch *scratch;
};

struct obsidian {
    struct arena arena;
    const struct json *app, *daily, *periodic, *templates, *templater, *tasks, *types;
    struct obsidian_filter *filters;
    size_t n_filters;
    str problems[PROBLEMS_MAX];
    size_t n_problems;
};

static void add_problem(struct obsidian *o, str file, const char *why)
{
    if (o->n_problems < PROBLEMS_MAX)
        o->problems[o->n_problems++] =
            arena_printf(&o->arena, STR_FMT ": %s", STR_ARG(file), why);
}

static const struct json *read_file(struct obsidian *o, const struct fs_root *root,
                                    str folder, const char *name)
{
    str path = path_join(&o->arena, folder, str_c(name)), text;
    struct err err = {0};
    const struct json *j;
    if (!fs_read(root, &o->arena, path, SETTINGS_MAX, &text, &err)) {
        if (err.code != ERR_NOT_FOUND)
            add_problem(o, path, err.msg);
        return NULL;
    }
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        text = str_skip(text, 3);
    if (json_parse(&o->arena, text, &j, &err))
        return j;
    add_problem(o, path, err.msg);
    return NULL;
}

enum plugin { PLUGIN_PERIODIC, PLUGIN_TEMPLATER, PLUGIN_TASKS, PLUGINS };

static const char *const plugins[PLUGINS] = {[PLUGIN_PERIODIC] = "periodic-notes",
                                             [PLUGIN_TEMPLATER] = "templater-obsidian",
                                             [PLUGIN_TASKS] = "obsidian-tasks-plugin"};

static const struct json *read_plugin(struct obsidian *o, const struct fs_root *root,
                                      str folder, enum plugin plugin)
{
    return read_file(o, root, folder,
                     arena_printf(&o->arena, "plugins/%s/data.json", plugins[plugin]).p);
}

bool obsidian_reads_plugin(str id)
{
    for (size_t i = 0; i < PLUGINS; i++)
        if (str_eq(id, str_c(plugins[i])))
            return true;
    return false;
}

/* Slashes are escaped in JavaScript; our regular expressions refuse that. */
static str unescape_slashes(struct arena *a, str pattern)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.p[i] == '\\' && i + 1 < pattern.n && pattern.p[++i] != '/')
            sbuf_char(&out, '\\');
        sbuf_char(&out, pattern.p[i]);
    }
    return sbuf_str(&out);
}

static void add_filter(struct obsidian *o, str text)
{
    struct obsidian_filter *f = &o->filters[o->n_filters];
    struct err err = {0};
    str pattern = unescape_slashes(&o->arena, str_slice(text, 1, text.n - 1));
    if (text.n < 2 || text.p[0] != '/' || text.p[text.n - 1] != '/') {
        f->prefix = text;
    } else if (regex_compile(pattern, REGEX_NOCASE, &f->regex, &err)) {
        f->scratch = regex_scratch_create();
    } else {
        add_problem(o, STR("userIgnoreFilters"), err.msg);
        return;
    }
    o->n_filters++;
}

static void read_filters(struct obsidian *o)
{
    const struct json *list = json_get(o->app, STR("userIgnoreFilters"));
    if (!json_is(list, JSON_ARRAY) || list->n > FILTERS_MAX)
        return;
    o->filters = ARENA_ARRAY(&o->arena, struct obsidian_filter, list->n);
    for (const struct json *j = list->child; j != NULL; j = j->next)
        if (json_is(j, JSON_STRING) && j->text.n > 0)
            add_filter(o, j->text);
}

struct obsidian *obsidian_open(const struct fs_root *root, str config_folder)
{
    struct obsidian *o = mem_zero(sizeof(*o));
    o->app = read_file(o, root, config_folder, "app.json");
    o->daily = read_file(o, root, config_folder, "daily-notes.json");
    o->periodic = read_plugin(o, root, config_folder, PLUGIN_PERIODIC);
    o->templates = read_file(o, root, config_folder, "templates.json");
    o->templater = read_plugin(o, root, config_folder, PLUGIN_TEMPLATER);
    o->tasks = read_plugin(o, root, config_folder, PLUGIN_TASKS);
    o->types = json_get(read_file(o, root, config_folder, "types.json"), STR("types"));
    read_filters(o);
    return o;
}

struct obsidian *obsidian_unread(void)
{
    return mem_zero(sizeof(struct obsidian));
}

void obsidian_free(struct obsidian *o)
{
    if (o == NULL)
        return;
    for (size_t i = 0; i < o->n_filters; i++) {
        regex_scratch_free(o->filters[i].scratch);
        regex_free(o->filters[i].regex);
    }
    arena_release(&o->arena);
    free(o);
}

/* The index of a setting among its possible values; the first is the default. */
static int choice(const struct json *file, str key, const char *const *values)
{
    str text = json_get_str(file, key);
    for (int i = 0; values[i] != NULL; i++)
        if (str_eq(text, str_c(values[i])))
            return i;
    return 0;
}

enum obsidian_link_format obsidian_link_format(const struct obsidian *o)
{
    static const char *const values[] = {"shortest", "relative", "absolute", NULL};
    return (enum obsidian_link_format)choice(o->app, STR("newLinkFormat"), values);
}

enum obsidian_link_format obsidian_rewritten_format(const struct obsidian *o)
{
    return json_get_str(o->app, STR("newLinkFormat")).n > 0 ? obsidian_link_format(o)
                                                            : LINKS_AS_WRITTEN;
}

bool obsidian_markdown_links(const struct obsidian *o)
{
    return json_get_true(o->app, STR("useMarkdownLinks"));
}

enum obsidian_trash obsidian_trash(const struct obsidian *o)
{
    static const char *const values[] = {"system", "local", "none", NULL};
    return (enum obsidian_trash)choice(o->app, STR("trashOption"), values);
}

static str without_slashes(str s)
{
    while (s.n > 0 && (s.p[0] == '/' || s.p[0] == '\\'))
        s = str_skip(s, 1);
    while (s.n > 0 && (s.p[s.n - 1] == '/' || s.p[s.n - 1] == '\\'))
        s.n--;
    return s;
}

enum obsidian_new_file obsidian_new_file(const struct obsidian *o, str *folder)
{
    static const char *const values[] = {"root", "current", "folder", NULL};
    *folder = without_slashes(json_get_str(o->app, STR("newFileFolderPath")));
    return (enum obsidian_new_file)choice(o->app, STR("newFileLocation"), values);
}

bool obsidian_is_excluded(const struct obsidian *o, str path)
{
    uint32_t start, end;
    for (size_t i = 0; i < o->n_filters; i++) {
        const struct obsidian_filter *f = &o->filters[i];
        if (f->regex != NULL ? regex_find(f->regex, f->scratch, path, &start, &end)
                             : str_starts(path, f->prefix))
            return true;
    }
    return false;
}

static struct obsidian_dated dated(const struct json *file, str format)
{
    struct obsidian_dated d = {
        .folder = without_slashes(json_get_str(file, STR("folder"))),
        .format = json_get_str(file, STR("format")),
        .template_name = without_slashes(json_get_str(file, STR("template"))),
    };
    if (d.format.n == 0)
        d.format = format;
    return d;
}

struct obsidian_dated obsidian_daily(const struct obsidian *o)
{
    const struct json *periodic = json_get(o->periodic, STR("daily"));
    bool enabled = json_get_true(periodic, STR("enabled"));
    return dated(enabled ? periodic : o->daily, STR("YYYY-MM-DD"));
}

/* The settings of periods longer than a day, and their default formats. */
static const struct {
    const char *key, *format;
} longer[] = {
    [PERIOD_WEEK] = {"weekly", "gggg-[W]ww"},
    [PERIOD_MONTH] = {"monthly", "YYYY-MM"},
    [PERIOD_QUARTER] = {"quarterly", "YYYY-[Q]Q"},
    [PERIOD_YEAR] = {"yearly", "YYYY"},
};

struct obsidian_dated obsidian_periodic(const struct obsidian *o,
                                        enum obsidian_period period)
{
    if (period == PERIOD_DAY)
        return obsidian_daily(o);
    return dated(json_get(o->periodic, str_c(longer[period].key)),
                 str_c(longer[period].format));
}

bool obsidian_has_period(const struct obsidian *o, enum obsidian_period period)
{
    return period == PERIOD_DAY ||
           json_get_true(json_get(o->periodic, str_c(longer[period].key)),
                         STR("enabled"));
}

str obsidian_templater_folder(const struct obsidian *o)
{
    return without_slashes(json_get_str(o->templater, STR("templates_folder")));
}

const struct json *obsidian_tasks(const struct obsidian *o)
{
    return o->tasks;
}

struct obsidian_dated obsidian_templates(const struct obsidian *o)
{
    str date = json_get_str(o->templates, STR("dateFormat"));
    str time = json_get_str(o->templates, STR("timeFormat"));
    return (struct obsidian_dated){
        .folder = without_slashes(json_get_str(o->templates, STR("folder"))),
        .format = date.n > 0 ? date : STR("YYYY-MM-DD"),
        .template_name = time.n > 0 ? time : STR("HH:mm"),
    };
}

str obsidian_property_type(const struct obsidian *o, str name)
{
    str type = {0};
    for (const struct json *j = json_is(o->types, JSON_OBJECT) ? o->types->child : NULL;
         j != NULL; j = j->next)
        if (str_eq_nocase(j->key, name))
            json_str(j, &type);
    return type;
}

size_t obsidian_problems(const struct obsidian *o, const str **out)
{
    *out = o->problems;
    return o->n_problems;
}
