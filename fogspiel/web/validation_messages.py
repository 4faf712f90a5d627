"""Messages about the form of a request, in plain words instead of those of the validating library."""

from collections.abc import Mapping
from typing import Any

WORDS = {
    "missing": "is missing",
    "json_invalid": "is not JSON",
    "extra_forbidden": "is not known here",
    "string_pattern_mismatch": "does not have the right form",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "string_too_long": "may have at most {max_length} letters",
    "too_long": "may have at most {max_length} entries",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "is missing",
    "finite_number": "must be a finite number",
}  # by the kind of error of pydantic; the numbers are in its context
KINDS = {
    "int": "must be a whole number",
    "float": "must be a number",
    "string": "must be a text",
    "bool": "must be true or false",
    "list": "must be a list",
    "model": "must be a JSON object",
    "dict": "must be a JSON object",
}  # by what was expected, the first word of the kinds of error that are left
BODY = "the request"


def fault_words(fault: Mapping[str, Any]) -> str:
    """Describe the fault of a field, to be read after its name."""
    kind = str(fault["type"])
    if kind in WORDS:
        return WORDS[kind].format(**fault.get("ctx", {}))
    return KINDS.get(kind.partition("_")[0], "has a wrong value")


def fault_place(fault: Mapping[str, Any]) -> str:
    """The field that a fault is about: the last name on the way to it, or the whole request."""
    if fault["type"] == "json_invalid":
        return BODY
    names = [step for step in fault["loc"][1:] if isinstance(step, str)]
    return names[-1] if names else BODY
