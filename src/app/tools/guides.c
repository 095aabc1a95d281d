#include "app/tools/guides.h"

#include "base/sbuf.h"

/* Placeholders for what a set of tools says about its own tools. */
#define ONE "\001"
#define TWO "\002"

#define FIRST_TOPICS                                                                     \
    [GUIDE_LINKS] = "links", [GUIDE_EMBEDS] = "embeds", [GUIDE_CALLOUTS] = "callouts",   \
    [GUIDE_PROPERTIES] = "properties", [GUIDE_TAGS] = "tags", [GUIDE_TASKS] = "tasks",   \
    [GUIDE_TABLES] = "tables", [GUIDE_CANVAS] = "canvas", [GUIDE_DAILY] = "daily",       \
    [GUIDE_SEARCH] = "search"

const char *const guide_topics[] = {
    FIRST_TOPICS,
    [GUIDE_BASES] = "bases",
    [GUIDE_TOPICS] = NULL,
};
const char *const guide_topics_of_others[] = {FIRST_TOPICS, NULL};

static const char links[] =
    "# Links\n"
    "\n"
    "- `[[Note]]` links to a note by name, without .md. Case is ignored.\n"
    "- `[[Folder/Note]]`: from the vault root; needed when two notes share a name.\n"
    "- `[[Note|shown text]]`: another text to show.\n"
    "- `[[Note#Heading]]`, `[[Note#Heading#Below it]]`: a heading. `[[#Heading]]`: in "
    "the same note.\n"
    "- `[[Note#^id]]`: a block. The block has ` ^id` (a space, then letters, digits, "
    "dashes) at the end of its paragraph or list item; after a table, quote or code "
    "block it is on its own line, with an empty line before it.\n"
    "- `[shown](Folder/My%20note.md)` or `[shown](<Folder/My note.md>)`: Markdown form; "
    "spaces are %20 or the path is in <>.\n"
    "- Files that are not notes keep their extension: `[[plan.pdf]]`, "
    "`[[plan.pdf#page=3]]`.\n"
    "- In a table write `[[Note\\|text]]`: a plain | would end the cell.\n"
    "- In properties a link is quoted: `up: \"[[Home]]\"`.\n"
    "\n"
    "Names cannot contain `# ^ [ ] |`. A link to a note that does not exist is fine: "
    "clicking it creates the note. " ONE " Nothing in code or math is a link.\n";

static const char embeds[] =
    "# Embeds\n"
    "\n"
    "A `!` before a link shows the target in place.\n"
    "\n"
    "- `![[Note]]`: a whole note. `![[Note#Heading]]`: one section. `![[Note#^id]]`: one "
    "block.\n"
    "- `![[image.png]]`: an image. `![[image.png|300]]`: 300 wide. "
    "`![[image.png|300x200]]`: width and height.\n"
    "- `![alt text](Attachments/image.png)`, `![alt|300](https://example.org/a.png)`: "
    "Markdown form, also for the web.\n"
    "- `![[file.pdf#page=3]]`: a page. `![[file.pdf#height=400]]`: the height of the "
    "viewer.\n"
    "- `![[sound.mp3]]`, `![[film.mp4]]`: players.\n"
    "- `![[Board.canvas]]`, `![[Table.base]]`, `![[Table.base#View name]]`.\n"
    "- A search result: a code block with the language `query` and the search in it.\n"
    "\n"
    "An embed shows the target as it is now: for a lasting quote, copy the text. Put a "
    "note or section on a line of its own.\n";

static const char callouts[] =
    "# Callouts\n"
    "\n"
    "A quote whose first line names a type:\n"
    "\n"
    "```\n"
    "> [!note] Title of your choice\n"
    "> Text with **Markdown**, [[links]] and lists.\n"
    ">\n"
    "> A second paragraph.\n"
    "```\n"
    "\n"
    "- Without a title the type is the title. A title alone, without text, is fine.\n"
    "- `> [!tip]-` starts folded, `> [!tip]+` starts open and can be folded.\n"
    "- Every line begins with `>`; an empty line without it ends the callout.\n"
    "- Nested: `> > [!todo] Inner`.\n"
    "- Types (case ignored): note; abstract, summary, tldr; info; todo; tip, hint, "
    "important; success, check, done; question, help, faq; warning, caution, attention; "
    "failure, fail, missing; danger, error; bug; example; quote, cite. Any other word "
    "looks like note.\n"
    "- Leave an empty line before and after.\n";

static const char properties[] =
    "# Properties\n"
    "\n"
    "YAML between two `---` lines, the first being the very first line of the note:\n"
    "\n"
    "```\n"
    "---\n"
    "title: \"Plan: spring\"\n"
    "tags:\n"
    "  - project/garden\n"
    "aliases: [Spring plan]\n"
    "due: 2026-03-01\n"
    "start: 2026-03-01T09:30:00\n"
    "done: false\n"
    "hours: 12.5\n"
    "up: \"[[Home]]\"\n"
    "---\n"
    "```\n"
    "\n"
    "- Types: text, list, number, checkbox (true/false), date, date and time. A name has "
    "one type in the whole vault: see how other notes write it before you add one.\n"
    "- Quote text with `: `, ` #`, or a first character from `[ ] { } > | * & ! % @`; "
    "always quote links.\n"
    "- `tags` (without #), `aliases` and `cssclasses` are lists.\n"
    "- Each name once, no tabs. Nested maps are kept but not shown by Obsidian. No "
    "Markdown in values.\n"
    "\n" ONE "\n";

static const char tags[] =
    "# Tags\n"
    "\n"
    "- In text: `#garden`, after a space or at the start of a line. In properties: "
    "`tags: [garden]`, without #.\n"
    "- Letters of any script, digits, `_`, `-` and `/`; emoji too. No spaces: "
    "`#two-words`. At least one character is not a digit: `#2026` is not a tag, `#y2026` "
    "is.\n"
    "- `#area/garden` is below `#area`; a search for `#area` finds both.\n"
    "- Case is ignored: `#Garden` and `#garden` are one tag.\n"
    "- No tags in code, math, links or HTML comments. A heading has a space after its #: "
    "`# Heading`, `#tag`.\n"
    "\n" ONE "\n";

static const char tasks[] =
    "# Tasks\n"
    "\n"
    "```\n"
    "- [ ] open\n"
    "- [x] done\n"
    "    - [ ] a part of it, indented\n"
    "1. [ ] numbered works, too\n"
    "```\n"
    "\n"
    "- A list marker (`-`, `*`, `+` or a number), a space, `[ ]`, a space, the text.\n"
    "- Any other single character counts as done for Obsidian; themes give meanings such "
    "as `[/]` in progress, `[-]` cancelled, `[>]` moved, `[?]` question. Keep what the "
    "vault uses.\n"
    "- Dates and priorities are plain text. The Tasks plugin reads: \xF0\x9F\x93\x85 "
    "2026-03-01 (due), \xE2\x8F\xB3 (scheduled), \xF0\x9F\x9B\xAB (start), \xE2\x9C\x85 "
    "(done), \xF0\x9F\x94\x81 every week, \xE2\x8F\xAB \xF0\x9F\x94\xBC \xF0\x9F\x94\xBD "
    "(priority), at the end of the line. Write them only where the vault does.\n"
    "\n" ONE "\n";

static const char tables[] =
    "# Tables\n"
    "\n"
    "```\n"
    "| Plant | Sown | Count |\n"
    "| :---- | :--: | ----: |\n"
    "| Leek  | 3/1  | 40    |\n"
    "```\n"
    "\n"
    "- The second line is required: at least one dash for each column; colons align "
    "left, centre, right.\n"
    "- Leave an empty line before the table. Every row has as many cells as the first.\n"
    "- In a cell: no line break (write `<br>`), no lists, no blocks. A `|` in text, "
    "links or image sizes is `\\|`: `[[Note\\|text]]`, `![[a.png\\|100]]`.\n"
    "- Columns need not be aligned in the source.\n"
    "- The block id of a table goes below it on its own line, with empty lines around "
    "it: `^prices`.\n"
    "\n"
    "For a table made from properties of notes use a .base file" ONE ".\n";

static const char canvas[] =
    "# Canvas\n"
    "\n"
    "A .canvas file is JSON:\n"
    "\n"
    "```json\n"
    "{\"nodes\":[\n"
    "  {\"id\":\"a1\",\"type\":\"text\",\"text\":\"# "
    "Idea\",\"x\":0,\"y\":0,\"width\":250,\"height\":120},\n"
    "  "
    "{\"id\":\"b2\",\"type\":\"file\",\"file\":\"Projects/"
    "Plan.md\",\"subpath\":\"#Goal\",\"x\":320,\"y\":0,\"width\":400,\"height\":300}\n"
    "],\"edges\":[\n"
    "  "
    "{\"id\":\"e1\",\"fromNode\":\"a1\",\"fromSide\":\"right\",\"toNode\":\"b2\","
    "\"toSide\":\"left\",\"label\":\"leads to\"}\n"
    "]}\n"
    "```\n"
    "\n"
    "- Types: text (`text`, Markdown), file (`file`: path from the root with extension; "
    "`subpath` optional), link (`url`), group (`label`; contains what is inside its "
    "rectangle).\n"
    "- x and y are integers: the upper left corner, x to the right, y down. Later nodes "
    "are on top.\n"
    "- Sides: top, right, bottom, left. `toEnd` is \"arrow\" unless \"none\"; `fromEnd` "
    "the reverse.\n"
    "- `color`: \"1\" red, \"2\" orange, \"3\" yellow, \"4\" green, \"5\" cyan, \"6\" "
    "purple, or \"#rrggbb\".\n"
    "- Ids are unique; keep fields you do not know.\n"
    "\n" ONE "\n";

static const char daily[] =
    "# Daily notes\n"
    "\n"
    "- " ONE " Do not guess the path.\n"
    "- The date format is Moment's: `YYYY-MM-DD`, `YYYY/MM/DD` (creates folders), `dddd "
    "D MMMM YYYY`, text in `[brackets]` stays.\n"
    "- In templates `{{date}}`, `{{time}}`, `{{title}}` are filled in; "
    "`{{date:YYYY-MM}}` with its own format.\n"
    "- " TWO ", at the heading that the vault uses for it; keep "
    "what is there. One line per entry, newest last, unless the note does otherwise.\n"
    "- Link days as `[[2026-03-01]]`; a link to a day without a note is fine.\n"
    "- Weekly, monthly, quarterly and yearly notes work the same way where the vault has "
    "them.\n";

static const char search[] = "# Search\n"
                             "\n" ONE "\n";

static const char bases[] =
    "# Bases\n"
    "\n"
    "A .base file, or a code block with the language `base`, is YAML: a table of files.\n"
    "\n"
    "```yaml\n"
    "filters:\n"
    "  and:\n"
    "    - file.hasTag(\"book\")\n"
    "    - not: ['status == \"done\"']\n"
    "formulas:\n"
    "  left: (due - today()).days.round()\n"
    "properties:\n"
    "  formula.left: {displayName: Days left}\n"
    "views:\n"
    "  - type: table\n"
    "    name: Reading\n"
    "    order: [file.name, author, formula.left]\n"
    "    sort: [{property: due, direction: ASC}]\n"
    "    groupBy: {property: status, direction: ASC}\n"
    "    limit: 20\n"
    "    summaries: {pages: Sum}\n"
    "```\n"
    "\n"
    "- Rows are all files: for notes only, `file.ext == \"md\"`.\n"
    "- `x`, `note.x`, `note[\"x y\"]`: properties. `formula.x`. `this`: the note with "
    "the "
    "base. file: name path folder ext size ctime mtime tags links backlinks.\n"
    "- `== != < > && || ! + - * /`, `file.inFolder(\"A\")`, `file.hasLink(\"N\")`, "
    "`if(a, b, c)`, `today()`, `date(x)`, `due < today() + \"1 week\"`, "
    "`list.contains(x)`, `list.filter(value > 2).map(value * 2).join(\", \")`, "
    "`text.lower()`, `/regex/.matches(x)`, `x.isEmpty()`.\n"
    "- Quote an expression that has `: ` or ` #`, or begins with a quote, `!` or `[`.\n"
    "- Summaries: Average Sum Min Max Range Median Stddev Earliest Latest Checked "
    "Unchecked "
    "Empty Filled Unique.\n"
    "\n" ONE "\n";

static const char *const texts[GUIDE_TOPICS] = {
    [GUIDE_LINKS] = links,           [GUIDE_EMBEDS] = embeds, [GUIDE_CALLOUTS] = callouts,
    [GUIDE_PROPERTIES] = properties, [GUIDE_TAGS] = tags,     [GUIDE_TASKS] = tasks,
    [GUIDE_TABLES] = tables,         [GUIDE_CANVAS] = canvas, [GUIDE_DAILY] = daily,
    [GUIDE_SEARCH] = search,         [GUIDE_BASES] = bases,
};

/* With vault_canvas, models need not write the JSON. */
static const char canvas_steps[] =
    "# Canvas\n"
    "\n"
    "vault_read shows a .canvas as an outline: groups and what is in them, with ids, "
    "then "
    "edges. view text shows its JSON (JSON Canvas 1.0). vault_canvas changes it; steps:\n"
    "\n"
    "```json\n"
    "{\"add\":\"text\",\"text\":\"# "
    "Idea\",\"near\":\"Plan\",\"side\":\"right\",\"color\":\"4\"}\n"
    "{\"add\":\"file\",\"file\":\"Projects/Plan.md#Goal\",\"in\":\"Now\"}\n"
    "{\"add\":\"link\",\"url\":\"https://example.org\"}\n"
    "{\"add\":\"group\",\"label\":\"Now\",\"around\":[\"Idea\",\"Plan\"]}\n"
    "{\"change\":\"Idea\",\"text\":\"# Better\",\"in\":\"Now\"}\n"
    "{\"connect\":\"Better\",\"to\":\"Plan\",\"label\":\"leads to\"}\n"
    "{\"disconnect\":\"Better\",\"to\":\"Plan\"}\n"
    "{\"remove\":\"Better\"}\n"
    "```\n"
    "\n"
    "- A node is named by its id or title (first line, file name, address, label), also "
    "one that an earlier step added; an edge by its id.\n"
    "- Without near, in, or x and y, a new node goes to the right of everything. A group "
    "grows; nothing overlaps. width, height: optional.\n"
    "- change of an edge: label, color, fromSide, toSide (top, right, bottom, left), "
    "fromEnd, toEnd (none, arrow). null removes label or color.\n"
    "- remove takes the node's edges; of a group only the frame.\n"
    "- color: \"1\" red, \"2\" orange, \"3\" yellow, \"4\" green, \"5\" cyan, \"6\" "
    "purple, \"#rrggbb\".\n"
    "\n"
    "vault_move keeps the paths in canvases right.\n";

const struct guide_tools guide_default[GUIDE_TOPICS] = {
    [GUIDE_LINKS] = {"Never rename by writing a new file: vault_move keeps every link "
                     "intact."},
    [GUIDE_PROPERTIES] =
        {"Use vault_frontmatter to set or remove properties: it keeps "
         "comments, order and the text below. Use vault_query to find "
         "notes by them.\n\n"
         "Dataview's inline fields are properties in queries, too: a "
         "line `key:: value`, and `[key:: value]` or `(key:: value)` in "
         "text; only vault_edit changes them. vault_query runs Dataview's "
         "queries as dql: LIST, TABLE or TASK with FROM, WHERE, SORT, "
         "GROUP BY, FLATTEN, LIMIT; or the dataview block of a note. Not "
         "CALENDAR and dataviewjs."},
    [GUIDE_TAGS] =
        {"Use the tags that exist (vault_query from tags) and ask before you invent one. "
         "To rename a tag everywhere use vault_move."},
    [GUIDE_TASKS] =
        {"To complete, reopen, re-date, move or add one: vault_task. It writes what the "
         "plugin would, the next occurrence included.\n"
         "- status: done, todo, cancelled, next (as a click), or a status's symbol or "
         "name. priority: highest, high, medium, none, low, lowest.\n"
         "- to: `Note#Heading`, `Note` or `#Heading`, with the indented lines below it.\n"
         "- Several: steps of vault_batch.\n"
         "\n"
         "To find them: vault_query from tasks, for example `task.due <= today and not "
         "task.done`. Fields: task.text .description .done .status .status.type .due "
         ".scheduled .start .created .completion .cancelled .priority .recurs .id "
         ".depends "
         ".blocked .blocking .tags .heading .line."},
    [GUIDE_TABLES] = {", or vault_query"},
    [GUIDE_CANVAS] = {.whole = canvas_steps},
    [GUIDE_BASES] =
        {"vault_query base runs a view; give it the YAML to try a base before "
         "you save it. A broken one is refused."},
    [GUIDE_DAILY] =
        {"vault_daily gives the note of a day by the vault's folder, date "
         "format and template, and creates it if missing. Other notes begin "
         "with a template by vault_write; of a Templater template only values "
         "are filled in (tp.file, tp.date).",
         "Add to a day with vault_insert"},
    [GUIDE_SEARCH] =
        {"vault_search without a mode finds that text, case ignored, in names, tags and "
         "contents; if there is none, or little, notes that match its words or "
         "meaning, best first, so a question in plain words works. `(meaning 0.62)`: how "
         "near a section is, whose first line is given. It also "
         "understands Obsidian's operators. Modes:\n"
         "- text: only that literal text.\n"
         "- words: ranked; all words in any order, `\"a phrase\"`, `begin*`, "
         "`-without`.\n"
         "- names: only names and aliases.\n"
         "- meaning: only by meaning, if there are embeddings.\n"
         "- regex: as in ripgrep, names and lines.\n"
         "- query: as in Obsidian's search, for example\n"
         "  - `tomato OR leek`, `\"exact words\"`, `-frost`, `(a OR b) c`\n"
         "  - `file:2026`, `path:Journal`, `content:soup`, `tag:#area/garden`\n"
         "  - `line:(rain barrel)`, `block:(…)`, `section:(…)`: all in one line, block, "
         "section\n"
         "  - `task:call`, `task-todo:call`, `task-done:call`\n"
         "  - `[status]`, `[status:active]`, `[due:null]`: properties\n"
         "  - `match-case:Rain`, `/regular\\s+expression/`\n"
         "\n"
         "The text of PDF files is found, too: vault_read with section `page=3` reads "
         "a page, with view image it shows one.\n"
         "\n"
         "By values, dates, tasks, with sorting and counts: vault_query. By links, what "
         "links here, orphans: vault_links. By tag: vault_list tag. Zero hits come with "
         "suggestions; try fewer words.\n"
         "\n"
         "vault_edit regex: as ripgrep -U. `.` stops at a line break unless `(?s)`; "
         "`\\n`, `\\s`, `[^x]` match it."},
};

str guide_text(struct arena *a, enum guide_topic topic, const struct guide_tools *tools)
{
    struct sbuf out = SBUF_ON(a);
    const struct guide_tools *t = &tools[topic];
    if (t->whole != NULL)
        return str_c(t->whole);
    for (const char *c = texts[topic]; *c != '\0'; c++) {
        if (*c == ONE[0])
            sbuf_add(&out, str_c(t->one));
        else if (*c == TWO[0])
            sbuf_add(&out, str_c(t->two));
        else
            sbuf_char(&out, *c);
    }
    return sbuf_str(&out);
}
