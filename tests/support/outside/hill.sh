#!/bin/sh
# The games of hill.c, by a shell and awk: a bare number per line.
while IFS= read -r line; do
    printf '%s\n' "$line" | awk '
    function badness(x, k) { return (x - 3) ^ 2 / 4 + (k - 7) ^ 2 / 16 }
    {
        second = /"swap": true/
        gsub(/"[a-z]+"|true|false/, "")
        gsub(/[^-+.0-9e]+/, " ")
        gap = badness($1, $2) - badness($3, $4)
        wins = 1 / (1 + exp(second ? -gap : gap))
        print(($5 / 2147483648 < wins) != second)
    }'
done
