/*
 * Settings that Obsidian and sync leave in .obsidian, whatever is in the files: folders
 * of dated notes are read, a date is formatted as they say.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vault/forms/daily.h"
#include "vault/note/obsidian.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/vaultd-fuzz-obsidian-XXXXXX";
static struct fs_root root;
static const char *const files[] = {
    ".obsidian/app.json",
    ".obsidian/daily-notes.json",
    ".obsidian/templates.json",
    ".obsidian/types.json",
};

static void remove_folder(void)
{
    for (size_t i = 0; i < COUNT_OF(files); i++)
        unlinkat(root.fd, files[i], 0);
    unlinkat(root.fd, ".obsidian", AT_REMOVEDIR);
    rmdir(folder);
}

static void make_folder(void)
{
    struct err err;
    if (mkdtemp(folder) == NULL || !fs_root_open(&root, folder, &err) ||
        mkdirat(root.fd, ".obsidian", 0700) != 0)
        abort();
    atexit(remove_folder);
}

static void put(const char *path, str text)
{
    int fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n)
        abort();
    close(fd);
}

static void use(const struct obsidian *o)
{
    struct arena a = {0};
    struct moment now = {.year = 2026, .month = 11, .day = 16};
    struct moment back;
    const str *problems;
    str where;
    (void)obsidian_new_file(o, &where);
    (void)obsidian_is_excluded(o, STR("a/b.md"));
    (void)obsidian_property_type(o, STR("due"));
    (void)obsidian_templates(o);
    for (int period = PERIOD_DAY; period <= PERIOD_YEAR; period++) {
        struct obsidian_dated dated = obsidian_periodic(o, (enum obsidian_period)period);
        str text = moment_format(&a, &now, dated.format);
        (void)moment_parse(&a, dated.format, text, &back);
    }
    (void)obsidian_problems(o, &problems);
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (root.fd == 0)
        make_folder();
    for (size_t i = 0; i < COUNT_OF(files); i++)
        put(files[i], (str){(const char *)data, size});
    struct obsidian *o = obsidian_open(&root, STR(".obsidian"));
    use(o);
    obsidian_free(o);
    return 0;
}
