/*
 * obsidian - Obsidian's settings of a vault, read from its .obsidian folder.
 *
 * All files are optional: a missing file or key means Obsidian's default; a broken file
 * is reported and treated as missing. The files are never written.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"

/* The last one is only for links that exist: a name stays a name, a path stays a path. */
enum obsidian_link_format {
    LINKS_SHORTEST,
    LINKS_RELATIVE,
    LINKS_ABSOLUTE,
    LINKS_AS_WRITTEN
};
enum obsidian_new_file { NEW_FILE_ROOT, NEW_FILE_CURRENT, NEW_FILE_FOLDER };
enum obsidian_trash { TRASH_SYSTEM, TRASH_LOCAL, TRASH_NONE };

/*
 * Where dated notes or templates are: a folder without leading and trailing slashes, and
 * a Moment format.
 */
struct obsidian_dated {
    str folder, format, template_name;
};

struct obsidian;

/*
 * Read the settings from config_folder in root. Never fails: broken files are listed by
 * obsidian_problems().
 */
struct obsidian *obsidian_open(const struct fs_root *root, str config_folder);

/* Those of a vault without settings, until they are read. */
struct obsidian *obsidian_unread(void);
void obsidian_free(struct obsidian *o);

/* app.json */
enum obsidian_link_format obsidian_link_format(const struct obsidian *o);
/* Of links that are rewritten: the same if the vault says it, else LINKS_AS_WRITTEN. */
enum obsidian_link_format obsidian_rewritten_format(const struct obsidian *o);
bool obsidian_markdown_links(const struct obsidian *o);
enum obsidian_new_file obsidian_new_file(const struct obsidian *o, str *folder);
enum obsidian_trash obsidian_trash(const struct obsidian *o);
/*
 * Excluded files stay in the vault, and their links count, but by default search leaves
 * them out, and their words and tags are not indexed.
 */
bool obsidian_is_excluded(const struct obsidian *o, str path);

enum obsidian_period {
    PERIOD_DAY,
    PERIOD_WEEK,
    PERIOD_MONTH,
    PERIOD_QUARTER,
    PERIOD_YEAR
};

/*
 * From daily-notes.json, or from the Periodic Notes plugin if its daily notes are
 * enabled.
 */
struct obsidian_dated obsidian_daily(const struct obsidian *o);

/*
 * The same for any period. For those longer than a day, the settings of the Periodic
 * Notes plugin, enabled or not, or its defaults.
 */
struct obsidian_dated obsidian_periodic(const struct obsidian *o,
                                        enum obsidian_period period);

/* Whether notes of that period are set up: daily notes always are, longer ones if the
 * Periodic Notes plugin has enabled them. */
bool obsidian_has_period(const struct obsidian *o, enum obsidian_period period);

/* The folder of the Templater plugin's templates; empty if it has none. */
str obsidian_templater_folder(const struct obsidian *o);

/* Whether settings of that plugin, "periodic-notes" for example, are read. */
bool obsidian_reads_plugin(str id);

/* The settings of the Tasks plugin (forms/task_settings.h); NULL if there are none. */
const struct json *obsidian_tasks(const struct obsidian *o);

/* From templates.json; format is the date format, template_name the time format. */
struct obsidian_dated obsidian_templates(const struct obsidian *o);

/*
 * The declared type of a property ("date", "number"), case ignored; empty if it has none.
 */
str obsidian_property_type(const struct obsidian *o, str name);

/* One sentence per file that could not be read. */
size_t obsidian_problems(const struct obsidian *o, const str **out);
