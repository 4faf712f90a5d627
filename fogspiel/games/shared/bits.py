"""Sets as the bits of an integer."""

from ...core.kernel import inlined, trailing_zeros


@inlined
def list_bits(bits, out):
    """Write the members of a set in ascending order; how many there are."""
    count = 0
    while bits > 0:
        out[count] = trailing_zeros(bits)
        bits &= bits - 1
        count += 1
    return count
