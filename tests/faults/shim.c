/* Stands between a program and the C library: fails, tears or records what is done to files below one folder.
 *
 * Preloaded into a process that arms it by `fault_arm`. Calls that matter are counted; the n-th one meets the fault.
 * Once it knows its folder, nothing there waits for the real disk: power cuts are played from what was recorded. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, ERROR, DEAD, FULL, TEAR, SYNC, READ, KILL, TORN_KILL };       /* the faults, as in shim.py */
enum { OPEN, CREATE, WRITE, FLUSH, CUT, NAME, LOOK };                      /* the calls */
enum { FILES = 1024, LONGEST = 4096 };

static char root[LONGEST], paths[FILES][LONGEST];
static int mode = NONE, journal = -1;
static long counted, nth;

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

void fault_arm(const char *folder, int fault, long number) {
    snprintf(root, sizeof root, "%s/", folder);
    mode = fault, nth = number, counted = 0;
}

void fault_record(const char *folder, int descriptor) {
    snprintf(root, sizeof root, "%s/", folder);
    journal = descriptor;
}

long fault_count(void) { return counted; }

static int inside(const char *path) {
    size_t length = strlen(root);
    return length && (!strncmp(path, root, length) || (strlen(path) == length - 1 && !strncmp(path, root, length - 1)));
}

static const char *path_of(int fd) { return fd >= 0 && fd < FILES && paths[fd][0] ? paths[fd] : NULL; }

static int counts(int call) {
    switch (mode) {
    case NONE: return 0;
    case FULL: return call == CREATE || call == WRITE;
    case TEAR: case TORN_KILL: return call == WRITE;
    case SYNC: return call == FLUSH;
    case READ: return call == LOOK;
    default: return call != LOOK;
    }
}

/* Whether this call meets the fault; a killed process does not come back, a torn write is up to the caller. */
static int meets(int call) {
    if (!counts(call)) return 0;
    counted++;
    if (counted < nth || (counted > nth && mode != DEAD && mode != FULL)) return 0;
    if (mode == KILL) _exit(137);
    errno = mode == FULL ? ENOSPC : EIO;
    return 1;
}

static void note(char type, ino_t file, int64_t at, const char *path, const void *content, size_t length) {
    if (journal < 0) return;
    struct { int64_t type, file, at, path, length; } head = {type, (int64_t)file, at, (int64_t)strlen(path), (int64_t)length};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)path, strlen(path)}, {(void *)content, length}};
    if (writev(journal, parts, 3) < 0) _exit(99);
}

static ino_t file_of(int fd) {
    struct stat facts;
    return fstat(fd, &facts) ? 0 : facts.st_ino;
}

static off_t size_of(int fd) {
    struct stat facts;
    return fstat(fd, &facts) ? 0 : facts.st_size;
}

/* ---- opening and closing ---- */

static int do_open(int folder, const char *path, int flags, mode_t rights) {
    int (*real)(int, const char *, int, ...) = REAL(int, openat, int, const char *, int, ...);
    if (!inside(path)) return real(folder, path, flags, rights);
    int fresh = (flags & O_CREAT) && access(path, F_OK);
    if (meets(fresh ? CREATE : OPEN)) return -1;
    int fd = real(folder, path, flags, rights);
    if (fd >= 0 && fd < FILES) {
        snprintf(paths[fd], LONGEST, "%s", path);
        if (fresh) note('O', file_of(fd), 0, path, "", 0);
        else if (flags & O_TRUNC) note('T', file_of(fd), 0, path, "", 0);
    }
    return fd;
}

#define RIGHTS(flags) \
    mode_t rights = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); rights = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) { RIGHTS(flags) return do_open(AT_FDCWD, path, flags, rights); }
int open64(const char *path, int flags, ...) { RIGHTS(flags) return do_open(AT_FDCWD, path, flags | O_LARGEFILE, rights); }
int openat(int folder, const char *path, int flags, ...) { RIGHTS(flags) return do_open(folder, path, flags, rights); }
int openat64(int folder, const char *path, int flags, ...) { RIGHTS(flags) return do_open(folder, path, flags, rights); }

int close(int fd) {
    if (fd >= 0 && fd < FILES) paths[fd][0] = 0;
    return REAL(int, close, int)(fd);
}

/* ---- writing ---- */

static ssize_t do_write(int fd, const void *content, size_t length, off_t at, int moves) {
    ssize_t (*real)(int, const void *, size_t, off_t) = REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    const char *path = path_of(fd);
    if (path && !(mode == FULL && at + (off_t)length <= size_of(fd)) && meets(WRITE)) {  /* a full disk takes what it has room for */
        if (mode == TEAR || mode == TORN_KILL) real(fd, content, length / 2, at);
        if (mode == TORN_KILL) _exit(137);
        errno = mode == FULL ? ENOSPC : EIO;
        return -1;
    }
    if (path) note('W', file_of(fd), at, path, content, length);
    if (!moves) return real(fd, content, length, at);
    return REAL(ssize_t, write, int, const void *, size_t)(fd, content, length);
}

ssize_t write(int fd, const void *content, size_t length) {
    if (!path_of(fd)) return REAL(ssize_t, write, int, const void *, size_t)(fd, content, length);
    return do_write(fd, content, length, lseek(fd, 0, SEEK_CUR), 1);
}
ssize_t pwrite(int fd, const void *content, size_t length, off_t at) { return do_write(fd, content, length, at, 0); }
ssize_t pwrite64(int fd, const void *content, size_t length, off64_t at) { return do_write(fd, content, length, at, 0); }

/* Python copies files by this; without it, it reads and writes. */
ssize_t sendfile(int to, int from, off_t *at, size_t length) { (void)to, (void)from, (void)at, (void)length; errno = ENOSYS; return -1; }
ssize_t sendfile64(int to, int from, off64_t *at, size_t length) { (void)to, (void)from, (void)at, (void)length; errno = ENOSYS; return -1; }

static int do_cut(int fd, off_t size) {
    const char *path = path_of(fd);
    if (path && meets(CUT)) return -1;
    if (path) note('T', file_of(fd), size, path, "", 0);
    return REAL(int, ftruncate, int, off_t)(fd, size);
}
int ftruncate(int fd, off_t size) { return do_cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return do_cut(fd, size); }

static int do_flush(int fd) {
    const char *path = path_of(fd);
    if (path && meets(FLUSH)) return -1;
    if (path) note('S', file_of(fd), 0, path, "", 0);
    return path ? 0 : REAL(int, fsync, int)(fd);
}
int fsync(int fd) { return do_flush(fd); }
int fdatasync(int fd) { return do_flush(fd); }

/* ---- reading ---- */

ssize_t read(int fd, void *content, size_t length) {
    if (path_of(fd) && meets(LOOK)) return -1;
    return REAL(ssize_t, read, int, void *, size_t)(fd, content, length);
}
ssize_t pread(int fd, void *content, size_t length, off_t at) {
    if (path_of(fd) && meets(LOOK)) return -1;
    return REAL(ssize_t, pread, int, void *, size_t, off_t)(fd, content, length, at);
}
ssize_t pread64(int fd, void *content, size_t length, off64_t at) { return pread(fd, content, length, at); }

/* ---- names ---- */

int rename(const char *from, const char *to) {
    if (inside(to) && meets(NAME)) return -1;
    if (inside(to)) note('R', 0, 0, from, to, strlen(to));
    return REAL(int, rename, const char *, const char *)(from, to);
}
int unlink(const char *path) {
    if (inside(path) && !access(path, F_OK)) {
        if (meets(NAME)) return -1;
        note('U', 0, 0, path, "", 0);
    }
    return REAL(int, unlink, const char *)(path);
}
int unlinkat(int folder, const char *name, int flags) {
    char path[2 * LONGEST];
    snprintf(path, sizeof path, "%s/%s", path_of(folder) ? path_of(folder) : "", name);
    if (path_of(folder)) {
        if (meets(NAME)) return -1;
        if (!(flags & AT_REMOVEDIR)) note('U', 0, 0, path, "", 0);
    }
    return REAL(int, unlinkat, int, const char *, int)(folder, name, flags);
}
int mkdir(const char *path, mode_t rights) {
    if (inside(path) && meets(CREATE)) return -1;
    return REAL(int, mkdir, const char *, mode_t)(path, rights);
}
