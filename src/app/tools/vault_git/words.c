/* What guides and prompts say about the tools of this set. */
#include "app/tool_support/prompt_words.h"
#include "app/tools/guides.h"
#include "app/tools/sets.h"

const struct guide_tools vault_git_guide[GUIDE_TOPICS] = {
    [GUIDE_LINKS] = {"Never rename by writing a new file: rename_file keeps every link "
                     "intact."},
    [GUIDE_PROPERTIES] = {"Change single lines of them with edit_file, so that the rest "
                          "stays as it is. To find notes by one: grep, `^status: "
                          "active`."},
    [GUIDE_TAGS] = {"Use the tags that exist (get_tags) and ask before you invent one. "
                    "find_files finds the notes with a tag."},
    [GUIDE_TASKS] = {"To tick one: edit_file, `- [ ] text` to `- [x] text`. To find open "
                     "ones in all notes: grep, `^\\s*[-*+] \\[ \\]`."},
    [GUIDE_TABLES] = {""},
    [GUIDE_CANVAS] = {"rename_file keeps the paths in canvases right."},
    [GUIDE_DAILY] = {"get_vault_info has the folder and the date format of the vault's "
                     "daily notes (daily_notes).",
                     "Add to a day with edit_file"},
    [GUIDE_SEARCH] =
        {"- grep: lines by regular expression, as in ripgrep; `literal` for plain text, "
         "`ignoreCase`, `include` for globs of files (`*.md`, `!Archive/**`).\n"
         "  - words in any order are several patterns: grep each, or `rain.*barrel`\n"
         "  - a property: `^status: active`; an open task: `- \\[ \\]`; a link to a "
         "note: `\\[\\[Name`\n"
         "- search_files: paths by glob, `*.md` in one directory, `**/*.md` anywhere.\n"
         "- find_files: by part of a name, tag, time of change, size.\n"
         "- get_backlinks: what links to a note. get_tags: all tags.\n"
         "\n"
         "Zero hits: try fewer or shorter words, ignoreCase, another directory."},
};

const struct prompt_words vault_git_prompts = {
    .answer = "Search in several ways (grep with ignoreCase and with other words for the "
              "same thing, find_files for names, tags and dates, get_backlinks from what "
              "you find) and read the passages themselves (read_file).",
    .inbox = "Find what has no place yet: notes in a directory called Inbox or in the "
             "vault's root (list_directory). For each propose a directory that exists, "
             "tags that exist (get_tags) and notes to link to, in one line. Call "
             "get_claude_context first and follow the rules there. Wait for my approval; "
             "then use rename_file, which keeps links right, and edit_file.",
    .related = "Look at its links and at what links to it (get_backlinks), at notes with "
               "the same tags (find_files), and search for its main ideas in other words "
               "(grep).",
    .tidy = "(search_files, grep). Call get_claude_context for its path first and follow "
            "the rules there. Show the changes you plan, as a short list, and wait for "
            "my approval; then make them with edit_file.",
    .week = "Find the notes that were changed (find_files with modified_after) and read "
            "them, the daily notes of these days first.",
};
