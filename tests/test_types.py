"""Everything is typed but kernels, whose types are those of their arguments."""

import ast
from pathlib import Path

import fogspiel

PACKAGE = Path(fogspiel.__file__).parent
DECORATORS = {"kernel", "in_place", "inlined", "variant", "kernel_of"}


def is_kernel(function):
    """Whether it is decorated as a kernel."""
    callees = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return any(isinstance(callee, ast.Name) and callee.id in DECORATORS for callee in callees)


def is_typed(function):
    """Whether every argument but `self` or `cls`, and what is returned, has a type."""
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    arguments = [one for one in named if one is not None and one.arg not in ("self", "cls")]
    returns = function.returns is not None or (function.name == "__init__" and arguments)
    return bool(returns) and all(one.annotation is not None for one in arguments)


def untyped(node, path):
    """Every function under a node that has no full signature and is neither a kernel nor within one."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_kernel(inner):
                continue
            if not is_typed(inner):
                yield f"{path.relative_to(PACKAGE)}:{inner.lineno} {inner.name}"
        yield from untyped(inner, path)


def test_only_kernels_have_no_types():
    assert [found for path in PACKAGE.rglob("*.py") for found in untyped(ast.parse(path.read_text()), path)] == []


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()
