/*
 * fake_poppler - programs in PATH that take the place of those of poppler-utils and do
 * what a word in the "PDF" asks for: what poppler does with damaged and hostile files, and
 * worse, on every machine.
 */
#pragma once

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define FAKE_PDF(word) STR("%PDF-1.4 fake " word)

/* A last word that begins with / is a file, to be printed by "spy". */
static const char *const fake_programs[][2] = {
    {"pdfinfo", "#!/bin/sh\n"
                "in=$(cat)\n"
                "case \"$in\" in\n"
                "*locked*) echo 'Command Line Error: Incorrect password' >&2; exit 1;;\n"
                "*damaged*) echo 'Syntax Error: no trailer' >&2; exit 1;;\n"
                "*greedy*) echo 'Out of memory' >&2; exit 1;;\n"
                "*looping*) ulimit -t 1; while :; do :; done;;\n"
                "*breaks*) printf 'Title:  a\\nPages: 99\\nPages:          3\\n';;\n"
                "*) printf 'Title:          A title\\nPages:          3\\n';;\n"
                "esac\n"},
    {"pdftotext", "#!/bin/sh\n"
                  "in=$(cat)\n"
                  "case \"$in\" in\n"
                  "*endless*) exec yes 'a line that is repeated';;\n"
                  "*spy*) cat \"/${in#*/}\" 2>/dev/null; printf 'done\\f\\f\\f';;\n"
                  "*) printf 'pages %s to %s\\n\\fTwo\\n\\fThree\\n\\f' $4 $6;;\n"
                  "esac\n"},
    {"pdftoppm", "#!/bin/sh\n"
                 "cat >/dev/null\n"
                 "echo \"$@\"\n"},
};

static char fake_folder[64];

static void fake_poppler_install(void)
{
    char path[128];
    snprintf(fake_folder, sizeof(fake_folder), "/tmp/vaultd-test-poppler-XXXXXX");
    assert_non_null(mkdtemp(fake_folder));
    for (size_t i = 0; i < COUNT_OF(fake_programs); i++) {
        snprintf(path, sizeof(path), "%s/%s", fake_folder, fake_programs[i][0]);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(fake_programs[i][1], f);
        fclose(f);
        assert_int_equal(chmod(path, 0755), 0);
    }
    snprintf(path, sizeof(path), "%s:/usr/bin:/bin", fake_folder);
    setenv("PATH", path, 1);
}

static void fake_poppler_remove(void)
{
    char path[128];
    for (size_t i = 0; i < COUNT_OF(fake_programs); i++) {
        snprintf(path, sizeof(path), "%s/%s", fake_folder, fake_programs[i][0]);
        unlink(path);
    }
    rmdir(fake_folder);
}
