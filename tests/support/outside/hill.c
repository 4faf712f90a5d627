/* Games of two sets of two values, whose best is x = 3 and k = 7, a JSON object per line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

static double badness(double x, int k) { return (x - 3) * (x - 3) / 4 + (k - 7) * (k - 7) / 16.0; }

int main(void)
{
    char line[4096], swap[8];
    double x, y;
    int k, l, id;
    unsigned long seed;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line,
                   "{\"a\": {\"x\": %lf, \"k\": %d}, \"b\": {\"x\": %lf, \"k\": %d}, \"seed\": %lu, \"swap\": %7[a-z], "
                   "\"id\": %d}",
                   &x, &k, &y, &l, &seed, swap, &id) != 7) {
            printf("{\"error\": \"this program cannot read its request\"}\n");
            return 1;
        }
        double gap = badness(x, k) - badness(y, l), luck = seed / 2147483648.0;
        int second = strcmp(swap, "true") == 0; /* then a has the second seat */
        double wins = 1 / (1 + exp(second ? -gap : gap));
        printf("{\"score\": %d, \"id\": %d}\n", (luck < wins) != second, id);
        fflush(stdout);
    }
    return 0;
}
