"""Lemke and Howson's algorithm on the normal form, exactly; for games with a few hundred pure strategies each."""

from ..methods import tree_route, trees

ROUTES = (tree_route("lemke-howson", lambda options: trees().by_lemke_howson, exact=True),)
