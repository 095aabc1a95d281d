/*
 * postgres_place - a PostgreSQL that the test starts (postgres.sh), and databases in it. It is in memory, where a new
 * server costs a fifth of the processor time that it takes on a disk.
 */
#pragma once

#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "state/sql_text.h"

#include "check.h"
#include "fast_folder.h"
#include "tests_dir.h"

/* The folder of the server, or empty: none is running. */
static char postgres_folder[80];

/* verb: start, stop, kill, again. */
static inline void postgres_do(const char *verb)
{
    char command[512];
    snprintf(command, sizeof(command), "%s/support/postgres.sh %s %s", tests_dir(), verb,
             postgres_folder);
    if (system(command) != 0) // NOLINT(cert-env33-c): a script of ours
        fail_msg("%s", command);
}

static inline void postgres_start(void)
{
    snprintf(postgres_folder, sizeof(postgres_folder), "%s/vaultd-postgres-XXXXXX",
             fast_folder());
    assert_non_null(mkdtemp(postgres_folder));
    postgres_do("start");
}

static inline void postgres_stop(void)
{
    char command[128];
    postgres_do("stop");
    snprintf(command, sizeof(command), "rm -rf %s", postgres_folder);
    if (system(command) != 0) // NOLINT(cert-env33-c)
        fail_msg("%s", command);
    postgres_folder[0] = '\0';
}

/* Run statements, which may be SQLite's, in a database. */
static inline void postgres_sql(const char *database, const char *sql)
{
    char command[512];
    struct arena a = {0};
    snprintf(command, sizeof(command), "%s/support/postgres.sh sql %s %s", tests_dir(),
             postgres_folder, database);
    FILE *f = popen(command, "w"); // NOLINT(cert-env33-c)
    assert_non_null(f);
    fputs(sql_text_postgres(&a, str_c(sql)).p, f);
    if (pclose(f) != 0)
        fail_msg("%s", sql);
    arena_release(&a);
}

/* A new, empty database: its name, and its URL. */
static inline void postgres_new(char name[32], char *url, size_t size)
{
    static int number;
    char sql[64];
    snprintf(name, 32, "t%d", ++number);
    snprintf(sql, sizeof(sql), "CREATE DATABASE %s", name);
    postgres_sql("postgres", sql);
    snprintf(url, size, "postgres://vaultd@/%s?host=%s", name, postgres_folder);
}
