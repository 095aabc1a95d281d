/*
 * read - the answers to a read: the text of a file or a part of it, its headings, its
 * properties or its links; several files; what changed in one; a picture.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/reading.h"
#include "vault/index/index.h"

/* --- one file --- */

/* READ_IMAGE: a page of a PDF as a picture; READ_FILE: the file as it is. They are not
 * answered with read_shape. */
enum read_view {
    READ_TEXT,
    READ_OUTLINE,
    READ_FRONTMATTER,
    READ_LINKS,
    READ_IMAGE,
    READ_FILE,
};

struct read_file {
    enum read_view view;
    struct arena *arena;
    struct reading text;       /* cut to fit for READ_TEXT, else whole */
    size_t first;              /* for an outline: from this line on, */
    str section;               /* and only of this section; empty: all */
    str note;                  /* about the text; or empty */
    const struct index *index; /* for properties and links: held, */
    const struct file *file;   /* NULL: the index has no such file */
};

extern const struct answer_shape read_shape;

/* "a board: Todo 2, Doing 1 of 3, Done 5, archived 9"; empty if the note is not a board. */
str read_board_note(struct arena *a, str path, str text);

/* --- several --- */

/*
 * Files are read one after the other while there is room. A file that cannot be read does
 * not affect the others; a file of which not even one line fits is left for another call.
 */
struct read_files {
    struct arena *arena;
    const str *words;
    size_t n;
    bool (*open)(void *arg, str word, struct read_file *out, struct err *err);
    void (*close)(void *arg, struct read_file *f); /* for each file that was opened */
    void *arg;
};

extern const struct answer_shape read_files_shape;

/* --- what changed --- */

struct read_diff {
    str path, diff;
};

extern const struct answer_shape read_diff_shape;

/* --- a picture, PDF or sound, which is sent beside the answer --- */

struct read_image {
    str path, mime;
    size_t size;                        /* of the file */
    uint32_t width, height;             /* of a picture, */
    uint32_t shown_width, shown_height; /* and of its copy that is sent; 0: none */
    uint32_t page;                      /* of a PDF that is shown as a picture; 0: none */
    str note;                           /* why the file is sent as it is, or empty */
};

extern const struct answer_shape read_image_shape;
