/* A small chess engine that speaks UCI: material, squares, alpha-beta and quiescence.
 *
 * Its five piece values are options, so that a tuner can be tried on an engine whose right values are known. Moves that
 * are worth the same are told apart by a small noise that follows from the option Seed and the position.
 *
 *     cc -O2 -o tiny_engine tiny_engine.c
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EMPTY, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, BLACK = 8 };
enum { DEEPEST = 64, MOST_MOVES = 256, LONGEST = 2048, INFINITE = 32000, MATE = 30000, NOISE = 4 };

/* Squares are 16 * rank + file: a step over the edge of the board has a bit of 0x88. */
typedef struct {
    uint8_t board[128];
    int black, rights, passant, quiet, kings[2];
} Position;
typedef struct {
    uint8_t from, to, promotion;
    int order;
} Move;

static const int STEPS[7][9] = {
    {0}, {0}, {33, 31, 18, 14, -33, -31, -18, -14, 0}, {17, 15, -17, -15, 0}, {16, 1, -16, -1, 0},
    {17, 15, -17, -15, 16, 1, -16, -1, 0}, {17, 15, -17, -15, 16, 1, -16, -1, 0},
};
static const int ORDER[7] = {0, 1, 3, 3, 5, 9, 20}; /* in which captures are tried, whatever the options say */
static int worth[7] = {0, 100, 320, 330, 500, 950, 0};
static unsigned seed = 0;
static uint64_t history[LONGEST];
static int played;
static long nodes, most_nodes;
static double deadline;
static int stopped;

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t key(const Position *p) {
    uint64_t found = mix(1 + p->black + 2 * p->rights + 64 * (p->passant + 1));
    for (int s = 0; s < 128; s++)
        if (!(s & 0x88) && p->board[s]) found ^= mix(1000 + 16 * s + p->board[s]);
    return found;
}

static int attacked(const Position *p, int square, int by_black) {
    int side = by_black ? BLACK : 0, back = by_black ? 16 : -16;
    for (int d = -1; d <= 1; d += 2) {
        int s = square + back + d;
        if (!(s & 0x88) && p->board[s] == (side | PAWN)) return 1;
    }
    for (const int *d = STEPS[KNIGHT]; *d; d++)
        if (!((square + *d) & 0x88) && p->board[square + *d] == (side | KNIGHT)) return 1;
    for (const int *d = STEPS[KING]; *d; d++) {
        int s = square + *d, straight = *d == 16 || *d == -16 || *d == 1 || *d == -1;
        if (!(s & 0x88) && p->board[s] == (side | KING)) return 1;
        while (!(s & 0x88) && !p->board[s]) s += *d;
        if (!(s & 0x88) && (p->board[s] == (side | QUEEN) || p->board[s] == (side | (straight ? ROOK : BISHOP)))) return 1;
    }
    return 0;
}

static int in_check(const Position *p) { return attacked(p, p->kings[p->black], !p->black); }

static void add(const Position *p, Move *moves, int *count, int from, int to) {
    int kind = p->board[from] & 7, taken = p->board[to] & 7;
    if (kind == PAWN && to == p->passant) taken = PAWN;
    Move m = {(uint8_t)from, (uint8_t)to, 0, taken ? 100 * ORDER[taken] - ORDER[kind] : 0};
    if (kind == PAWN && (to < 16 || to >= 112)) {
        for (m.promotion = QUEEN; m.promotion >= KNIGHT; m.promotion--) {
            Move n = m;
            n.order += m.promotion == QUEEN ? 900 : -900;
            moves[(*count)++] = n;
        }
        return;
    }
    moves[(*count)++] = m;
}

/* Moves that may leave the own king in check; captures and promotions only, if asked. */
static int list(const Position *p, Move *moves, int takes_only) {
    int count = 0, side = p->black ? BLACK : 0, up = p->black ? -16 : 16;
    for (int s = 0; s < 120; s++) {
        int man = p->board[s];
        if (s & 0x88 || !man || (man & BLACK) != side) continue;
        int kind = man & 7;
        if (kind == PAWN) {
            for (int d = -1; d <= 1; d += 2) {
                int to = s + up + d;
                if (to & 0x88) continue;
                if ((p->board[to] && (p->board[to] & BLACK) != side) || to == p->passant) add(p, moves, &count, s, to);
            }
            if (p->board[s + up]) continue;
            int last = s + up < 16 || s + up >= 112;
            if (!takes_only || last) add(p, moves, &count, s, s + up);
            if (!takes_only && s / 16 == (p->black ? 6 : 1) && !p->board[s + 2 * up]) add(p, moves, &count, s, s + 2 * up);
            continue;
        }
        for (const int *d = STEPS[kind]; *d; d++)
            for (int to = s + *d; !(to & 0x88); to += *d) {
                if (p->board[to] ? (p->board[to] & BLACK) != side : !takes_only) add(p, moves, &count, s, to);
                if (p->board[to] || kind == KNIGHT || kind == KING) break;
            }
        if (kind == KING && !takes_only && !in_check(p)) {
            int short_right = p->black ? 4 : 1, long_right = p->black ? 8 : 2;
            if (p->rights & short_right && !p->board[s + 1] && !p->board[s + 2] && !attacked(p, s + 1, !p->black))
                add(p, moves, &count, s, s + 2);
            if (p->rights & long_right && !p->board[s - 1] && !p->board[s - 2] && !p->board[s - 3] &&
                !attacked(p, s - 1, !p->black))
                add(p, moves, &count, s, s - 2);
        }
    }
    return count;
}

static int lost_rights(int square) {
    switch (square) {
    case 4: return 3;
    case 7: return 1;
    case 0: return 2;
    case 116: return 12;
    case 119: return 4;
    case 112: return 8;
    default: return 0;
    }
}

/* Make a move; 0 if it leaves the own king in check. */
static int make(Position *p, Move m) {
    int man = p->board[m.from], kind = man & 7, up = p->black ? -16 : 16;
    p->quiet = kind == PAWN || p->board[m.to] ? 0 : p->quiet + 1;
    if (kind == PAWN && m.to == p->passant) p->board[m.to - up] = EMPTY;
    p->board[m.to] = (uint8_t)(m.promotion ? (man & BLACK) | m.promotion : man);
    p->board[m.from] = EMPTY;
    p->passant = kind == PAWN && abs(m.to - m.from) == 32 ? m.from + up : -1;
    if (kind == KING) {
        p->kings[p->black] = m.to;
        if (abs(m.to - m.from) == 2) {
            int corner = m.to > m.from ? m.to + 1 : m.to - 2;
            p->board[(m.from + m.to) / 2] = p->board[corner];
            p->board[corner] = EMPTY;
        }
    }
    p->rights &= ~(lost_rights(m.from) | lost_rights(m.to));
    p->black = !p->black;
    return !attacked(p, p->kings[!p->black], p->black);
}

/* What a square adds: little, so that the worth of the men decides. */
static int placement(int kind, int rank, int file, int men) {
    int centre = (rank < 4 ? rank : 7 - rank) + (file < 4 ? file : 7 - file);
    switch (kind) {
    case PAWN: return rank * rank + (file == 3 || file == 4 ? 4 * (rank > 2) : 0);
    case KNIGHT: return 5 * centre - 15;
    case BISHOP: return 3 * centre - 9 - 6 * (rank == 0);
    case ROOK: return 12 * (rank == 6);
    case QUEEN: return centre - 3;
    default: return men > 10 ? -10 * rank + 6 * (file == 6 || file == 2) : 6 * centre;
    }
}

static int value(const Position *p) {
    int total = 0, men = 0;
    for (int s = 0; s < 120; s++) men += !(s & 0x88) && p->board[s] && (p->board[s] & 7) != PAWN;
    for (int s = 0; s < 120; s++) {
        if (s & 0x88 || !p->board[s]) continue;
        int kind = p->board[s] & 7, black = p->board[s] & BLACK, rank = black ? 7 - s / 16 : s / 16;
        int one = worth[kind] + placement(kind, rank, s % 16, men);
        total += black ? -one : one;
    }
    return (p->black ? -total : total) + (int)(mix(key(p) ^ mix(seed + 1)) % NOISE);
}

static void next_best(Move *moves, int from, int count) {
    int best = from;
    for (int i = from + 1; i < count; i++)
        if (moves[i].order > moves[best].order) best = i;
    Move m = moves[best];
    moves[best] = moves[from];
    moves[from] = m;
}

static int out_of_time(void) {
    nodes++;
    if ((most_nodes && nodes >= most_nodes) || (deadline && (nodes & 1023) == 0 && now() > deadline)) stopped = 1;
    return stopped;
}

static int quiesce(const Position *p, int alpha, int beta, int level) {
    if (out_of_time()) return 0;
    int best = value(p);
    if (best >= beta || level >= DEEPEST) return best;
    if (best > alpha) alpha = best;
    Move moves[MOST_MOVES];
    int count = list(p, moves, 1);
    for (int i = 0; i < count && best < beta; i++) {
        next_best(moves, i, count);
        Position after = *p;
        if (!make(&after, moves[i])) continue;
        int v = -quiesce(&after, -beta, -alpha, level + 1);
        if (stopped) return 0;
        if (v > best) best = v;
        if (v > alpha) alpha = v;
    }
    return best;
}

static int is_draw(const Position *p, uint64_t k) {
    if (p->quiet >= 100) return 1;
    for (int i = played - 2; i >= 0 && i >= played - p->quiet; i -= 2)
        if (history[i] == k) return 1;
    return 0;
}

static int search(const Position *p, int depth, int alpha, int beta, int level, Move *choice, Move first) {
    uint64_t k = key(p);
    int checked = in_check(p);
    if (level && is_draw(p, k)) return 0;
    if (checked) depth++;
    if (depth <= 0 || level >= DEEPEST) return quiesce(p, alpha, beta, level);
    if (out_of_time()) return 0;
    Move moves[MOST_MOVES], none = {0};
    int count = list(p, moves, 0), legal = 0, best = -INFINITE;
    if (level == 0)
        for (int i = 0; i < count; i++)
            if (moves[i].from == first.from && moves[i].to == first.to && moves[i].promotion == first.promotion)
                moves[i].order = 1000000;
    history[played++] = k;
    for (int i = 0; i < count && best < beta; i++) {
        next_best(moves, i, count);
        Position after = *p;
        if (!make(&after, moves[i])) continue;
        legal++;
        int v = -search(&after, depth - 1, -beta, -alpha, level + 1, NULL, none);
        if (stopped) break;
        if (v > best) {
            best = v;
            if (choice) *choice = moves[i];
        }
        if (v > alpha) alpha = v;
    }
    played--;
    if (stopped) return best == -INFINITE ? 0 : best;
    return legal ? best : checked ? level - MATE : 0;
}

static void write_move(Move m, char *out) {
    sprintf(out, "%c%d%c%d", 'a' + m.from % 16, m.from / 16 + 1, 'a' + m.to % 16, m.to / 16 + 1);
    if (m.promotion) strncat(out, &" pnbrq"[m.promotion], 1);
}

static void think(const Position *p, int depth) {
    Move best = {0}, moves[MOST_MOVES];
    int count = list(p, moves, 0);
    for (int i = count - 1; i >= 0; i--) { /* any legal move is better than none */
        Position after = *p;
        if (make(&after, moves[i])) best = moves[i];
    }
    char text[8];
    nodes = stopped = 0;
    for (int d = 1; d <= depth && best.from != best.to; d++) {
        Move found = best;
        int v = search(p, d, -INFINITE, INFINITE, 0, &found, best);
        best = found; /* a search that was cut off has tried the best of the last one first */
        if (stopped) break;
        write_move(best, text);
        if (abs(v) > MATE - 1000)
            printf("info depth %d score mate %d nodes %ld pv %s\n", d, v > 0 ? (MATE - v + 1) / 2 : -(MATE + v) / 2, nodes, text);
        else
            printf("info depth %d score cp %d nodes %ld pv %s\n", d, v, nodes, text);
        if (abs(v) > MATE - d) break;
    }
    if (best.from == best.to) {
        puts("bestmove (none)");
        return;
    }
    write_move(best, text);
    printf("bestmove %s\n", text);
}

static void set_up(Position *p, const char *fen) {
    memset(p, 0, sizeof *p);
    char men[100] = "", mover[4] = "w", rights[8] = "-", passant[4] = "-";
    sscanf(fen, "%99s %3s %7s %3s %d", men, mover, rights, passant, &p->quiet);
    int s = 112;
    for (const char *c = men; *c; c++) {
        if (*c == '/') s = s - s % 16 - 16;
        else if (*c >= '1' && *c <= '8') s += *c - '0';
        else {
            const char *kinds = " pnbrqk", *at = strchr(kinds, *c | 32);
            if (!at || s < 0 || s & 0x88) continue;
            int kind = (int)(at - kinds), black = *c > 'Z';
            if (kind == KING) p->kings[black] = s;
            p->board[s++] = (uint8_t)(kind | (black ? BLACK : 0));
        }
    }
    p->black = mover[0] == 'b';
    for (const char *c = rights; *c; c++) p->rights |= *c == 'K' ? 1 : *c == 'Q' ? 2 : *c == 'k' ? 4 : *c == 'q' ? 8 : 0;
    p->passant = passant[0] == '-' ? -1 : 16 * (passant[1] - '1') + passant[0] - 'a';
}

static void read_position(Position *p, char *line) {
    char *fen = strstr(line, "fen "), *made = strstr(line, "moves ");
    set_up(p, fen ? fen + 4 : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    played = 0;
    for (char *word = made ? strtok(made + 6, " \n") : NULL; word; word = strtok(NULL, " \n")) {
        Move moves[MOST_MOVES];
        int count = list(p, moves, 0);
        for (int i = 0; i < count; i++) {
            char text[8];
            write_move(moves[i], text);
            if (strcmp(text, word) == 0) {
                if (played < LONGEST - DEEPEST - 1) history[played++] = key(p);
                make(p, moves[i]);
                break;
            }
        }
    }
}

static long number_after(const char *line, const char *word, long otherwise) {
    const char *at = strstr(line, word);
    return at ? atol(at + strlen(word)) : otherwise;
}

static void go(const Position *p, const char *line) {
    long left = number_after(line, p->black ? "btime " : "wtime ", 0), more = number_after(line, p->black ? "binc " : "winc ", 0);
    long time_for_move = number_after(line, "movetime ", left ? left / 30 + more / 2 : 0);
    most_nodes = number_after(line, "nodes ", 0);
    deadline = time_for_move ? now() + 0.001 * (double)time_for_move : 0;
    think(p, (int)number_after(line, "depth ", most_nodes || deadline ? DEEPEST : 4));
}

int main(void) {
    static const char *const NAMES[] = {"", "PawnValue", "KnightValue", "BishopValue", "RookValue", "QueenValue"};
    static char line[1 << 16];
    Position p;
    char name[64];
    int number;
    set_up(&p, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "ucinewgame", 10) == 0) continue;
        if (strncmp(line, "uci", 3) == 0) {
            puts("id name Tiny\nid author fogspiel");
            for (int kind = PAWN; kind <= QUEEN; kind++)
                printf("option name %s type spin default %d min 0 max 2000\n", NAMES[kind], worth[kind]);
            puts("option name Seed type spin default 0 min 0 max 1000000\nuciok");
        } else if (strncmp(line, "isready", 7) == 0) puts("readyok");
        else if (sscanf(line, "setoption name %63s value %d", name, &number) == 2) {
            for (int kind = PAWN; kind <= QUEEN; kind++)
                if (strcmp(name, NAMES[kind]) == 0) worth[kind] = number;
            if (strcmp(name, "Seed") == 0) seed = (unsigned)number;
        } else if (strncmp(line, "position", 8) == 0) read_position(&p, line);
        else if (strncmp(line, "go", 2) == 0) go(&p, line);
        else if (strncmp(line, "quit", 4) == 0) return 0;
    }
    return 0;
}
